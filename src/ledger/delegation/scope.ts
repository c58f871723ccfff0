/** Whether a record keeps within what its certificate allows (atrib's specification 1.11). */
import { hashOf } from '../hash.ts';
import type { AtribRecord } from '../types.ts';
import type { DelegationScope } from './certificate.ts';

/** What a caller knows of a run's cost; records do not say it. */
export interface RunUsage {
  readonly modelTier: string;
  readonly tokensSpent: number;
}

export interface ScopeCheck {
  /** Nothing contradicts the scope. A signal: a record out of scope is as valid as before. */
  readonly in_scope: boolean;
  /** Every limit could be judged. */
  readonly fully_evaluated: boolean;
  /** Whether a narrower scope was handed on: certificates of one hop hand nothing on. */
  readonly attenuation_ok: null;
  readonly mismatches: readonly string[];
  readonly unverifiable: readonly string[];
}

/** `undefined`: cannot be judged. */
type Judgement = boolean | undefined;

export function checkScope(
  scope: DelegationScope,
  record: AtribRecord,
  options: { readonly usage?: RunUsage } = {},
): ScopeCheck {
  const { tool_names, event_types, cost_policy, ...others } = scope;
  const { model_tiers, max_tokens, ...costs } = cost_policy ?? {};
  const { usage } = options;
  const judged: readonly (readonly [string, Judgement])[] = [
    ['tool_names', tool_names === undefined ? true : isToolOf(tool_names, record['tool_name'])],
    ['event_types', event_types?.includes(record.event_type) ?? true],
    ...Object.keys(others).map((name) => [name, undefined] as const),
    ['cost_policy.model_tiers', model_tiers === undefined || (usage && model_tiers.includes(usage.modelTier))],
    ['cost_policy.max_tokens', max_tokens === undefined || (usage && usage.tokensSpent <= max_tokens)],
    ...Object.keys(costs).map((name) => [`cost_policy.${name}`, undefined] as const),
  ];
  const named = (as: Judgement) => judged.flatMap(([name, judgement]) => (judgement === as ? [name] : []));
  const mismatches = named(false);
  const unverifiable = named(undefined);
  return {
    in_scope: mismatches.length === 0,
    fully_evaluated: unverifiable.length === 0,
    attenuation_ok: null,
    mismatches,
    unverifiable,
  };
}

/** A record may name its tool as it is or by its hash, or not at all. */
function isToolOf(allowed: readonly string[], toolName: unknown): Judgement {
  if (typeof toolName !== 'string') return undefined;
  return allowed.some((name) => name === toolName || hashOf(Buffer.from(name, 'utf8')) === toolName);
}
