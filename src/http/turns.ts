/**
 * Requests begin one by one, each in a turn of the event loop of its own. Else what arrived together runs together, and a
 * save, which waits for git and the disk many times, waits each time for every recall that came meanwhile.
 */
export function turns(): (begin: () => void) => void {
  const waiting: (() => void)[] = [];
  let scheduled = false;
  function next(): void {
    scheduled = false;
    waiting.shift()?.();
    schedule();
  }
  function schedule(): void {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    setImmediate(next);
  }
  return (begin) => {
    waiting.push(begin);
    schedule();
  };
}
