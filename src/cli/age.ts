/** How long ago, in one unit: `12 d`, `3 h`, `5 min`, `0 s`. */

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** @param since ISO 8601. @param now Unix milliseconds. */
export function age(since: string, now: number): string {
  const passed = now - Date.parse(since);
  const [unit, size] = UNITS.find(([, ms]) => passed >= ms) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(passed / size))} ${unit}`;
}
