/** `.fava-trails.yaml` of a scope: FAVA's TrailConfig (fava.md 1.6) and our `separation`. */
import { z } from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { parseSettings, renderSettings } from './yaml-settings.ts';

const FILE = '.fava-trails.yaml';

/** What FAVA writes for a scope without settings; it also reads this policy as "none chosen here". */
const UNSET_POLICY = 'llm-oneshot';
const DEFAULTS = {
  default_namespace: 'drafts',
  trust_gate_policy: UNSET_POLICY,
  gc_interval_snapshots: 500,
  gc_interval_seconds: 3600,
  stale_draft_days: 0,
  hooks: [],
} as const;

const count = z.int().nonnegative().optional();

/** Also of an entry of `trails` in config.yaml. */
export const scopeSettingsSchema = z.looseObject({
  name: z.string().optional(),
  default_namespace: z.string().optional(),
  trust_gate_policy: z.string().optional(),
  gc_interval_snapshots: count,
  gc_interval_seconds: count,
  stale_draft_days: count,
  hooks: z
    .array(z.unknown())
    .max(0, 'hooks of a scope are not supported, expected an empty list')
    .readonly()
    .optional(),
  /** Nobody decides about an own thought. Only this value, so that a misspelt one cannot switch it off. */
  separation: z.literal('required', { error: 'expected "required", or no such key' }).optional(),
});

/** Every key this version knows. */
export const SCOPE_KEYS: readonly string[] = Object.keys(scopeSettingsSchema.shape);

/** Settings of one scope; absent keys are not set there. Unknown members are kept. */
export type ScopeSettings = z.infer<typeof scopeSettingsSchema>;

/** Code `repository` when the file is malformed, with the key in `field`. */
export function parseScopeSettings(bytes: Uint8Array): Outcome<ScopeSettings> {
  return parseSettings(bytes, { name: FILE, schema: scopeSettingsSchema });
}

/** The settings file of a new scope: everything its parent has in force, under its own name. */
export function renderScopeSettings(scope: string, inherited: ScopeSettings): string {
  const { name, ...rest } = { ...DEFAULTS, ...inherited };
  return renderSettings({ name: scope, ...rest });
}

/**
 * The settings in force in a scope, from its own file and those of its ancestors, nearest first. The nearest value
 * counts, but a child can only be stricter: `separation: required` and the policy `human` anywhere above stay in force.
 */
export function effectiveScopeSettings(chain: readonly ScopeSettings[]): ScopeSettings {
  let merged: ScopeSettings = DEFAULTS;
  for (const own of [...chain].reverse()) merged = { ...merged, ...own };
  // A name belongs to one file and is not handed down.
  const { name, ...settings } = merged;
  // `separation` has one value only, so no child can take it back.
  return { ...settings, trust_gate_policy: policyOf(chain) };
}

function policyOf(chain: readonly ScopeSettings[]): string {
  const chosen = chain.map((own) => own.trust_gate_policy ?? UNSET_POLICY);
  if (chosen.includes('human')) return 'human';
  return chosen.find((policy) => policy !== UNSET_POLICY) ?? UNSET_POLICY;
}
