/** This machine's part in judging proposals: its model, the key that signs what the model says, and who is told of it. */
import type { EnvironmentVariables, MachineConfigs, ProviderSettings } from '../../config/index.ts';
import type { Signer } from '../../ledger/types.ts';
import type { Outcome } from '../../record/outcome.ts';
import type { ConfiguredModel, Egress } from '../../review/egress.ts';
import { configuredModel, machineConfigs } from '../machine-settings.ts';
import type { OpenRecord } from '../open.ts';
import { reviewerSigner } from './reviewer.ts';

/** Read anew for each proposal: a person may configure a model, or change its key, while a server runs. */
export interface MachineModel {
  readonly configs: () => Outcome<MachineConfigs>;
  readonly model: (settings: ProviderSettings) => Outcome<ConfiguredModel>;
}

export interface MachineGate extends MachineModel {
  /** Makes and enrols the key on first use, where that is allowed. */
  readonly reviewer: () => Promise<Outcome<Signer>>;
  /** Says what is about to leave, the first time it does; before it does. */
  readonly announce: (egress: Egress) => void;
}

export function machineModelOf(environment: OpenRecord['environment'], variables: EnvironmentVariables): MachineModel {
  return {
    configs: () => machineConfigs(environment),
    model: (settings) => configuredModel(settings, variables),
  };
}

export interface MachineGateOptions {
  readonly variables: EnvironmentVariables;
  /** @default nobody is told; the answer says it all the same */
  readonly announce?: ((egress: Egress) => void) | undefined;
}

export function machineGate(record: OpenRecord, { variables, announce }: MachineGateOptions): MachineGate {
  const told = new Set<string>();
  return {
    ...machineModelOf(record.environment, variables),
    reviewer: () => reviewerSigner(record),
    announce: (egress) => {
      const facts = JSON.stringify(egress);
      if (!told.has(facts)) announce?.(egress);
      told.add(facts);
    },
  };
}
