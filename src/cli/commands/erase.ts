/** `waymark erase ID --reason TEXT [--scope S] [--no-tombstone] [--dry-run]` */
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { type PurgeResult, purgeHistory } from '../../trail/erasure/purge.ts';
import type { EraseInput, EraseResult } from '../../trail/erasure/types.ts';
import { confirms } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRecord } from '../find-record.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { openOptions } from '../open-options.ts';
import { personOf } from '../person.ts';
import { progress } from '../progress.ts';
import { type StrippedMirrors, stripMirrors } from '../strip-mirrors.ts';
import { openTerminal } from '../terminal.ts';
import { personSession, withPerson } from '../with-record.ts';

export interface EraseOptions {
  readonly reason: string;
  readonly scope?: string;
  readonly tombstone: boolean;
  readonly dryRun?: true;
  readonly purgeHistory?: true;
}

/** The caller is the person who has the operator key. */
export async function erase(invocation: Invocation, id: string, options: EraseOptions): Promise<ExitCode> {
  let erased: string | undefined;
  const onErased = (thoughtId: string) => {
    erased = thoughtId;
  };
  const code = await eraseNow(invocation, id, { ...options, onErased });
  // The record is closed by now: what it holds open would keep the old history.
  return erased === undefined || options.purgeHistory !== true ? code : purge(invocation, erased);
}

interface Erasing extends EraseOptions {
  readonly onErased: (thoughtId: string) => void;
}

async function eraseNow(invocation: Invocation, id: string, options: Erasing): Promise<ExitCode> {
  return withPerson(invocation, async ({ record, session }) => {
    const { reason, scope, tombstone } = options;
    const input: EraseInput = {
      thought_id: id,
      reason,
      keep_out: tombstone,
      ...(scope === undefined ? {} : { trail_name: scope }),
    };
    const plan = await session.operations().erase({ ...input, dry_run: true });
    if (!plan.ok) return fail(invocation, plan);
    if (options.dryRun === true) {
      printResult(invocation, plan.value, lines);
      return EXIT.ok;
    }
    for (const line of lines(plan.value)) say(invocation, line);
    const confirmed = await askWhetherToErase();
    if (!confirmed.ok) return fail(invocation, confirmed);
    const done = await session.operations().erase({ ...input, claim: plan.value.claim });
    if (!done.ok) return fail(invocation, done);
    options.onErased(done.value.thought.thought_id);
    const mirrors = await stripMirrors(record, { cwd: invocation.cwd, holder: personOf(record) });
    printResult(invocation, { ...done.value, mirrors }, (result) => [...lines(result), ...mirrorLines(mirrors)]);
    return EXIT.ok;
  });
}

async function purge(invocation: Invocation, thought_id: string): Promise<ExitCode> {
  const found = findRecord(invocation);
  if (!found.ok) return fail(invocation, found, { exit: EXIT.environment });
  const { environment, located } = found.value;
  const done = await purgeHistory({
    located,
    open: openOptions(invocation, environment),
    thought_id,
    session: (record) => personSession(invocation, record),
    report: progress(invocation),
  });
  if (!done.ok) return fail(invocation, done);
  printResult(invocation, done.value, purgeLines);
  return done.value.status === 'ok' ? EXIT.ok : EXIT.refused;
}

function purgeLines({ heads, rewritten, unsigned, refs, left, notes }: PurgeResult): readonly string[] {
  const anew = heads === null ? '' : `: the branch was at ${heads.old_head}, and then at ${heads.new_head}`;
  return [
    rewritten === 0 && heads === null ? 'History held nothing of it any more' : `Made ${rewritten} commits anew${anew}`,
    ...(unsigned === 0 ? [] : [`Signatures of commits and tags that went with it: ${unsigned}`]),
    ...(refs.moved.length === 0 ? [] : [`Moved: ${refs.moved.join(', ')}`]),
    ...(refs.dropped.length === 0 ? [] : [`Dropped, and back with the next fetch: ${refs.dropped.join(', ')}`]),
    ...left.map(
      ({ object, path = '', commit }) =>
        `Still in object ${object} ${commit === undefined ? '' : `of commit ${commit} `}${path}`,
    ),
    ...notes,
  ];
}

async function askWhetherToErase(): Promise<Outcome<null>> {
  const terminal = openTerminal();
  if (terminal === null) {
    return refuse('authority', 'Whether to erase is asked on a terminal, and there is none', {
      next: 'Run it on a terminal; --dry-run shows what it would do',
    });
  }
  try {
    if (await confirms(terminal, 'Erase the text for good?')) return ok(null);
    return refuse('authority', 'Not erased: nothing was changed', { next: 'Run it again when you are sure' });
  } finally {
    terminal.close();
  }
}

function lines({ message, thought, held, alike = [] }: EraseResult): readonly string[] {
  const { commits, refs, unreferenced } = held;
  const [first, last] = [commits[0], commits.at(-1)];
  return [
    `${thought.thought_id} in ${thought.source_trail}: ${message}`,
    ...(first === undefined || last === undefined
      ? []
      : [`Commits that wrote a version of it: ${commits.length}, ${first.slice(0, 12)} to ${last.slice(0, 12)}`]),
    ...(refs.length === 0 ? [] : [`Branches and tags that lead to them: ${refs.join(', ')}`]),
    ...(unreferenced === 0 ? [] : [`Of them only reflogs and stashes lead to: ${unreferenced}`]),
    ...alike.map((id) => `Thought ${id} holds the whole text too and is left alone`),
    ...held.notes,
  ];
}

function mirrorLines({ files, left }: StrippedMirrors): readonly string[] {
  return [
    ...files.map((file) => `Taken out of the mirror ${file}`),
    ...left.map(({ file, why }) => `The mirror ${file} may still hold it: ${why}; "waymark mirror" tries again`),
  ];
}
