/** `.fava-trails.yaml` of a scope: FAVA's TrailConfig (fava.md 1.6) and our `separation`. */
import { z } from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { SOURCE_TYPES, type SourceType } from '../record/thought.ts';
import { parseSettings, renderSettings } from './yaml-settings.ts';

const FILE = '.fava-trails.yaml';

/** What FAVA writes for a scope without settings; it also reads this policy as "none chosen here". */
export const UNSET_POLICY = 'llm-oneshot';
const DEFAULTS = {
  default_namespace: 'drafts',
  trust_gate_policy: UNSET_POLICY,
  gc_interval_snapshots: 500,
  gc_interval_seconds: 3600,
  stale_draft_days: 0,
  hooks: [],
} as const;

const required = z.literal('required', { error: 'expected "required", or no such key' });
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
  separation: required.optional(),
  /** A person's approval through an agent's tool must be confirmed by the person (elicitation), or be made elsewhere. */
  confirm: required.optional(),
  /** Whose signature a decision needs: the person's own key, or also that of a service that knows them by a credential. */
  decisions: z.enum(['signed', 'attested']).optional(),
  /** Distinct people who must approve under the policy `quorum`. */
  quorum: z.int().min(2).max(9).optional(),
  /** Policies by source type; the others follow `trust_gate_policy`. */
  trust_gate_tiers: z.partialRecord(z.enum(SOURCE_TYPES), z.string()).readonly().optional(),
  /** Agents may ask what the record knew at an earlier time. */
  known_at: z.enum(['open', 'closed']).optional(),
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
 * counts, but a child can only be stricter: `separation`, `confirm`, a closed `known_at`, signed
 * `decisions`, the largest quorum and the strictest policy above stay in force.
 */
export function effectiveScopeSettings(chain: readonly ScopeSettings[]): ScopeSettings {
  let merged: ScopeSettings = DEFAULTS;
  for (const own of [...chain].reverse()) merged = { ...merged, ...own };
  // A name belongs to one file and is not handed down. `separation` and `confirm` have one value only, so no child can
  // take them back.
  const { name, ...settings } = merged;
  const known = chain.flatMap((own) => own.known_at ?? []);
  const quorum = Math.max(0, ...chain.map((own) => own.quorum ?? 0));
  const tiers = SOURCE_TYPES.map((type) => [type, strictestPolicy(chain.map((own) => chosenBy(own, type)))] as const);
  const trust_gate_policy = strictestPolicy(chain.map((own) => own.trust_gate_policy ?? UNSET_POLICY));
  const differing = tiers.filter(([, policy]) => policy !== trust_gate_policy);
  return {
    ...settings,
    trust_gate_policy,
    ...(quorum === 0 ? {} : { quorum }),
    ...(chain.some(({ decisions }) => decisions === 'signed') ? { decisions: 'signed' as const } : {}),
    ...(known.includes('closed') ? { known_at: 'closed' as const } : {}),
    ...('trust_gate_tiers' in settings ? { trust_gate_tiers: Object.fromEntries(differing) } : {}),
  };
}

/** The policy in force for thoughts of a source type; {@link UNSET_POLICY} is FAVA's "none chosen here". */
export function policyFor(settings: ScopeSettings, type: SourceType): string {
  return settings.trust_gate_tiers?.[type] ?? settings.trust_gate_policy ?? UNSET_POLICY;
}

/** What one file chooses for a source type; a tier of its own may be laxer than its policy, never than one above. */
function chosenBy(own: ScopeSettings, type: SourceType): string {
  return own.trust_gate_tiers?.[type] ?? own.trust_gate_policy ?? UNSET_POLICY;
}

/** The one by which a person has the most say, of equally strict ones the first; of none {@link UNSET_POLICY}. */
export function strictestPolicy(chain: readonly string[]): string {
  return chain.reduce((best, policy) => (strictness(policy) > strictness(best) ? policy : best), UNSET_POLICY);
}

/** How much a person has a say. What no version knows is a person's. */
function strictness(policy: string): number {
  switch (policy) {
    case UNSET_POLICY:
      return 0;
    case 'decisions':
      return 1;
    case 'llm-then-human':
      return 2;
    case 'quorum':
      return 4;
    default:
      return 3;
  }
}
