/**
 * The difference between two texts, word by word: first line by line, then by words where lines were replaced.
 *
 * Bounded, for texts by strangers: one budget of comparisons for the whole difference. What it does not suffice for is
 * shown as replaced whole, so the answer is always right and only sometimes coarse.
 */

export interface Change {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Comparisons and steps; about 150 ms. */
const BUDGET = 3_000_000;
/** Words, runs of white space, and every other character by itself. */
const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
const LINES = /[^\n]*\n|[^\n]+/g;

/** Joined, the pieces that are not `added` are `before`, and those that are not `removed` are `after`. */
export function wordDiff(before: string, after: string): readonly Change[] {
  const budget = { left: BUDGET };
  const byLine = differ(before.match(LINES) ?? [], after.match(LINES) ?? [], budget);
  const changes: Change[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed !== '' && added !== '') changes.push(...byWord(removed, added, budget));
    else changes.push(...pieces(removed, added));
    removed = '';
    added = '';
  };
  for (const { kind, text } of byLine) {
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else {
      flush();
      changes.push({ kind, text });
    }
  }
  flush();
  return joined(changes);
}

function joined(changes: readonly Change[]): readonly Change[] {
  const made: Change[] = [];
  for (const { kind, text } of changes) {
    const last = made.at(-1);
    if (last?.kind === kind) made.splice(-1, 1, { kind, text: last.text + text });
    else made.push({ kind, text });
  }
  return made;
}

interface Budget {
  left: number;
}

function byWord(removed: string, added: string, budget: Budget): readonly Change[] {
  const changes = differ(removed.match(WORDS) ?? [], added.match(WORDS) ?? [], budget);
  return withoutCrumbs(changes);
}

/** White space alone that stayed between two changes belongs to them: a reader compares phrases. */
function withoutCrumbs(changes: readonly Change[]): readonly Change[] {
  const kept: Change[] = [];
  let removed = '';
  let added = '';
  for (const [at, { kind, text }] of changes.entries()) {
    const isCrumb = at > 0 && at < changes.length - 1 && /^[^\S\n]+$/.test(text);
    if (kind !== 'added' && (kind !== 'same' || isCrumb)) removed += text;
    if (kind !== 'removed' && (kind !== 'same' || isCrumb)) added += text;
    if (kind !== 'same' || isCrumb) continue;
    kept.push(...pieces(removed, added), { kind, text });
    removed = '';
    added = '';
  }
  return [...kept, ...pieces(removed, added)];
}

function pieces(removed: string, added: string): readonly Change[] {
  return [
    ...(removed === '' ? [] : [{ kind: 'removed' as const, text: removed }]),
    ...(added === '' ? [] : [{ kind: 'added' as const, text: added }]),
  ];
}

/** Difference of two lists of tokens, neighbours of one kind joined, what is removed before what is added. */
function differ(old: readonly string[], now: readonly string[], budget: Budget): readonly Change[] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const middleOld = old.slice(head, old.length - tail);
  const middleNow = now.slice(head, now.length - tail);
  const number = numbering();
  const matched = matchedPairs(number(middleOld), number(middleNow), budget) ?? [];
  const changes: Change[] = [];
  let same = old.slice(0, head).join('');
  let i = 0;
  let j = 0;
  for (const [x, y] of [...matched, [middleOld.length, middleNow.length] as const]) {
    if (x > i || y > j) {
      if (same !== '') changes.push({ kind: 'same', text: same });
      same = '';
      changes.push(...pieces(middleOld.slice(i, x).join(''), middleNow.slice(j, y).join('')));
    }
    same += middleOld[x] ?? '';
    i = x + 1;
    j = y + 1;
  }
  same += old.slice(old.length - tail).join('');
  return same === '' ? changes : [...changes, { kind: 'same', text: same }];
}

/** Equal tokens get equal numbers, which compare faster. */
function numbering(): (tokens: readonly string[]) => Int32Array {
  const known = new Map<string, number>();
  return (tokens) =>
    Int32Array.from(tokens, (token) => {
      const at = known.get(token) ?? known.size;
      known.set(token, at);
      return at;
    });
}

type Pair = readonly [number, number];

/**
 * Positions of a longest common subsequence, ascending: Myers, "An O(ND) Difference Algorithm and Its Variations" (1986),
 * the greedy form with the furthest points of each round kept for the way back. `null` when the budget ends first.
 */
function matchedPairs(old: Int32Array, now: Int32Array, budget: Budget): readonly Pair[] | null {
  if (old.length === 0 || now.length === 0) return [];
  const longest = old.length + now.length;
  const rounds: Int32Array[] = [];
  let furthest = new Int32Array([0]);
  for (let d = 0; d <= longest; d++) {
    // Diagonals -d to d; entry k + d holds the furthest x on diagonal k.
    const next = new Int32Array(2 * d + 1);
    budget.left -= 2 * d + 1;
    if (budget.left < 0) return null;
    const before = (k: number) => furthest[k + d - 1] ?? 0;
    for (let k = -d; k <= d; k += 2) {
      const goesDown = k === -d || (k !== d && before(k - 1) < before(k + 1));
      let x = d === 0 ? 0 : goesDown ? before(k + 1) : before(k - 1) + 1;
      const from = x;
      while (x < old.length && x - k < now.length && old[x] === now[x - k]) x++;
      budget.left -= x - from;
      next[k + d] = x;
      if (x >= old.length && x - k >= now.length) return wayBack([...rounds, next], old.length, now.length);
    }
    rounds.push(next);
    furthest = next;
  }
  return null;
}

function wayBack(rounds: readonly Int32Array[], width: number, height: number): readonly Pair[] {
  const pairs: Pair[] = [];
  let x = width;
  let y = height;
  for (let d = rounds.length - 1; d >= 0; d--) {
    const k = x - y;
    const before = (diagonal: number) => rounds[d - 1]?.[diagonal + d - 1] ?? 0;
    const goesDown = k === -d || (k !== d && before(k - 1) < before(k + 1));
    const startX = d === 0 ? 0 : goesDown ? before(k + 1) : before(k - 1);
    const startY = d === 0 ? 0 : startX - (goesDown ? k + 1 : k - 1);
    const snake = d === 0 ? 0 : goesDown ? startX : startX + 1;
    while (x > snake) pairs.push([--x, --y]);
    x = startX;
    y = startY;
  }
  return pairs.reverse();
}
