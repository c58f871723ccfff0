/** Makes a data repository: git, owner key, first event, settings, in one first commit. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, type EnvironmentVariables, renderRepositoryConfig } from '../config/index.ts';
import { openKeyStore, replacePin, repositoryIdOf } from '../ledger/index.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { initGitRepository } from '../store/git/index.ts';
import { acceptedJj, findJj, initJujutsuRepository } from '../store/jj/index.ts';
import type { VersionStore } from '../store/version-store.ts';
import { writeFirstEvent } from './first-event.ts';
import { CONFIG_FILE, DEFAULT_BRANCH, readRecord } from './locate.ts';
import { type OpenOptions, openUnpinned, pinFile } from './open.ts';
import { personName } from './person-name.ts';
import { makeRecoveryFile, recoveryFileBesideOwner } from './recovery-key.ts';

export interface InitResult {
  readonly root: string;
  /** `false` when there was a record already; nothing was changed then. */
  readonly created: boolean;
  readonly repository_id: string;
  readonly branch: string;
  /** What keeps its history; plain git can become a Jujutsu repository later. */
  readonly store: VersionStore['kind'];
  /** Why it is plain git although there is a `jj`. */
  readonly notice?: string;
  /** File of the recovery key, when it was made. */
  readonly recovery_key?: string;
}

export interface InitOptions extends Omit<OpenOptions, 'environment'> {
  readonly environment: Environment;
  /** Absolute file for the recovery key. @default one beside the owner key, to be moved away */
  readonly recovery?: string;
}

/** Idempotent: on an existing record nothing changes. Asks nothing, enrols no operator, needs no git identity. */
export async function init(path: string, options: InitOptions): Promise<Outcome<InitResult>> {
  const existing = existsSync(path) ? readRecord(path) : null;
  if (existing !== null) {
    if (!existing.ok) return existing;
    const { waymark } = existing.value;
    const branch = waymark.branch ?? DEFAULT_BRANCH;
    const store = existsSync(join(path, '.jj')) ? 'jujutsu' : 'git';
    return ok({ root: realpathSync(path), created: false, repository_id: waymark.id, branch, store });
  }
  const folder = prepareFolder(path);
  if (!folder.ok) return folder;
  const root = folder.value;
  const branch = DEFAULT_BRANCH;
  const made = await makeRepository(root, { branch, variables: options.env });
  if (!made.ok) return made;
  const keys = openKeyStore({ dir: join(options.environment.configDir, 'keys') });
  const key = keys.create({ kind: 'owner' });
  const signer = keys.signerOf(key);
  if (signer === null) throw new Error('A new key is locked');
  const waymark = { layout: 1 as const, id: repositoryIdOf(key.publicKey), owner: key.publicKey, branch };
  const config = { trails_dir: 'trails' as const, push_strategy: 'manual', waymark, unknownKeys: [] };
  const files = new Map([
    [CONFIG_FILE, renderRepositoryConfig(config)],
    // Bytes stay bytes: digests are about them, and autocrlf would change them.
    ['.gitattributes', '* -text\n'],
    ['.gitignore', '.jj/\n.waymark/\n'],
    ['trails/.gitkeep', ''],
  ]);
  const opened = await openUnpinned({ root, config, waymark }, options);
  if (!opened.ok) return opened;
  const { repository } = opened.value;
  const at = repository.store.checkedOut();
  const file = options.recovery ?? recoveryFileBesideOwner(options.environment, waymark.id);
  try {
    if (at !== branch) {
      return refuse('wrong_branch', `"${root}" is a git repository on branch "${at ?? '(detached)'}"`, {
        next: `Run "git switch -c ${branch}" there, or make the record in an empty folder`,
      });
    }
    const recovery = makeRecoveryFile(file, { repository: waymark.id });
    if (!recovery.ok) return recovery;
    const written = await writeFirstEvent(repository, {
      signer,
      recovery: recovery.value,
      ...(await personName(repository)),
      message: 'Initialise the record',
      files: [...files].map(([file, text]) => ({ path: file, before: null, after: Buffer.from(text) })),
    });
    if (!written.ok) return written;
  } finally {
    await repository.close();
  }
  replacePin({ file: pinFile(options.environment), root }, waymark);
  return ok({ root, created: true, repository_id: waymark.id, branch, ...made.value, recovery_key: file });
}

/** Colocated when a `jj` we know is on PATH; a git repository that somebody has already stays as it is. */
async function makeRepository(
  root: string,
  { branch, variables }: { readonly branch: string; readonly variables: EnvironmentVariables },
): Promise<Outcome<Pick<InitResult, 'store' | 'notice'>>> {
  const isTaken = existsSync(join(root, '.git'));
  const jj = isTaken || (await findJj(variables)) === null ? null : await acceptedJj(variables, root);
  const store = existsSync(join(root, '.jj')) || jj?.ok ? 'jujutsu' : 'git';
  const make = store === 'git' ? initGitRepository : initJujutsuRepository;
  const made = await make({ root, branch, variables });
  if (!made.ok) return made;
  return ok({ store, ...(jj?.ok === false ? { notice: `${jj.message}, so this is plain git` } : {}) });
}

/** Files of the first commit; a folder that has any of them is somebody's project. */
const OWN_FILES = [CONFIG_FILE, '.gitattributes', '.gitignore', 'trails'];

function prepareFolder(path: string): Outcome<string> {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    const message = `Folder "${path}" cannot be made: ${error instanceof Error ? error.message : String(error)}`;
    return refuse('storage', message, { next: 'Choose another path, or make way there' });
  }
  const taken = OWN_FILES.find((name) => existsSync(join(path, name)));
  if (taken === undefined) return ok(realpathSync(path));
  return refuse('invalid', `Folder "${path}" holds "${taken}" already, which a record would overwrite`, {
    field: 'path',
    next: 'Name an empty folder, for example "waymark init data"',
  });
}
