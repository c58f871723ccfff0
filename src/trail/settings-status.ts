/** Everything about settings that a person should know: against the record, the working files, git and the machine. */
import { type Environment, ignoredProviderKeys, parseRepositoryConfig } from '../config/index.ts';
import { governedPath, isOfTombstones, scopeSettingsPath, tombstoneFolder } from '../record/paths.ts';
import { ancestors } from '../record/scope.ts';
import { blobIdOf } from '../store/blob-id.ts';
import type { Index } from '../store/index/index.ts';
import { KEYS_FILE } from '../store/keys-view.ts';
import { HOOKS_DIR, hookDigest, hookEntryDigests } from './hooks.ts';
import { CONFIG_FILE, DEFAULT_BRANCH } from './locate.ts';
import { machineConfigs, trustedHooks } from './machine-settings.ts';
import type { OpenRecord } from './open.ts';
import { configInForce } from './settings.ts';
import { type SettingNotice, settingsDifferences } from './settings-differences.ts';

/** By path. */
export async function settingsStatus(record: OpenRecord, index: Index): Promise<readonly SettingNotice[]> {
  const notices = [
    ...settingsDifferences(index),
    ...(await editedNotices(record, index)),
    ...ignoredNotices(index),
    ...branchNotice(record, index),
    ...(await remoteNotice(record, index)),
    ...machineNotice(record.environment),
    ...hookNotices(record.environment, index),
  ];
  return notices.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Bytes; of a longer committed file the index holds the start only, so nothing is said of the working one. */
const LONGEST = 1024 * 1024;

/** Looked for where settings lie: no walk through the whole working tree. */
async function editedNotices({ repository }: OpenRecord, index: Index): Promise<readonly SettingNotice[]> {
  // With another branch checked out its files are on disk.
  if (repository.store.checkedOut() !== repository.store.branch) return [];
  const committed = index.settings('').filter(({ path, bytes }) => governedPath(path) && bytes.length <= LONGEST);
  const blobs = new Map<string, string | null>(committed.map(({ path, bytes }) => [path, blobIdOf(bytes)]));
  const scopes = index.scopes().flatMap(({ scope }) => [scope, ...ancestors(scope)]);
  const usual = scopes.flatMap((scope) => [scopeSettingsPath(scope), `trails/${scope}/trust-gate-prompt.md`]);
  const folders = [HOOKS_DIR, ...new Set(scopes.map(tombstoneFolder))];
  const added = (await repository.uncommittedIn(folders)).filter(governedPath);
  for (const path of ['trails/trust-gate-prompt.md', ...usual, ...added]) {
    if (index.setting(path) === null) blobs.set(path, null);
  }
  const edited = await repository.editedFiles(blobs);
  return edited.map((path) => ({
    path,
    state: 'edited' as const,
    message: 'The working file is not the committed one; it changes nothing',
    next: isOfTombstones(path)
      ? `Undo the edit ("git checkout HEAD -- ${path}") or remove the file`
      : path === KEYS_FILE
        ? `Undo the edit ("git checkout HEAD -- ${path}"); a key counts through "waymark key enrol" only`
        : `Run "waymark accept ${path}" to put it in force, or undo the edit`,
  }));
}

function ignoredNotices(index: Index): readonly SettingNotice[] {
  const config = configInForce(index);
  const keys = config === null ? [] : ignoredProviderKeys(config);
  return keys.map((key) => ({
    path: CONFIG_FILE,
    state: 'ignored' as const,
    message: `"${key}" is ignored: addresses and credentials of a provider come from this machine only`,
    next: `Set "${key}" in waymark/config.yaml of your configuration folder, and remove it here`,
  }));
}

/** The committed file's branch against the one this machine first saw, which alone counts. */
function branchNotice({ repository }: OpenRecord, index: Index): readonly SettingNotice[] {
  const bytes = index.setting(CONFIG_FILE);
  const config = bytes === null ? null : parseRepositoryConfig(bytes);
  if (config === null || !config.ok || config.value.waymark === undefined) return [];
  const named = config.value.waymark.branch ?? DEFAULT_BRANCH;
  const { branch } = repository.store;
  if (named === branch) return [];
  return [
    {
      path: CONFIG_FILE,
      state: 'branch',
      message: `"waymark.branch" is "${named}", and on this machine the record is branch "${branch}"`,
      next: 'Correct it, or, if the branch was renamed on purpose, remove the record\'s lines from the file "pins" of your configuration folder',
    },
  ];
}

async function remoteNotice({ repository }: OpenRecord, index: Index): Promise<readonly SettingNotice[]> {
  const named = configInForce(index)?.remote_url;
  if (named === undefined || named === null || named === '') return [];
  if ((await repository.remoteUrls()).includes(named)) return [];
  return [
    {
      path: CONFIG_FILE,
      state: 'remote',
      // Neither address is shown: they may hold a password.
      message: '"remote_url" is not the address of any git remote here; it is compared only and never used',
      next: 'Compare it with "git remote -v", then correct whichever is wrong',
    },
  ];
}

function machineNotice(environment: Environment): readonly SettingNotice[] {
  const machines = machineConfigs(environment);
  if (machines.ok) return [];
  const { message, next } = machines;
  return [{ path: 'config.yaml of this machine', state: 'machine', message, next }];
}

function hookNotices(environment: Environment, index: Index): readonly SettingNotice[] {
  const trusted = trustedHooks(environment);
  const files = index.governedPaths().flatMap((path) => {
    const setting = index.governed(path);
    if (!path.startsWith(HOOKS_DIR) || setting?.state !== 'signed' || setting.bytes === null) return [];
    return [{ path, isTrusted: trusted.has(hookDigest(setting.bytes)) }];
  });
  const config = configInForce(index);
  const entries = config === null ? [] : hookEntryDigests(config);
  const named = entries.map((digest) => ({ path: CONFIG_FILE, isTrusted: trusted.has(digest) }));
  return [...files, ...named].map(({ path, isTrusted }) => ({
    path,
    state: isTrusted ? ('not_run' as const) : ('untrusted' as const),
    message: `A hook${isTrusted ? '' : ', not trusted on this machine'}: not run by this version`,
    next: isTrusted ? 'Nothing to do' : `Run "waymark accept ${path}" here once you have read it`,
  }));
}
