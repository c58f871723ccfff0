/** The difference between two texts, line by line: a longest common subsequence, bounded. */

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Cells of the table; about 16 MB and 50 ms. Beyond it the differing middle is shown as replaced whole. */
const MAX_CELLS = 4_000_000;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const middle = diffMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return [...marked('same', now.slice(0, head)), ...middle, ...marked('same', now.slice(now.length - tail))];
}

function diffMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  if (old.length * now.length > MAX_CELLS) return [...marked('removed', old), ...marked('added', now)];
  const width = now.length + 1;
  // longest[i * width + j]: length of the longest common subsequence of old[i..] and now[j..].
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i] ?? '' });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: 'removed', text: old[i++] ?? '' });
    } else {
      lines.push({ kind: 'added', text: now[j++] ?? '' });
    }
  }
  return [...lines, ...marked('removed', old.slice(i)), ...marked('added', now.slice(j))];
}

function marked(kind: DiffLine['kind'], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

const MARKS = { same: ' ', removed: '-', added: '+' } as const;

/** `-`, `+` or a space before each line; unchanged runs are shortened to `context` lines on either side. */
export function renderDiff(lines: readonly DiffLine[], context = 3): readonly string[] {
  const near = lines.map(() => false);
  for (const [at, line] of lines.entries()) {
    if (line.kind === 'same') continue;
    near.fill(true, Math.max(0, at - context), at + context + 1);
  }
  const shown: string[] = [];
  let hidden = 0;
  const flush = () => {
    if (hidden > 0) shown.push(`  ... ${hidden} unchanged ${hidden === 1 ? 'line' : 'lines'}`);
    hidden = 0;
  };
  for (const [at, { kind, text }] of lines.entries()) {
    if (near[at] !== true) {
      hidden += 1;
      continue;
    }
    flush();
    shown.push(`${MARKS[kind]} ${text}`);
  }
  flush();
  return shown;
}
