/** Opens a data repository for this machine: what it is, whose it is, whether it is the one seen here before. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, EnvironmentVariables } from '../config/index.ts';
import {
  checkPin,
  isPinned,
  type KeyStore,
  openKeyStore,
  PinError,
  pinnedBranch,
  repositoryIdOf,
} from '../ledger/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { findSecret } from '../secrets/find-secret.ts';
import { secretRefusal } from '../secrets/secret-refusal.ts';
import { excludeStateFolder, locateRepository, openGitStore, STATE_FOLDER, trackedState } from '../store/git/index.ts';
import { type OpenJujutsuStoreOptions, openJujutsuStore } from '../store/jj/index.ts';
import { Repository } from '../store/repository.ts';
import type { RepositoryIndex } from '../store/repository-index.ts';
import type { VersionStore } from '../store/version-store.ts';
import type { Step } from '../store/writer.ts';
import { DEFAULT_BRANCH, type Located } from './locate.ts';
import { storageRefusal } from './storage-refusal.ts';

export interface OpenOptions {
  readonly environment: Environment;
  /** The process's variables, for `ATRIB_CHAIN_TAIL_<context id>` and for the PATH on which `jj` is looked up. */
  readonly env: EnvironmentVariables;
  /** Program and version, e.g. `waymark/0.1.0`. */
  readonly producer: string;
  readonly warn: (message: string, cause: unknown) => void;
  /** @default Date.now */
  readonly now?: () => number;
  /** Tests stop here. */
  readonly onStep?: (step: Step) => void | Promise<void>;
}

export interface OpenRecord {
  readonly repository: Repository;
  readonly located: Located;
  readonly keys: KeyStore;
  readonly environment: Environment;
  /** Folder of the remembered checkpoints of this repository. */
  readonly seenFolder: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export async function openRecord(located: Located, options: OpenOptions): Promise<Outcome<OpenRecord>> {
  const { waymark } = located;
  if (repositoryIdOf(waymark.owner) !== waymark.id) {
    return refuse('repository', `config.yaml names repository "${waymark.id}", which is not the id of its owner key`, {
      next: 'Restore config.yaml from history: the id is derived from the key',
    });
  }
  const pinned = checkOwner(located, options.environment);
  if (!pinned.ok) return pinned;
  const branch = pinned.value;
  return openUnpinned({ ...located, waymark: { ...waymark, branch } }, options);
}

/** As {@link openRecord}, for a repository this process is about to make. */
export async function openUnpinned(
  located: Located,
  options: OpenOptions & { readonly index?: RepositoryIndex },
): Promise<Outcome<OpenRecord>> {
  const { environment, env, producer, warn, onStep, index } = options;
  // It is written into every event, and into the names of key files and commits.
  const named = findSecret({ WAYMARK_AGENT_ID: environment.agentId });
  if (named !== null) return secretRefusal(named);
  const root = realpathSync(located.root);
  const { waymark } = located;
  const store = await openVersionStore({ root, branch: waymark.branch ?? DEFAULT_BRANCH, variables: env });
  if (!store.ok) return store;
  const tracked = trackedState(root);
  if (tracked !== null) {
    await store.value.close();
    return tracked;
  }
  const apart = await keepStateApart(root);
  if (!apart.ok) {
    await store.value.close();
    return apart;
  }
  const repository = openRepository({
    root,
    store: store.value,
    trust: { repositoryId: waymark.id, owner: waymark.owner },
    now: options.now ?? Date.now,
    producer,
    env,
    seenFolder: join(environment.stateDir, waymark.id),
    warn,
    ...(onStep === undefined ? {} : { onStep }),
    ...(index === undefined ? {} : { index }),
  });
  if (!repository.ok) return repository;
  await repository.value.goOnErasing().catch((error: unknown) => warn('An erasure is not finished', error));
  return ok({
    repository: repository.value,
    located,
    environment,
    keys: openKeyStore({ dir: join(environment.configDir, 'keys') }),
    seenFolder: join(environment.stateDir, waymark.id),
    now: options.now ?? Date.now,
  });
}

/** Where jj is, git must not commit: it would leave stray heads. `root` is real. */
export async function openVersionStore(options: OpenJujutsuStoreOptions): Promise<Outcome<VersionStore>> {
  return existsSync(join(options.root, '.jj')) ? openJujutsuStore(options) : openGitStore(options);
}

/**
 * Pins id, owner and branch at first contact; a repository that changes owner under the same path is refused. Answers the
 * pinned branch, which counts whatever config.yaml says since.
 */
function checkOwner(located: Located, environment: Environment): Outcome<string> {
  const root = realpathSync(located.root);
  const file = pinFile(environment);
  try {
    const { id, owner, branch = DEFAULT_BRANCH } = located.waymark;
    const verdict = checkPin({ file, root }, { id, owner, branch });
    if (verdict !== 'changed') return ok(pinnedBranch({ file, root }) ?? branch);
  } catch (error) {
    if (!(error instanceof PinError)) throw error;
    return refuse('repository', error.message, { next: `Mend or remove the pin file "${file}"` });
  }
  return refuse('repository', `The owner of the record at "${root}" is not the one this machine first saw there`, {
    next: `If you replaced the record on purpose, remove its line from "${file}"; otherwise restore config.yaml`,
  });
}

/** Whether what is no record now was one when this machine last saw the path: that is not to be made anew unasked. */
export function checkNeverPinned(root: string, environment: Environment): Refusal | null {
  const file = pinFile(environment);
  try {
    if (!isPinned({ file, root })) return null;
  } catch (error) {
    if (!(error instanceof PinError)) throw error;
    return refuse('repository', error.message, { next: `Mend or remove the pin file "${file}"` });
  }
  const message = `"${root}" held a record when this machine last saw it, and its config.yaml names no owner now`;
  return refuse('repository', message, {
    next: `Restore config.yaml and ledger/ from history ("git log -- config.yaml"); if you took the record back on purpose, remove its lines from "${file}"`,
    details: { fault: 'was_a_record' },
  });
}

export function pinFile(environment: Environment): string {
  return join(environment.configDir, 'pins');
}

/**
 * A clone of an adopted repository does not bring along what excludes `.waymark/`. Done before the folder is there, as
 * jj takes in what nothing excludes.
 */
async function keepStateApart(root: string): Promise<Outcome<null>> {
  if (existsSync(join(root, STATE_FOLDER))) return ok(null);
  const commonDir = join(root, '.git');
  const isPlain = statSync(commonDir, { throwIfNoEntry: false })?.isDirectory() === true;
  // A linked worktree has a file there, which git understands.
  const location = isPlain ? ok({ commonDir }) : await locateRepository(root);
  if (!location.ok) return location;
  try {
    await excludeStateFolder(location.value);
    return ok(null);
  } catch (error) {
    return storageRefusal(error);
  }
}

function openRepository(options: ConstructorParameters<typeof Repository>[0]): Outcome<Repository> {
  try {
    return ok(new Repository(options));
  } catch (error) {
    return storageRefusal(error);
  }
}
