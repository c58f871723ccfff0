/** `waymark demo [PATH]`: a folder with a record, its keys, and a command that uses both. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '../../config/index.ts';
import { errnoOf } from '../../record/errno.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { shellWord } from '../../record/shell-word.ts';
import { makeDemo } from '../../trail/demo/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { openOptions } from '../open-options.ts';

interface DemoResult {
  readonly folder: string;
  readonly root: string;
  readonly thoughts: number;
  /** To paste into a shell, in the folder this was called in. */
  readonly commands: readonly string[];
}

/** The demo's keys lie in its folder, against the rule for real ones, so that the person's stay as they are. */
export async function demo(invocation: Invocation, path: string): Promise<ExitCode> {
  const folder = resolve(invocation.cwd, path);
  const asked = readEnvironment(invocation.env);
  if (!asked.ok) return fail(invocation, asked, { exit: EXIT.environment });
  const variables = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  const environment = readEnvironment(variables);
  if (!environment.ok) return fail(invocation, environment, { exit: EXIT.environment });
  const fresh = makeFolder(folder);
  if (!fresh.ok) return fail(invocation, fresh);
  let isDone = false;
  try {
    const options = { ...openOptions(invocation, environment.value), now: Date.now() };
    const made = await makeDemo(join(folder, 'record'), options);
    if (!made.ok) return fail(invocation, made);
    writeFileSync(join(folder, 'waymark'), commandFile(), { mode: 0o755 });
    const { root, thoughts, shown } = made.value;
    const command = shellWord(nearby(join(folder, 'waymark'), invocation.cwd));
    const commands = [
      `${command} recall ${shown.query}`,
      `${command} get ${shown.thought_id} --scope ${shown.scope}`,
      `${command} trace ${shown.thought_id} --depth 10`,
      `${command} review`,
      `${command} verify`,
      `${command} serve`,
    ];
    printResult<DemoResult & { status: 'ok' }>(invocation, { status: 'ok', folder, root, thoughts, commands }, render);
    isDone = true;
    return EXIT.ok;
  } finally {
    // What is half made is of no use, and would be in the way of the next try.
    if (!isDone) rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder(folder: string): Outcome<null> {
  try {
    mkdirSync(folder);
    return ok(null);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') {
      return refuse('invalid', `"${folder}" exists already`, {
        field: 'path',
        next: `Name another folder, "waymark demo PATH", or remove this one: rm -r ${shellWord(folder)}`,
      });
    }
    const message = `Folder "${folder}" cannot be made: ${error instanceof Error ? error.message : String(error)}`;
    return refuse('storage', message, { next: 'Name a folder in one that is there and writable' });
  }
}

/** The built command: a checkout puts no `waymark` on PATH. */
const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** Finds the demo by where the file itself lies, so that the folder may be moved. */
function commandFile(): string {
  return `#!/bin/sh
# waymark on this demo's record, with the demo's own keys. You are its operator, whoever you are elsewhere.
here=$(cd "$(dirname "$0")" && pwd)
unset WAYMARK_AGENT_ID FAVA_TRAILS_AGENT_ID
export WAYMARK_DATA_REPO="$here/record" XDG_CONFIG_HOME="$here/config" XDG_STATE_HOME="$here/state" XDG_CACHE_HOME="$here/cache"
exec ${shellWord(process.execPath)} ${shellWord(MAIN)} "$@"
`;
}

/** The path as one would type it in `cwd`. */
function nearby(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : `./${path}`;
}

function render({ folder, root, thoughts, commands }: DemoResult): readonly string[] {
  return [
    `Made a record of ${thoughts} thoughts at ${root}; its keys lie beside it, yours are untouched. Try:`,
    ...commands.map((command) => `  ${command}`),
    `Remove it with: rm -r ${shellWord(folder)}`,
  ];
}
