/** `waymark scopes` */
import type { ListScopesResult } from '../../trail/types.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { lagLine } from '../render-thought.ts';
import { withSession } from '../with-record.ts';

export interface ScopesOptions {
  readonly prefix?: string;
}

export async function scopes(invocation: Invocation, { prefix }: ScopesOptions): Promise<ExitCode> {
  return withSession(invocation, async ({ session }) => {
    const found = await session.operations().listScopes({ prefix, include_stats: true });
    if (!found.ok) return fail(invocation, found);
    printResult(invocation, found.value, render);
    return EXIT.ok;
  });
}

function render({ scopes: listed, index }: ListScopesResult): readonly string[] {
  const rows = listed.map(({ path, thought_count = 0 }) => [path, `${thought_count} approved`]);
  return [...(rows.length === 0 ? ['No scope holds a thought you can see'] : columns(rows)), ...lagLine(index)];
}
