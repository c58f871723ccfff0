/** Who judges a proposal: the strictest of what this machine, the repository and its scopes choose. */
import {
  type ProviderSettings,
  policyFor,
  providerSettings,
  type RepositoryConfig,
  strictestPolicy,
} from '../../config/index.ts';
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
      /** Somebody chose a model here, and it cannot be asked. */
      readonly isFault?: true;
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
  return policyAmong({ chosen: chosenIn(index, at), config: configInForce(index), gate });
}

export interface Choices {
  /** By the scopes. */
  readonly chosen: string;
  /** Of the repository; `null` when nothing readable is in force, and then people decide. */
  readonly config: RepositoryConfig | null;
  readonly gate: MachineModel | undefined;
}

/** As {@link gatePolicy}, of choices that were read already. */
export function policyAmong({ chosen, config, gate }: Choices): GatePolicy {
  const machines = gate?.configs() ?? null;
  const settings = providerSettings(machines?.ok === true ? machines.value : NO_MACHINE, config);
  const policy = strictestPolicy([chosen, settings.policy]);
  if (policy === 'human' || policy === 'quorum') return { policy };
  if (!isModelPolicy(policy)) return fault(`Policy ${quote(policy)} is none of this version`, 'Correct it');
  if (machines?.ok === false) return fault('The settings of this machine cannot be used', 'Run "waymark doctor" there');
  if (gate === undefined) return { policy: 'human', why: 'No model is asked from here' };
  const model = gate.model(settings);
  if (!model.ok) {
    const isUnasked = policy === NONE_CHOSEN && settings.apiBase === null && settings.service === null;
    const { message: why, next } = model;
    return isUnasked ? { policy: 'human', why, next } : fault(why, next);
  }
  const unfit = policy === 'decisions' ? decisionsFault(settings, model.value) : null;
  return unfit ?? { policy, model: model.value, settings };
}

/** What FAVA takes for no choice. */
export const NONE_CHOSEN = strictestPolicy([]);
const NO_MACHINE = { fava: {}, waymark: {} } as const;

function chosenIn(index: SettingsIndex, at: Omit<PolicyQuestion, 'gate'>): string {
  if (at.scope === undefined) return NONE_CHOSEN;
  const settings = scopeSettings(index, at.scope);
  if (at.source_type !== undefined) return policyFor(settings, at.source_type);
  return settings.trust_gate_policy ?? NONE_CHOSEN;
}

function isModelPolicy(policy: string): policy is ModelPolicy {
  return policy === 'llm-oneshot' || policy === 'decisions' || policy === 'llm-then-human';
}

function fault(why: string, next: string): GatePolicy {
  return { policy: 'human', why, next, isFault: true };
}

function decisionsFault({ decisions }: ProviderSettings, model: ConfiguredModel): GatePolicy | null {
  if (decisions.question === null) {
    const next = 'Set "trust_gate_noul_question" below "trust_gate_decisions_config"';
    return fault('Policy "decisions" has no question to ask', next);
  }
  if (model.decisions !== null) return null;
  return fault(`Provider ${quote(model.provider)} takes no decisions`, 'Set "trust_gate_api_base"');
}
