/** Who judges a proposal: the strictest of what this machine, the repository and its scopes choose. */
import {
  type ProviderSettings,
  policyFor,
  providerSettings,
  type RepositoryConfig,
  strictestPolicy,
} from '../../config/index.ts';
import { quote } from '../../record/quote.ts';
import type { ConfiguredModel } from '../../review/egress.ts';
import type { Place } from '../places.ts';
import { configInForce, type SettingsIndex, type SettingsReader, settingsReader } from '../settings.ts';
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

/** The settings in force, read once. Use it at once: it does not follow the index. */
export interface PolicyReader {
  /** The strictest policy of all places, of the record and of the machine, by its name; of no place what holds everywhere. */
  chosen(at: readonly Partial<Place>[]): string;
  /** As {@link chosen}, and whether it can be followed here. */
  of(at: readonly Partial<Place>[]): GatePolicy;
}

/**
 * Settings as an operator signed them last. A machine may be stricter than the record and a scope stricter than both,
 * never laxer. Where a policy needs a model and this machine has none, people decide here.
 *
 * @param gate `undefined` where no machine takes part.
 */
export function policyReader(index: SettingsIndex, gate: MachineModel | undefined): PolicyReader {
  const scopes = settingsReader(index);
  const machine = machineChoice(configInForce(index), gate);
  const chosen = (at: readonly Partial<Place>[]) =>
    strictestPolicy([...at.map((place) => chosenIn(scopes, place)), machine.settings.policy]);
  return { chosen, of: (at) => follow(chosen(at), machine) };
}

/** Of the record as a whole, by settings that were read already; `null` when nothing readable is in force. */
export function policyOfRecord(config: RepositoryConfig | null, gate: MachineModel): GatePolicy {
  const machine = machineChoice(config, gate);
  return follow(machine.settings.policy, machine);
}

interface MachineChoice {
  readonly gate: MachineModel | undefined;
  readonly settings: ProviderSettings;
  /** The machine's own settings cannot be read. */
  readonly isUnusable: boolean;
}

function machineChoice(config: RepositoryConfig | null, gate: MachineModel | undefined): MachineChoice {
  const machines = gate?.configs() ?? null;
  const settings = providerSettings(machines?.ok === true ? machines.value : NO_MACHINE, config);
  return { gate, settings, isUnusable: machines?.ok === false };
}

function follow(policy: string, { gate, settings, isUnusable }: MachineChoice): GatePolicy {
  if (policy === 'human' || policy === 'quorum') return { policy };
  if (!isModelPolicy(policy)) return fault(`Policy ${quote(policy)} is none of this version`, 'Correct it');
  if (isUnusable) return fault('The settings of this machine cannot be used', 'Run "waymark doctor" there');
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
const NONE_CHOSEN = strictestPolicy([]);
const NO_MACHINE = { fava: {}, waymark: {} } as const;

function chosenIn(scopes: SettingsReader, { scope, source_type }: Partial<Place>): string {
  if (scope === undefined) return NONE_CHOSEN;
  const settings = scopes.of(scope);
  return source_type === undefined ? (settings.trust_gate_policy ?? NONE_CHOSEN) : policyFor(settings, source_type);
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
