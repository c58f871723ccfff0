/** Reads the facts. Nothing here writes, takes the writer lock for longer than a look, or waits without an end. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Environment } from '../../config/index.ts';
import { comparePin, openKeyStore, PinError } from '../../ledger/index.ts';
import type { Outcome } from '../../record/outcome.ts';
import { BranchRef } from '../../store/git/branch-ref.ts';
import { type GitLocation, searchedFolders } from '../../store/git/environment.ts';
import { locateRepository } from '../../store/git/repository.ts';
import { trackedState } from '../../store/git/tracked-state.ts';
import { peekLock } from '../../store/lock.ts';
import { DEFAULT_BRANCH, type Located, locateRecord } from '../locate.ts';
import { machineConfigs } from '../machine-settings.ts';
import { pinFile } from '../open.ts';
import { recoveryFileBesideOwner } from '../recovery-key.ts';
import type {
  BranchFacts,
  DiskFacts,
  Facts,
  KeyFacts,
  LockFacts,
  MachineFacts,
  PinFacts,
  ProgramFacts,
} from './facts.ts';
import { indexFacts } from './gather-index.ts';
import { favaHoldsLock, leftoversOf } from './gather-leftovers.ts';
import { placesOf } from './gather-places.ts';
import { servingFacts } from './gather-serving.ts';
import { statOrNull } from './stat.ts';

export interface DoctorOptions {
  readonly environment: Environment;
  /** Where the command was called; absolute. */
  readonly cwd: string;
  /** Variables that programs are found with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds. */
  readonly now: number;
  /** @default process.version */
  readonly nodeVersion?: string;
}

/** A program that says nothing for this long is not asked again. Milliseconds. */
const PROGRAM_TIMEOUT_MS = 3_000;

export async function gatherFacts(options: DoctorOptions): Promise<Facts> {
  const { environment, cwd, now } = options;
  const machine = await machineFacts(options);
  const located = locateRecord(environment, cwd);
  const record = located.ok ? await recordFacts(located.value, { ...options, machine }) : null;
  return { machine, located, record, now };
}

async function machineFacts({ env, nodeVersion }: DoctorOptions): Promise<MachineFacts> {
  const [git, jj] = await Promise.all([versionOf('git', env), versionOf('jj', env)]);
  return { node: nodeVersion ?? process.version, git, jj, sqliteFault: sqliteFault() };
}

function versionOf(program: string, env: DoctorOptions['env']): Promise<ProgramFacts> {
  const settings = { env: searchedFolders(env), timeout: PROGRAM_TIMEOUT_MS, killSignal: 'SIGKILL' as const };
  return new Promise((resolve) => {
    execFile(program, ['--version'], settings, (error, stdout) => {
      if (error === null)
        resolve({ found: true, version: /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim().slice(0, 80) });
      else if (error.code === 'ENOENT') resolve({ found: false, reason: 'it is not on PATH' });
      else resolve({ found: false, reason: error.killed ? 'it does not answer' : firstLine(error.message) });
    });
  });
}

function sqliteFault(): string | null {
  try {
    new Database(':memory:').close();
    return null;
  } catch (error) {
    return firstLine(error instanceof Error ? error.message : String(error));
  }
}

async function recordFacts(located: Located, options: DoctorOptions & { readonly machine: MachineFacts }) {
  const { environment, machine, now, env: variables } = options;
  const root = realpathSync(located.root);
  // A git that does not answer is named once and not waited for again.
  const found = machine.git.found ? await locateRepository(root) : null;
  const location = found?.ok ? found.value : null;
  const tracked = location === null ? null : trackedState(root);
  const gitFault = found?.ok === false ? found : tracked;
  const branch = location === null ? null : branchFacts(location, located.waymark.branch ?? DEFAULT_BRANCH);
  const keys = keyFacts(environment, located.waymark.id);
  const { sqliteFault } = machine;
  const at = {
    root,
    location,
    head: branch?.head ?? null,
    keys,
    environment,
    variables,
    repositoryId: located.waymark.id,
  };
  return {
    root,
    environment,
    located,
    isJujutsu: existsSync(join(root, '.jj')),
    gitFault: gitFault === null ? null : faultOf(gitFault),
    pin: pinFacts(root, located, environment),
    branch,
    index: sqliteFault === null && tracked === null ? await indexFacts(at) : { state: 'unusable' as const },
    keys,
    machineSettingsFault: faultOf(machineConfigs(environment)),
    serving: servingFacts({ environment, repositoryId: located.waymark.id, env: variables, now }),
    places: placesOf(root, location),
    leftovers: await leftoversOf({ root, location, branch: branch?.name ?? DEFAULT_BRANCH, now }),
    lock: sqliteFault === null ? lockFacts(root) : { held: false, holder: null, fava: false },
    disk: diskFacts(root),
  };
}

function branchFacts(location: GitLocation, name: string): BranchFacts {
  const ref = new BranchRef(location, name);
  try {
    return { name, head: ref.read(), checkedOut: ref.checkedOut(), below: ref.headCommit() };
  } catch (error) {
    return { name, head: null, checkedOut: null, below: null, fault: messageOf(error) };
  }
}

function pinFacts(root: string, { waymark }: Located, environment: Environment): PinFacts {
  const file = pinFile(environment);
  try {
    return { file, verdict: comparePin({ file, root }, { id: waymark.id, owner: waymark.owner }) };
  } catch (error) {
    if (error instanceof PinError) return { file, verdict: { fault: error.message } };
    return { file, verdict: { fault: `The pin file cannot be read: ${messageOf(error)}` } };
  }
}

function keyFacts(environment: Environment, repositoryId: string): KeyFacts {
  const folder = join(environment.configDir, 'keys');
  const mode = statOrNull(folder)?.mode ?? 0;
  const recovery = recoveryFileBesideOwner(environment, repositoryId);
  const facts = {
    folder,
    sharedBits: process.platform === 'win32' ? 0 : mode & 0o077,
    recoveryBeside: statOrNull(recovery) === null ? null : recovery,
  };
  try {
    const { keys, problems } = openKeyStore({ dir: folder }).list();
    const own = keys.filter(({ repository }) => repository === repositoryId);
    return { ...facts, fault: null, own, problems: problems.map(({ message }) => message) };
  } catch (error) {
    return { ...facts, fault: messageOf(error), own: [], problems: [] };
  }
}

function lockFacts(root: string): LockFacts {
  const fava = favaHoldsLock(root);
  try {
    return { ...peekLock(join(root, '.waymark', 'lock.sqlite')), fava };
  } catch (error) {
    return { held: false, holder: null, fault: messageOf(error), fava };
  }
}

function diskFacts(root: string): DiskFacts | null {
  try {
    const { bavail, bsize, type } = statfsSync(root);
    return { freeBytes: bavail * bsize, type };
  } catch {
    return null;
  }
}

function faultOf(outcome: Outcome<unknown>): { readonly message: string; readonly next: string } | null {
  return outcome.ok ? null : { message: outcome.message, next: outcome.next };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 300) ?? '';
}
