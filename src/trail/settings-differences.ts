/**
 * Governed files that are not what is in force, from the index alone: what `verify` finds and `status` names. Nothing
 * here changes what counts.
 */
import { isDeepStrictEqual } from 'node:util';
import { checkGovernedFile, parseScopeSettings } from '../config/index.ts';
import { governedPath, isOfTombstones, scopeOfSettings } from '../record/paths.ts';
import type { Index } from '../store/index/index.ts';
import { isKeysView, KEYS_FILE } from '../store/keys-view.ts';
import { type SettingsIndex, type SettingsReader, settingsReader } from './settings.ts';

export interface SettingNotice {
  readonly path: string;
  /**
   * - `changed`, `removed`: the committed file is not the signed version, which stays in force.
   * - `unsigned`: no operator signed any version, so nothing of it is in force.
   * - `lost`: the signed version is nowhere in history; the strictest settings are in force.
   * - `malformed`: the signed version cannot be read; the strictest settings are in force.
   *
   * Of this machine, for `status` only:
   * - `edited`: the working file differs from the committed one.
   * - `ignored`: a key that the machine decides alone.
   * - `remote`, `branch`: config.yaml says otherwise than git, or than this machine first saw.
   * - `machine`: a file of the machine that cannot be used.
   * - `untrusted`, `not_run`: an accepted hook that this machine does not trust, or does; none runs in this version.
   */
  readonly state:
    | 'changed'
    | 'removed'
    | 'unsigned'
    | 'lost'
    | 'malformed'
    | 'edited'
    | 'ignored'
    | 'remote'
    | 'branch'
    | 'machine'
    | 'untrusted'
    | 'not_run';
  readonly message: string;
  readonly next: string;
}

/** What is asked of an index. */
export type DifferencesIndex = SettingsIndex &
  Pick<Index, 'setting' | 'settings' | 'keys' | 'revocations' | 'voidedKeys' | 'governedPaths'>;

/** By path. */
export function settingsDifferences(index: DifferencesIndex): readonly SettingNotice[] {
  const committed = index.settings('').flatMap(({ path }) => (governedPath(path) ? [path] : []));
  const paths = [...new Set([...committed, ...index.governedPaths(), KEYS_FILE])].sort();
  const reader = settingsReader(index);
  return paths.flatMap((path) => differenceOf(index, path, reader) ?? []);
}

function differenceOf(index: DifferencesIndex, path: string, reader: SettingsReader): SettingNotice | null {
  const bytes = index.setting(path);
  if (path === KEYS_FILE) return keysDifference(index, bytes);
  const setting = index.governed(path);
  if (setting === null || (setting.state === 'changed' && setting.bytes === null)) {
    return bytes === null || saysWhatIsInherited(reader, { path, bytes }) ? null : notice(path, 'unsigned');
  }
  if (setting.state !== 'signed') return notice(path, setting.state === 'unresolved' ? 'lost' : setting.state);
  if (setting.bytes === null || checkGovernedFile(path, setting.bytes).ok) return null;
  return notice(path, 'malformed');
}

/** A scope's first save writes its settings file; it says nothing new as long as it repeats what is in force anyway. */
function saysWhatIsInherited(
  reader: SettingsReader,
  file: { readonly path: string; readonly bytes: Uint8Array },
): boolean {
  const scope = scopeOfSettings(file.path);
  const parsed = scope === null ? null : parseScopeSettings(file.bytes);
  if (scope === null || parsed === null || !parsed.ok) return false;
  return isDeepStrictEqual(reader.ofWith(scope, parsed.value), reader.ofWith(scope, null));
}

function keysDifference(index: DifferencesIndex, bytes: Uint8Array | null): SettingNotice | null {
  const keys = index.keys();
  if (bytes === null) return keys.length === 0 ? null : notice(KEYS_FILE, 'removed');
  const shown = { keys, revocations: index.revocations(), voided: () => index.voidedKeys() };
  return isKeysView(bytes, shown) ? null : notice(KEYS_FILE, 'changed');
}

const MESSAGES = {
  changed: 'The file is not the version an operator signed last, which stays in force',
  removed: 'The file is gone; the version an operator signed last stays in force',
  unsigned: 'No operator signed this file: nothing of it is in force',
  lost: 'The version an operator signed last is not in history: the strictest settings are in force',
  malformed: 'The version in force cannot be read: the strictest settings are in force',
} as const;

const UNREADABLE_TOMBSTONE =
  'The version in force cannot be read: every new text of the scope waits for a person, and no model may approve it';

function notice(path: string, state: keyof typeof MESSAGES): SettingNotice {
  if (path === KEYS_FILE) {
    return {
      path,
      state,
      message: 'The file is not what the enrolment events say; they count, and nothing reads it',
      next: `Run "waymark accept ${path}" to write it again; a key counts through "waymark key enrol" only`,
    };
  }
  if (isOfTombstones(path)) {
    return {
      path,
      state,
      message: state === 'lost' || state === 'malformed' ? UNREADABLE_TOMBSTONE : MESSAGES[state],
      next:
        state === 'unsigned'
          ? 'Remove the file: a tombstone comes from a rejection'
          : `Bring the signed version back ("git log -- ${path}"); only "waymark lift" ends a tombstone`,
    };
  }
  const next =
    state === 'malformed'
      ? `Correct the file, then run "waymark accept ${path}"`
      : `Run "waymark accept ${path}" to put it in force as it is, or bring the earlier version back`;
  return { path, state, message: MESSAGES[state], next };
}
