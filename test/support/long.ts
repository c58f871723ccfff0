/** Whether this is the long run (`npm run test:long`, `npm run show`), in which matrices and properties are whole. */
export const IS_LONG: boolean = process.env['WAYMARK_TEST_LONG'] !== undefined;

/** The first so many outside the long run, which has all: put one of each kind first. */
export function inShort<T>(table: readonly T[], kept: number): readonly T[] {
  return IS_LONG ? table : table.slice(0, kept);
}
