/** The tombstones in force, for those who may lift them. */

import { type Outcome, ok } from '../../record/outcome.ts';
import type { Grounds } from '../../record/thought.ts';
import type { TrailContext } from '../context.ts';
import { checkOperator } from '../guard.ts';
import type { TombstoneNotice } from '../types.ts';
import { allTombstones, type TombstoneInForce } from './in-force.ts';

export interface ListedTombstone extends TombstoneNotice {
  /** `unreadable`: its file is lost or malformed, and every new text of its scope waits for a person. */
  readonly check: 'hmac' | 'scrypt' | 'unreadable';
  readonly thought_id?: string;
  readonly grounds?: Grounds;
  readonly by?: string;
}

export interface TombstonesResult {
  readonly status: 'ok';
  /** Oldest first. */
  readonly tombstones: readonly ListedTombstone[];
}

/** Operator only. */
export async function tombstones(context: TrailContext, _input: object): Promise<Outcome<TombstonesResult>> {
  const refusal = checkOperator('Listing tombstones', context.principal);
  if (refusal !== null) return refusal;
  const { value } = await context.repository.read(allTombstones);
  const listed = value.map(listedOf).sort((a, b) => (a.tombstone < b.tombstone ? -1 : 1));
  return ok({ status: 'ok', tombstones: listed });
}

function listedOf({ notice, read }: TombstoneInForce): ListedTombstone {
  if (read === null) return { ...notice, check: 'unreadable' };
  const { check, thought_id, by } = read.file;
  const grounds = read.file.check === 'hmac' ? read.file.grounds : undefined;
  return { ...notice, check, thought_id, by, ...(grounds === undefined ? {} : { grounds }) };
}
