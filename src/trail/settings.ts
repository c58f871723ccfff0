/**
 * Settings in force: the versions that an operator signed last, parents included; a child can only be stricter. What the
 * committed files say besides is for `settings-differences.ts` to name.
 */
import {
  effectiveScopeSettings,
  parseRepositoryConfig,
  parseScopeSettings,
  type RepositoryConfig,
  type ScopeSettings,
  scopeDefaults,
} from '../config/index.ts';
import { scopeSettingsPath } from '../record/paths.ts';
import { ancestors } from '../record/scope.ts';
import type { Index } from '../store/index/index.ts';
import { CONFIG_FILE } from './locate.ts';

/**
 * In the place of settings that are lost or cannot be read: fail closed. Nobody knows how many people they asked for, so
 * nobody approves either: {@link SettingsReader.unreadable}.
 */
const STRICTEST: ScopeSettings = {
  ...effectiveScopeSettings([]),
  separation: 'required',
  confirm: 'required',
  decisions: 'signed',
  known_at: 'closed',
  trust_gate_policy: 'human',
};

/** What is asked of an index. */
export type SettingsIndex = Pick<Index, 'governed'>;

/** `lost` when the signed version is not to be found; `null` when nobody signed one, or its absence. */
export function inForce(index: SettingsIndex, path: string): Uint8Array | 'lost' | null {
  const setting = index.governed(path);
  if (setting === null) return null;
  return setting.state === 'lost' ? 'lost' : setting.bytes;
}

/** `null` when nothing readable is in force. */
export function configInForce(index: SettingsIndex): RepositoryConfig | null {
  const bytes = inForce(index, CONFIG_FILE);
  if (bytes === null || bytes === 'lost') return null;
  const parsed = parseRepositoryConfig(bytes);
  return parsed.ok ? parsed.value : null;
}

export function scopeSettings(index: SettingsIndex, scope: string): ScopeSettings {
  return settingsReader(index).of(scope);
}

/** Settings of many scopes, each file parsed once. Use it at once: it does not follow the index. */
export interface SettingsReader {
  of(scope: string): ScopeSettings;
  /** What would be in force if the scope's own file said this, or, with `null`, if it had none. */
  ofWith(scope: string, own: ScopeSettings | null): ScopeSettings;
  /** Path of a file the scope follows whose version in force is lost or malformed; `null` when there is none. */
  unreadable(scope: string): string | null;
}

export function settingsReader(index: SettingsIndex): SettingsReader {
  const defaults = defaultsInForce(index);
  const files = new Map<string, ScopeSettings | null>();

  function ownOf(scope: string): ScopeSettings | null {
    const known = files.get(scope);
    if (known !== undefined) return known;
    const own = ownSettings(index, scope);
    files.set(scope, own);
    return own;
  }

  /** Nearest first: each scope's own file, then its entry in config.yaml. */
  function merge(scope: string, own: ScopeSettings | null): ScopeSettings {
    const chain = [scope, ...ancestors(scope)].flatMap((name) => {
      const file = name === scope ? own : ownOf(name);
      const fallback = defaults === 'unknown' ? STRICTEST : defaults.get(name);
      return [file, fallback].filter((settings) => settings !== null && settings !== undefined);
    });
    return effectiveScopeSettings(chain);
  }

  function unreadable(scope: string): string | null {
    if (defaults === 'unknown') return CONFIG_FILE;
    const name = [scope, ...ancestors(scope)].find((each) => ownOf(each) === STRICTEST);
    return name === undefined ? null : scopeSettingsPath(name);
  }

  return { of: (scope) => merge(scope, ownOf(scope)), ofWith: merge, unreadable };
}

function ownSettings(index: SettingsIndex, scope: string): ScopeSettings | null {
  const bytes = inForce(index, scopeSettingsPath(scope));
  if (bytes === null) return null;
  const parsed = bytes === 'lost' ? null : parseScopeSettings(bytes);
  return parsed?.ok === true ? parsed.value : STRICTEST;
}

function defaultsInForce(index: SettingsIndex): ReadonlyMap<string, ScopeSettings> | 'unknown' {
  if (inForce(index, CONFIG_FILE) === null) return new Map();
  const config = configInForce(index);
  const defaults = config === null ? null : scopeDefaults(config);
  return defaults?.ok === true ? defaults.value : 'unknown';
}
