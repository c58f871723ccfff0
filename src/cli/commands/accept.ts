/** `waymark accept PATH...` */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { lineDiff, renderDiff } from '../../record/line-diff.ts';
import { governedPath } from '../../record/paths.ts';
import type { AcceptedFile } from '../../trail/accept.ts';
import { trustHooks } from '../../trail/machine-settings.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { withPerson } from '../with-record.ts';

/** The caller is the person who has the operator key. */
export async function accept(invocation: Invocation, paths: readonly string[]): Promise<ExitCode> {
  return withPerson(invocation, async ({ record, session }) => {
    const { root } = record.repository;
    const at = { root, cwd: realpathSync(invocation.cwd) };
    const accepted = await session.operations().accept({ paths: paths.map((path) => repositoryPath(path, at)) });
    if (!accepted.ok) return fail(invocation, accepted);
    // Also when nothing changed: another machine's operator may have accepted it.
    trustHooks(record.environment, accepted.value.hooks);
    const files = accepted.value.files.map(({ path, changed, before, after }) => ({
      path,
      changed,
      diff: changed ? diffOf({ before, after }) : [],
    }));
    printResult(invocation, { status: 'ok', files }, render);
    return EXIT.ok;
  });
}

/** Relative to the current folder where such a file lies there, else to the record. */
function repositoryPath(path: string, { root, cwd }: { readonly root: string; readonly cwd: string }): string {
  const [fromHere, fromRoot] = [resolve(cwd, path), resolve(root, path)].map((file) =>
    relative(root, file).replaceAll(sep, '/'),
  );
  const isThere = fromHere !== undefined && governedPath(fromHere) && existsSync(join(root, fromHere));
  return (isThere ? fromHere : fromRoot) ?? path;
}

function diffOf({ before, after }: Pick<AcceptedFile, 'before' | 'after'>): readonly string[] {
  const text = (bytes: string) => bytes.replace(/\n$/, '');
  if (before === null || after === null) {
    const mark = before === null ? '+' : '-';
    return text(after ?? before ?? '')
      .split('\n')
      .map((line) => `${mark} ${line}`);
  }
  return renderDiff(lineDiff(text(before), text(after)));
}

interface Shown extends Pick<AcceptedFile, 'path' | 'changed'> {
  readonly diff: readonly string[];
}

function render({ files }: { readonly files: readonly Shown[] }): readonly string[] {
  return files.flatMap(({ path, changed, diff }) =>
    changed
      ? [`In force now: ${path}`, ...diff.map((line) => `  ${line}`)]
      : [`Nothing to accept: ${path} is in force`],
  );
}
