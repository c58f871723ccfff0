/** Settings in force for a scope: read from the branch, parents included; a child can only be stricter. */
import { effectiveScopeSettings, parseScopeSettings, type ScopeSettings } from '../config/index.ts';
import { scopeSettingsPath } from '../record/paths.ts';
import { ancestors } from '../record/scope.ts';
import type { Index } from '../store/index/index.ts';
import type { Problem } from '../store/index/types.ts';

const STRICTEST: ScopeSettings = { ...effectiveScopeSettings([]), separation: 'required' };

export function scopeSettings(index: Index, scope: string): ScopeSettings {
  const chain = [scope, ...ancestors(scope)].flatMap((name) => {
    const bytes = index.setting(scopeSettingsPath(name));
    if (bytes === null) return [];
    const parsed = parseScopeSettings(bytes);
    // Settings that cannot be read fail closed; `status` and `verify` name the file.
    return parsed.ok ? [parsed.value] : [STRICTEST];
  });
  return effectiveScopeSettings(chain);
}

/** Settings files that cannot be read, by path. */
export function settingsProblems(index: Index): readonly Problem[] {
  return index.settings('trails/').flatMap(({ path, bytes }) => {
    const parsed = parseScopeSettings(bytes);
    return parsed.ok ? [] : [{ path, line: 1, code: 'settings_malformed', message: parsed.message }];
  });
}
