/** `waymark get ID --scope SCOPE` */
import type { GetInput, GetResult } from '../../trail/types.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { indented, lagLine } from '../render-thought.ts';
import { withSession } from '../with-record.ts';

export interface GetOptions {
  readonly scope: string;
  readonly mode?: GetInput['mode'];
  readonly validAt?: string;
  readonly knownAt?: string;
}

export async function get(invocation: Invocation, id: string, options: GetOptions): Promise<ExitCode> {
  const { scope: trail_name, mode, validAt: valid_at, knownAt: known_at } = options;
  return withSession(invocation, async ({ session }) => {
    const found = await session.operations().get({ trail_name, thought_id: id, mode, valid_at, known_at });
    if (!found.ok) return fail(invocation, found);
    printResult(invocation, found.value, render);
    return EXIT.ok;
  });
}

function render({ thought, index }: GetResult): readonly string[] {
  const { content = '', content_preview: _, ...fields } = thought;
  const rows = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return [...columns(rows), '', ...indented(content), ...lagLine(index)];
}
