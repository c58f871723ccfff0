/** Who judges proposals here, and what leaves for it, for a person who looks. Nothing is asked to find out. */
import type { RepositoryConfig } from '../../config/index.ts';
import { type Egress, modelEgress, noEgress } from '../../review/egress.ts';
import type { Index } from '../../store/index/index.ts';
import type { MachineModel } from './machine.ts';
import { type GatePolicy, policyOfRecord, policyReader } from './policy.ts';

export type { Egress };

export interface GateOverview {
  readonly policy: string;
  /** Why people decide although a model was chosen, or could be. */
  readonly why?: string;
  readonly next?: string;
  /** A model was chosen and cannot be asked. */
  readonly isFault: boolean;
  readonly egress: Egress;
  /** Scopes where another policy is in force, at most 100. */
  readonly scopes: readonly { readonly scope: string; readonly policy: string }[];
}

const LISTED = 100;

export function gateOverview(index: Pick<Index, 'governed' | 'scopes'>, gate: MachineModel): GateOverview {
  const policies = policyReader(index, gate);
  const overall = policies.of([]);
  const scopes = index
    .scopes()
    .map(({ scope }) => ({ scope, policy: policies.of([{ scope }]).policy }))
    .filter(({ policy }) => policy !== overall.policy);
  return { ...shown(overall), scopes: scopes.slice(0, LISTED) };
}

/** What a server says when it starts, before it opens the record: by the settings file as it lies there. */
export function egressAtStart(config: RepositoryConfig, gate: MachineModel): Egress {
  return shown(policyOfRecord(config, gate)).egress;
}

function shown(gate: GatePolicy): Omit<GateOverview, 'scopes'> {
  const { policy } = gate;
  if ('model' in gate) return { policy, isFault: false, egress: modelEgress(policy, gate.model) };
  const { why, next, isFault = false } = gate;
  return {
    policy,
    ...(why === undefined ? {} : { why }),
    ...(next === undefined ? {} : { next }),
    isFault,
    egress: noEgress(policy, why ?? 'people decide'),
  };
}
