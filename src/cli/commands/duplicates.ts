/** `waymark duplicates [IDS...]` */
import { refuse } from '../../record/outcome.ts';
import type { DuplicatePair, DuplicatesResult } from '../../trail/duplicates/find.ts';
import type { Disposition } from '../../trail/duplicates/resolve.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { withPerson, withSession } from '../with-record.ts';

/** As the command line gives them. */
export interface DuplicatesFlags {
  readonly scope?: string;
  readonly keep?: Disposition;
  readonly reason?: string;
}

/** Without ids the pairs are listed, by whoever may read; with two ids an operator settles them. */
export async function duplicates(
  invocation: Invocation,
  ids: readonly string[],
  flags: DuplicatesFlags,
): Promise<ExitCode> {
  const [one, other, third] = ids;
  if (one === undefined && flags.keep === undefined) return list(invocation, flags);
  const { keep, reason } = flags;
  if (other === undefined || one === undefined || third !== undefined || keep === undefined || reason === undefined) {
    const refusal = refuse('invalid', 'Settling needs two thoughts, --keep and --reason', {
      next: 'For example: waymark duplicates ID ID --keep new --reason "the later measurement"',
    });
    return fail(invocation, refusal);
  }
  return withPerson(invocation, async ({ session }) => {
    const done = await session.operations().resolveDuplicate({ thought_ids: [one, other], keep, reason });
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, done.value, ({ message }) => [message]);
    return EXIT.ok;
  });
}

function list(invocation: Invocation, { scope }: DuplicatesFlags): Promise<ExitCode> {
  return withSession(invocation, async ({ session }) => {
    const found = await session.operations().duplicates({ scope });
    if (!found.ok) return fail(invocation, found);
    printResult(invocation, found.value, render);
    return EXIT.ok;
  });
}

function render({ pairs, count, truncated }: DuplicatesResult): readonly string[] {
  if (count === 0) return ['No two approved thoughts of one scope say nearly the same'];
  return [
    ...pairs.flatMap(pairLines),
    `${count} ${count === 1 ? 'pair' : 'pairs'}${truncated ? ', and more' : ''}. Settle one with: waymark duplicates ID ID --keep old|new|both --reason WHY`,
  ];
}

function pairLines({ scope, old, new: newer, similarity, differ }: DuplicatePair): readonly string[] {
  const verdict = differ.length === 0 ? 'say nearly the same' : `differ in ${differ.join(' and ')}`;
  return [
    `${scope}: ${Math.round(similarity * 100)} % alike, ${verdict}`,
    `  old ${old.thought_id}  ${oneLine(old.content_preview)}`,
    `  new ${newer.thought_id}  ${oneLine(newer.content_preview)}`,
    '',
  ];
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
