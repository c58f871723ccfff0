/** `waymark quarantine` */
import type { QuarantineResult } from '../../trail/quarantine.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { summaryLines } from '../render-thought.ts';
import { withPerson } from '../with-record.ts';

export interface QuarantineOptions {
  readonly agent: string;
  /** ISO 8601. */
  readonly since: string;
  readonly reason: string;
  readonly dryRun?: true;
}

/** The caller is the person who has the operator key. */
export async function quarantine(invocation: Invocation, options: QuarantineOptions): Promise<ExitCode> {
  const { agent: agent_id, since, reason, dryRun } = options;
  return withPerson(invocation, async ({ session }) => {
    const input = { agent_id, since, reason, dry_run: dryRun === true };
    const done = await session.operations().quarantine(input);
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, done.value, (result) => render(result, agent_id));
    return EXIT.ok;
  });
}

function render({ thoughts, dry_run, message }: QuarantineResult, agent: string): readonly string[] {
  const key = `Its key signs on: "waymark key list" names the keys of ${agent}, "waymark key revoke" ends one`;
  return [...thoughts.flatMap(summaryLines), message, ...(dry_run ? [] : [key])];
}
