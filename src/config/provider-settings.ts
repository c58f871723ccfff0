/** Which model reviews proposals and how it is reached, from the machine's settings and the repository's in force. */
import type { MachineConfig } from './machine-config.ts';
import { type ModelService, modelServiceOf } from './model-providers.ts';
import { MACHINE_ONLY_KEYS, type RepositoryConfig } from './repository-config.ts';
import { strictestPolicy } from './scope-settings.ts';

export interface ProviderSettings {
  /** The stricter of the machine's and the repository's; `llm-oneshot` is also "none chosen", as in FAVA. */
  readonly policy: string;
  readonly provider: string;
  /** Machine only; whose form of a decision is asked (fava.md 4). */
  readonly speaks: 'openai' | 'openrouter';
  readonly model: string;
  /** 0 is no limit. */
  readonly timeoutSeconds: number;
  readonly decisions: { readonly question: string | null; readonly threshold: number };
  /** Machine only; `null` is none. */
  readonly apiBase: string | null;
  /** The public service that the machine names, by a provider or a key and no address; `null` when it names none. */
  readonly service: ModelService | null;
  /** Machine only; name of the variable that holds the key. */
  readonly apiKeyEnv: string;
  /** The machine says where the key is. */
  readonly isKeyNamed: boolean;
  /** Machine only; wins over the variable. */
  readonly apiKeyFile: string | null;
  /** Machine only; merged into each request. */
  readonly extraBody: Readonly<Record<string, unknown>>;
}

/** Our file wins over FAVA's, key by key. */
export interface MachineConfigs {
  readonly fava: MachineConfig;
  readonly waymark: MachineConfig;
}

/**
 * Machine, else repository, else FAVA's defaults. A repository chooses who reviews and what is asked; where requests and
 * keys go is the machine's alone, since whoever may commit could else have the key sent to them.
 *
 * @param repository In force, `null` when there is none or it is lost; then people decide.
 */
export function providerSettings(machines: MachineConfigs, repository: RepositoryConfig | null): ProviderSettings {
  const machine: MachineConfig = { ...machines.fava, ...machines.waymark };
  const shared: MachineConfig = repository ?? { trust_gate: 'human' };
  const decisions = machine.trust_gate_decisions_config ?? shared.trust_gate_decisions_config;
  const service = serviceOf(machine);
  const apiKeyEnv = machine.trust_gate_api_key_env ?? machine.openrouter_api_key_env;
  return {
    policy: strictestPolicy([machine.trust_gate, shared.trust_gate].filter((policy) => policy !== undefined)),
    provider: machine.trust_gate_provider ?? shared.trust_gate_provider ?? 'openrouter',
    speaks: machine.trust_gate_provider === 'openai' ? 'openai' : 'openrouter',
    model: machine.trust_gate_model ?? shared.trust_gate_model ?? 'google/gemini-2.5-flash',
    timeoutSeconds: machine.trust_gate_timeout_secs ?? shared.trust_gate_timeout_secs ?? 120,
    decisions: {
      question: decisions?.trust_gate_noul_question ?? null,
      threshold: decisions?.trust_gate_noul_threshold ?? 0.5,
    },
    apiBase: machine.trust_gate_api_base ?? null,
    service,
    apiKeyEnv: apiKeyEnv ?? service?.keyEnv ?? 'OPENROUTER_API_KEY',
    isKeyNamed: isSet(apiKeyEnv) || isSet(machine.trust_gate_api_key_file),
    apiKeyFile: machine.trust_gate_api_key_file ?? null,
    extraBody: machine.trust_gate_extra_body ?? {},
  };
}

/**
 * A key that merely lies in a usual variable configures nothing: some other program put it there. And the repository's
 * provider is not asked, since the machine's key would go to it.
 */
function serviceOf(machine: MachineConfig): ModelService | null {
  const named = [
    machine.trust_gate_provider,
    machine.trust_gate_api_key_env,
    machine.openrouter_api_key_env,
    machine.trust_gate_api_key_file,
  ];
  if (isSet(machine.trust_gate_api_base) || !named.some(isSet)) return null;
  return modelServiceOf(machine.trust_gate_provider ?? 'openrouter');
}

function isSet(value: string | null | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Keys of a repository's configuration that have a value and are the machine's alone. */
export function ignoredProviderKeys(repository: RepositoryConfig): readonly string[] {
  return MACHINE_ONLY_KEYS.filter((key) => repository[key] !== undefined && repository[key] !== null);
}
