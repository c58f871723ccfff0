/**
 * Does a glob name the scope? `*` is anything within one level, `**` any number of levels, none included; other
 * characters stand for themselves.
 *
 * Work is bounded by the product of the two lengths: no regular expression, so nothing backtracks.
 */
export function matchesGlob(glob: string, scope: string): boolean {
  if (!glob.includes('*')) return glob === scope;
  const levels = scope.split('/');
  // reached[i]: the pattern levels so far can match the first i scope levels.
  let reached = [true, ...levels.map(() => false)];
  for (const pattern of glob.split('/')) {
    reached = pattern === '**' ? spread(reached) : step(reached, { pattern, levels });
  }
  return reached[levels.length] === true;
}

/** `**`: whatever was reached, everything after it is. */
function spread(reached: readonly boolean[]): boolean[] {
  const first = reached.indexOf(true);
  return reached.map((_, index) => first !== -1 && index >= first);
}

function step(reached: readonly boolean[], at: { pattern: string; levels: readonly string[] }): boolean[] {
  return [false, ...at.levels.map((level, index) => reached[index] === true && matchesLevel(at.pattern, level))];
}

/** The parts between stars must occur in order; taking each at its first place is always right. */
function matchesLevel(pattern: string, level: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === level;
  if (level.length < head.length + tail.length || !level.startsWith(head) || !level.endsWith(tail)) return false;
  const middle = level.slice(head.length, level.length - tail.length);
  let from = 0;
  for (const part of rest) {
    const place = middle.indexOf(part, from);
    if (place === -1) return false;
    from = place + part.length;
  }
  return true;
}
