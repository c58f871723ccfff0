/** Aligns columns: each as wide as its widest cell, two spaces between, none at the end. */
import { terminalLine } from './terminal-text.ts';

export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(terminalLine));
  const widths: number[] = [];
  for (const row of cells) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
