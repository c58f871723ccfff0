/** `waymark find --everywhere` */
import { text as textOfStream } from 'node:stream/consumers';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { type FindResult, findEverywhere, PLACE_KINDS } from '../../trail/find/find-everywhere.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { progress } from '../progress.ts';
import { openTerminal } from '../terminal.ts';
import { withSession } from '../with-record.ts';

export interface FindFlags {
  readonly exact?: true;
}

export async function find(invocation: Invocation, value: string | undefined, flags: FindFlags): Promise<ExitCode> {
  const text = await soughtOf(invocation, value);
  if (!text.ok) return fail(invocation, text);
  return withSession(invocation, async ({ record, session }) => {
    const { principal } = await session.context();
    const found = await findEverywhere(
      { repository: record.repository, principal },
      {
        text: text.value,
        exact: flags.exact === true,
        environment: record.environment,
        report: progress(invocation),
      },
    );
    if (!found.ok) return fail(invocation, found);
    printResult(invocation, found.value, render);
    return EXIT.ok;
  });
}

/** The text, without the line end that a shell or an editor puts after it. */
async function soughtOf(invocation: Invocation, value: string | undefined): Promise<Outcome<string>> {
  if (value === '-') return ok((await textOfStream(process.stdin)).replace(/\r?\n$/, ''));
  if (value !== undefined) {
    say(
      invocation,
      'The value is in the history of your shell now; "-" reads it from stdin, and without it it is asked',
    );
    return ok(value);
  }
  const terminal = openTerminal();
  if (terminal === null) {
    return refuse('invalid', 'What to look for is asked on a terminal, and there is none', {
      field: 'value',
      next: 'Give it on stdin: waymark find --everywhere -',
    });
  }
  try {
    return ok((await terminal.askHidden('Look for: ')) ?? '');
  } finally {
    terminal.close();
  }
}

function render({ places, counts, refs, notes }: FindResult): readonly string[] {
  const rows = places.map(({ place, path = '', thought_id = '', status = '', commit, object }) => [
    place,
    commit?.slice(0, 12) ?? (object === undefined ? '' : `object ${object.slice(0, 12)}`),
    path,
    thought_id,
    status,
  ]);
  const total = PLACE_KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${kind} ${counts[kind]}`);
  return [
    ...columns(rows),
    ...(refs.length === 0 ? [] : [`Refs that lead there: ${refs.join(', ')}`]),
    ...notes.map((note) => `Note: ${note}`),
    total.length === 0 ? 'Found nowhere' : `Found: ${total.join(', ')}`,
  ];
}
