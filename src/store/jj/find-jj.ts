/** Finds the program `jj` and says whether it is one this store was tested with. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { runProgram } from './run-program.ts';

/** Variables of the process that opened the record; `PATH` decides which `jj` is used. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Release lines the contract test has run on. */
export const ACCEPTED_VERSIONS = ['0.46'] as const;

const INSTALL =
  'Install Jujutsu 0.46, for example with "cargo install --locked --version 0.46.0 jj-cli", so that "jj --version" answers';

/** Absolute path of the `jj` on the PATH of `variables`, `null` when there is none. */
export async function findJj(variables: Variables): Promise<string | null> {
  for (const folder of (variables['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, 'jj');
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return file;
  }
  return null;
}

/** The `jj` to write with. Refuses when none is on PATH, or one of a version nobody has tested. */
export async function acceptedJj(variables: Variables, root: string): Promise<Outcome<string>> {
  const program = await findJj(variables);
  if (program === null) {
    const message = 'This is a Jujutsu repository, and "jj" is not on PATH: it can be read, not written';
    return refuse('repository', message, { next: `Nothing was saved. ${INSTALL}` });
  }
  const asked = await runProgram(program, ['--version'], { cwd: root, env: { PATH: variables['PATH'] ?? '' } });
  const version = /^jj (\d+\.\d+)\.\S+/.exec(asked.stdout)?.[0]?.slice('jj '.length) ?? '';
  if (ACCEPTED_VERSIONS.some((accepted) => version.startsWith(`${accepted}.`))) return ok(program);
  const found = version === '' ? `"${program}" names no version` : `"${program}" is version ${version}`;
  const message = `${found}, wanted one that Waymark was tested with: ${ACCEPTED_VERSIONS.join(', ')}`;
  return refuse('repository', message, { next: `Nothing was saved. ${INSTALL}` });
}
