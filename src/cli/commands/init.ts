/** `waymark init [PATH]` */
import { resolve } from 'node:path';
import { readEnvironment } from '../../config/index.ts';
import { type InitResult, init as makeRecord } from '../../trail/init.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { openOptions } from '../open-options.ts';

export interface InitFlags {
  readonly recovery?: string;
}

export async function init(invocation: Invocation, path: string, { recovery }: InitFlags): Promise<ExitCode> {
  const environment = readEnvironment(invocation.env);
  if (!environment.ok) return fail(invocation, environment, { exit: EXIT.environment });
  const made = await makeRecord(resolve(invocation.cwd, path), {
    ...openOptions(invocation, environment.value),
    ...(recovery === undefined ? {} : { recovery: resolve(invocation.cwd, recovery) }),
  });
  if (!made.ok) return fail(invocation, made);
  printResult(invocation, { status: 'ok', ...made.value }, render);
  return EXIT.ok;
}

const STORES = { git: 'plain git', jujutsu: 'Jujutsu beside git' } as const;

function render({ root, created, repository_id, branch, store, notice, recovery_key }: InitResult): readonly string[] {
  if (!created)
    return [
      `A record is at ${root} already (id ${repository_id}, branch ${branch}, ${STORES[store]}); nothing was changed`,
    ];
  return [
    `Made a record at ${root} (id ${repository_id}, branch ${branch}, ${STORES[store]})`,
    ...(notice === undefined ? [] : [notice]),
    ...(recovery_key === undefined ? [] : recoveryLines(recovery_key)),
    'Agents connect with "waymark mcp" or "waymark serve" in that folder; a person decides with "waymark review"',
  ];
}

function recoveryLines(file: string): readonly string[] {
  return [
    `The recovery key is in ${file}`,
    '  Move that file off this machine, to a stick or a safe: with it "waymark key recover FILE" takes the record back when',
    '  the owner key is lost or stolen. A passphrase for it: "waymark key protect --recovery FILE"',
  ];
}
