/** Which model reviews proposals and how it is reached, from the machine's settings and the repository's in force. */
import type { MachineConfig } from './machine-config.ts';
import { MACHINE_ONLY_KEYS, type RepositoryConfig } from './repository-config.ts';

export interface ProviderSettings {
  /** `llm-oneshot`, `decisions` or `human`, as FAVA names them; other text is for the gate to refuse. */
  readonly policy: string;
  readonly provider: string;
  readonly model: string;
  /** 0 is no limit. */
  readonly timeoutSeconds: number;
  readonly decisions: { readonly question: string | null; readonly threshold: number };
  /** Machine only; `null` is the provider's own address. */
  readonly apiBase: string | null;
  /** Machine only; name of the variable that holds the key. */
  readonly apiKeyEnv: string;
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
  return {
    policy: machine.trust_gate ?? shared.trust_gate ?? 'llm-oneshot',
    provider: machine.trust_gate_provider ?? shared.trust_gate_provider ?? 'openrouter',
    model: machine.trust_gate_model ?? shared.trust_gate_model ?? 'google/gemini-2.5-flash',
    timeoutSeconds: machine.trust_gate_timeout_secs ?? shared.trust_gate_timeout_secs ?? 120,
    decisions: {
      question: decisions?.trust_gate_noul_question ?? null,
      threshold: decisions?.trust_gate_noul_threshold ?? 0.5,
    },
    apiBase: machine.trust_gate_api_base ?? null,
    apiKeyEnv: machine.trust_gate_api_key_env ?? machine.openrouter_api_key_env ?? 'OPENROUTER_API_KEY',
    apiKeyFile: machine.trust_gate_api_key_file ?? null,
    extraBody: machine.trust_gate_extra_body ?? {},
  };
}

/** Keys of a repository's configuration that have a value and are the machine's alone. */
export function ignoredProviderKeys(repository: RepositoryConfig): readonly string[] {
  return MACHINE_ONLY_KEYS.filter((key) => repository[key] !== undefined && repository[key] !== null);
}
