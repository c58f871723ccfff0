/** `waymark erase ID --reason TEXT [--scope S] [--no-tombstone] [--dry-run]` */
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { EraseInput, EraseResult } from '../../trail/erasure/types.ts';
import { Session } from '../../trail/session.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { terminalPassphrase } from '../passphrase.ts';
import { personOf } from '../person.ts';
import { type StrippedMirrors, stripMirrors } from '../strip-mirrors.ts';
import { openTerminal } from '../terminal.ts';
import { withSettledRecord } from '../with-record.ts';

export interface EraseOptions {
  readonly reason: string;
  readonly scope?: string;
  readonly tombstone: boolean;
  readonly dryRun?: true;
  readonly purgeHistory?: true;
}

/** The caller is the person who has the operator key. */
export async function erase(invocation: Invocation, id: string, options: EraseOptions): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const person = personOf(record);
    const session = new Session(record, {
      via: 'cli',
      agentId: person,
      wantsOperator: true,
      env: invocation.env,
      askPassphrase: terminalPassphrase,
    });
    try {
      const { notice } = await session.identity();
      if (notice !== undefined) say(invocation, notice);
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
      const mirrors = await stripMirrors(record, { cwd: invocation.cwd, holder: person });
      printResult(invocation, { ...done.value, mirrors }, (result) => [...lines(result), ...mirrorLines(mirrors)]);
      return EXIT.ok;
    } finally {
      await session.close();
    }
  });
}

async function askWhetherToErase(): Promise<Outcome<null>> {
  const terminal = openTerminal();
  if (terminal === null) {
    return refuse('authority', 'Whether to erase is asked on a terminal, and there is none', {
      next: 'Run it on a terminal; --dry-run shows what it would do',
    });
  }
  try {
    const answer = await terminal.ask('Erase the text for good? [y/N] ');
    if (answer?.trim().toLowerCase() === 'y') return ok(null);
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
