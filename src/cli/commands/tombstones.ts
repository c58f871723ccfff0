/** `waymark tombstones list`, `waymark tombstones rotate-key` and `waymark lift ID`. */
import type { Outcome } from '../../record/outcome.ts';
import type { SessionOperations } from '../../trail/session.ts';
import type { ListedTombstone } from '../../trail/tombstones/list.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { withPerson } from '../with-record.ts';

export interface ReasonOptions {
  readonly reason: string;
}

export async function listTombstones(invocation: Invocation): Promise<ExitCode> {
  return asPerson(invocation, (operations) => operations.tombstones({}), {
    render: ({ tombstones }) => (tombstones.length === 0 ? ['No tombstone is in force'] : tombstones.flatMap(linesOf)),
  });
}

export async function rotateTombstoneKey(invocation: Invocation, options: ReasonOptions): Promise<ExitCode> {
  const { reason } = options;
  return asPerson(invocation, (operations) => operations.rotateTombstoneKey({ reason }), {
    render: ({ version }) => [`Values rejected from now on are kept out under key ${version}; earlier ones stay`],
  });
}

export async function liftTombstone(invocation: Invocation, id: string, options: ReasonOptions): Promise<ExitCode> {
  const { reason } = options;
  return asPerson(invocation, (operations) => operations.lift({ tombstone: id, reason }), {
    render: ({ lifted }) => [`Lifted ${lifted.tombstone}: its value may be saved in "${lifted.scope}" again`],
  });
}

function linesOf({ tombstone, scope, check, since, by, grounds, thought_id, reason }: ListedTombstone) {
  const who = [`since ${since.slice(0, 10)}`, ...(by === undefined ? [] : [`by ${by}`])].join(' ');
  const of = thought_id === undefined ? [] : [`  thought ${thought_id}`];
  const mark = check === 'hmac' ? '' : ` [${check === 'scrypt' ? 'erased' : check}]`;
  return [`${tombstone}  ${scope}  ${who}${mark}`, `  ${grounds === undefined ? '' : `${grounds}: `}${reason}`, ...of];
}

/** The caller is the person who has the operator key. */
async function asPerson<T extends object>(
  invocation: Invocation,
  work: (operations: SessionOperations) => Promise<Outcome<T>>,
  { render }: { readonly render: (value: T) => readonly string[] },
): Promise<ExitCode> {
  return withPerson(invocation, async ({ session }) => {
    const done = await work(session.operations());
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, done.value, render);
    return EXIT.ok;
  });
}
