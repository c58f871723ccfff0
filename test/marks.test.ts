/** What docs/marks.md claims exists: each module, the symbol it exports, and the test by its title. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MARKS = [
  'tombstone',
  'trust_state',
  'bitemporal',
  'scope_enforced',
  'audit_log',
  'human_review',
  'negative_eval',
] as const;

interface Row {
  readonly mark: string;
  readonly module: string;
  readonly symbol: string;
  /** `file: title` */
  readonly test: string;
}

const rows = rowsOf(textOf('docs/marks.md'));

function textOf(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
}

/** Rows of four cells whose second names a source file. */
function rowsOf(markdown: string): readonly Row[] {
  let mark = '';
  return markdown.split('\n').flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const [name = '', module = '', symbol = '', proof = ''] = cells.map((cell) => cell.trim().replaceAll('`', ''));
    if (!module.startsWith('src/')) return [];
    mark = MARKS.find((known) => name.startsWith(known)) ?? mark;
    return [{ mark, module, symbol, test: proof }];
  });
}

function faultOf({ module, symbol, test: proof }: Row): string | null {
  if (!existsSync(fileURLToPath(new URL(`../${module}`, import.meta.url)))) return `${module} does not exist`;
  const exported = new RegExp(`^export (?:async )?(?:function|const|class|interface|type) ${symbol}\\b`, 'm');
  if (!exported.test(textOf(module))) return `${module} exports no ${symbol}`;
  const [file = '', title = ''] = proof.split(/: (.*)/s);
  if (!existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url)))) return `${file} does not exist`;
  return title !== '' && textOf(file).includes(title) ? null : `${file} has no test "${title}"`;
}

test('every mark has a mechanism, and every module, symbol and test it names is there', () => {
  expect([...new Set(rows.map((row) => row.mark))].sort()).toEqual([...MARKS].sort());
  expect(rows.flatMap((row) => faultOf(row) ?? [])).toEqual([]);
});

test('the check finds what is not there', () => {
  const [row] = rows;
  if (row === undefined) throw new Error('No row');
  expect(faultOf({ ...row, symbol: 'nothingOfThat' })).toContain('exports no nothingOfThat');
  expect(faultOf({ ...row, module: 'src/nowhere.ts' })).toContain('does not exist');
  expect(faultOf({ ...row, test: 'test/repository.test.ts: of nothing' })).toContain('has no test "of nothing"');
});

test('each mark has its limits', () => {
  const limits = textOf('docs/limits.md');
  for (const mark of MARKS) expect(limits, mark).toContain(`\`${mark}\``);
});
