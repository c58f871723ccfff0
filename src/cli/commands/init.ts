/** `waymark init [PATH]` */
import { resolve } from 'node:path';
import { readEnvironment } from '../../config/index.ts';
import { type InitResult, init as makeRecord } from '../../trail/init.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { openOptions } from '../open-options.ts';

export async function init(invocation: Invocation, path: string): Promise<ExitCode> {
  const environment = readEnvironment(invocation.env);
  if (!environment.ok) return fail(invocation, environment, { exit: EXIT.environment });
  const made = await makeRecord(resolve(invocation.cwd, path), openOptions(invocation, environment.value));
  if (!made.ok) return fail(invocation, made);
  printResult(invocation, { status: 'ok', ...made.value }, render);
  return EXIT.ok;
}

const STORES = { git: 'plain git', jujutsu: 'Jujutsu beside git' } as const;

function render({ root, created, repository_id, branch, store, notice }: InitResult): readonly string[] {
  if (!created)
    return [
      `A record is at ${root} already (id ${repository_id}, branch ${branch}, ${STORES[store]}); nothing was changed`,
    ];
  return [
    `Made a record at ${root} (id ${repository_id}, branch ${branch}, ${STORES[store]})`,
    ...(notice === undefined ? [] : [notice]),
    'Agents connect with "waymark mcp" or "waymark serve" in that folder; a person decides with "waymark review"',
  ];
}
