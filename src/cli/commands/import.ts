/** `waymark import FILE|FOLDER --scope SCOPE` */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Refusal, refuse } from '../../record/outcome.ts';
import { parseScope } from '../../record/scope.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Item, itemsOf } from '../import-items.ts';
import { type ImportedItem, importItems } from '../import-run.ts';
import { kindOf, type LeftAlone, sourcesOf } from '../import-sources.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { progress } from '../progress.ts';
import { withSession } from '../with-record.ts';

export interface ImportOptions {
  readonly scope: string;
  readonly dryRun?: true;
}

interface ImportReport {
  readonly status: 'ok' | 'refused';
  readonly dry_run: boolean;
  readonly saved: number;
  readonly refused: number;
  readonly skipped: number;
  /** Other files, and what has a name with a leading dot. */
  readonly left_alone: number;
  readonly items: readonly ImportedItem[];
}

export async function importThoughts(invocation: Invocation, path: string, options: ImportOptions): Promise<ExitCode> {
  const { dryRun = false } = options;
  const root = resolve(invocation.cwd, path);
  return withSession(invocation, async ({ session }) => {
    const scope = parseScope(options.scope, '--scope');
    if (!scope.ok) return fail(invocation, scope);
    const wrong = checkPath(root);
    if (wrong !== null) return fail(invocation, wrong);
    const leftAlone: LeftAlone = { count: 0 };
    const report = progress(invocation);
    const done = await importItems(itemsIn(root, leftAlone), { session, scope: scope.value, dryRun, progress: report });
    if (!done.ok) return fail(invocation, done);
    const of = (outcome: ImportedItem['outcome']) => done.value.filter((item) => item.outcome === outcome).length;
    const result: ImportReport = {
      status: of('refused') > 0 ? 'refused' : 'ok',
      dry_run: dryRun,
      saved: dryRun ? 0 : of('ok'),
      refused: of('refused'),
      skipped: of('skipped'),
      left_alone: leftAlone.count,
      items: done.value,
    };
    printResult(invocation, result, render);
    return result.refused > 0 ? EXIT.refused : EXIT.ok;
  });
}

async function* itemsIn(root: string, leftAlone: LeftAlone): AsyncGenerator<Item> {
  for await (const source of sourcesOf(root, leftAlone)) yield* itemsOf(source);
}

function checkPath(root: string): Refusal | null {
  const next = 'Name a folder, or a file that ends in .md, .markdown or .jsonl';
  if (!existsSync(root)) return refuse('invalid', 'There is no such file or folder', { next });
  if (statSync(root).isDirectory() || kindOf(root) !== null) return null;
  return refuse('invalid', 'This kind of file is not imported', { next });
}

function render(report: ImportReport): readonly string[] {
  const { items, dry_run, refused, skipped, left_alone } = report;
  const fine = items.filter(({ outcome }) => outcome === 'ok').length;
  return [
    ...columns(items.map((item) => [item.item, verdictOf(item)])),
    `${fine} ${dry_run ? 'would be ' : ''}saved and proposed, ${refused} refused, ${skipped} skipped` +
      (left_alone === 0 ? '' : `; ${left_alone} other files and hidden names left alone`),
  ];
}

function verdictOf(item: ImportedItem): string {
  const id = item.thought_id === undefined ? '' : ` ${item.thought_id}`;
  switch (item.outcome) {
    case 'ok':
      return `ok${id}${item.unresolved === undefined ? '' : `; causes not found here: ${item.unresolved.join(', ')}`}`;
    case 'refused':
      return `refused: ${item.code}, ${item.message}. ${item.next}${id === '' ? '' : ` (draft${id})`}`;
    case 'skipped':
      return `skipped: ${item.message}${id === '' ? '' : ` (${id.trim()})`}`;
  }
}
