/** Who judges a proposal: the strictest of what this machine, the repository and its scopes choose. */
import { type ProviderSettings, policyFor, providerSettings, strictestPolicy } from '../../config/index.ts';
import { quote } from '../../record/quote.ts';
import type { SourceType } from '../../record/thought.ts';
import type { ConfiguredModel } from '../../review/egress.ts';
import { configInForce, type SettingsIndex, scopeSettings } from '../settings.ts';
import type { MachineModel } from './machine.ts';

/** The model decides alone, or, under `llm-then-human`, advises a person. */
export type ModelPolicy = 'llm-oneshot' | 'decisions' | 'llm-then-human';

export type GatePolicy =
  | {
      /** `quorum`: several people. */
      readonly policy: 'human' | 'quorum';
      /** Why people decide although a model was chosen, and what would change that. */
      readonly why?: string;
      readonly next?: string;
    }
  | { readonly policy: ModelPolicy; readonly model: ConfiguredModel; readonly settings: ProviderSettings };

export interface PolicyQuestion {
  /** Absent: of the record as a whole, where no scope says more. */
  readonly scope?: string;
  readonly source_type?: SourceType;
  /** `undefined` where no machine takes part. */
  readonly gate: MachineModel | undefined;
}

/**
 * Settings as an operator signed them last. A machine may be stricter than the record and a scope stricter than both,
 * never laxer. Where a policy needs a model and this machine has none, people decide here.
 */
export function gatePolicy(index: SettingsIndex, { gate, ...at }: PolicyQuestion): GatePolicy {
  const machines = gate?.configs() ?? null;
  const isUsable = machines?.ok !== false;
  const settings = providerSettings(machines?.ok === true ? machines.value : NO_MACHINE, configInForce(index));
  const policy = strictestPolicy([chosenIn(index, at), settings.policy]);
  if (policy === 'human' || policy === 'quorum') return { policy };
  if (!isModelPolicy(policy)) return people(`Policy ${quote(policy)} is none of this version`);
  if (!isUsable) return people('The settings of this machine cannot be used', 'Run "waymark doctor" there');
  const model = gate?.model(settings) ?? null;
  if (model === null) return people('No model is asked from here');
  if (!model.ok) return people(model.message, model.next);
  const fault = policy === 'decisions' ? decisionsFault(settings, model.value) : null;
  return fault ?? { policy, model: model.value, settings };
}

const NO_MACHINE = { fava: {}, waymark: {} } as const;

function chosenIn(index: SettingsIndex, at: Omit<PolicyQuestion, 'gate'>): string {
  if (at.scope === undefined) return strictestPolicy([]);
  const settings = scopeSettings(index, at.scope);
  if (at.source_type !== undefined) return policyFor(settings, at.source_type);
  return settings.trust_gate_policy ?? strictestPolicy([]);
}

function isModelPolicy(policy: string): policy is ModelPolicy {
  return policy === 'llm-oneshot' || policy === 'decisions' || policy === 'llm-then-human';
}

function people(why: string, next?: string): GatePolicy {
  return { policy: 'human', why, ...(next === undefined ? {} : { next }) };
}

function decisionsFault({ decisions }: ProviderSettings, model: ConfiguredModel): GatePolicy | null {
  if (decisions.question === null) {
    const next = 'Set "trust_gate_noul_question" below "trust_gate_decisions_config"';
    return people('Policy "decisions" has no question to ask', next);
  }
  if (model.decisions !== null) return null;
  return people(`Provider ${quote(model.provider)} takes no decisions`, 'Set "trust_gate_api_base"');
}
