/**
 * `waymark doctor`: what is wrong with this machine and this record, with the cause and what mends it.
 *
 * It owns the checks, each a pure function of facts that were read before. It never writes: opening a record the usual
 * way would pin it, build its index and finish its leftovers, and so hide what it should name.
 */
import { checkBranch } from './branch.ts';
import { checkClock } from './clock.ts';
import { checkDisk } from './disk.ts';
import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { checkGate } from './gate.ts';
import { type DoctorOptions, gatherFacts } from './gather.ts';
import { checkIndex } from './index-state.ts';
import { checkKeys } from './keys.ts';
import { checkLeftovers } from './leftovers.ts';
import { checkLog } from './log.ts';
import { checkMachine } from './machine.ts';
import { checkPermissions } from './permissions.ts';
import { checkRepository } from './repository.ts';
import { checkServing } from './serving.ts';
import { checkContent, checkSettings } from './settings.ts';

export type { Facts } from './facts.ts';
export type { Finding } from './finding.ts';
export type { DoctorOptions } from './gather.ts';

const CHECKS: readonly ((facts: Facts) => readonly Finding[])[] = [
  checkMachine,
  checkRepository,
  checkBranch,
  checkIndex,
  checkLog,
  checkContent,
  checkKeys,
  checkSettings,
  checkGate,
  checkServing,
  checkPermissions,
  checkClock,
  checkLeftovers,
  checkDisk,
];

export interface DoctorReport {
  /** Nothing fails; warnings there may be. */
  readonly ok: boolean;
  /** A record was found. */
  readonly found: boolean;
  readonly findings: readonly Finding[];
}

export async function doctor(options: DoctorOptions): Promise<DoctorReport> {
  const facts = await gatherFacts(options);
  const findings = examine(facts);
  return { ok: findings.every(({ mark }) => mark !== 'fail'), found: facts.record !== null, findings };
}

/** Every check, in a fixed order. */
export function examine(facts: Facts): readonly Finding[] {
  return CHECKS.flatMap((check) => check(facts));
}
