/**
 * Looks up whether a text is a rejected value, or close to one.
 *
 * No threshold tells a correction from a restatement (`record/similarity.ts`), so what is near waits for a person, and
 * only what is equal is refused.
 */

import type { TombstoneNotice } from '../types.ts';
import {
  type KeyRing,
  keysInForce,
  type ReadTombstone,
  type TombstoneIndex,
  type TombstoneInForce,
  tombstonesOver,
} from './in-force.ts';
import { similarityTo } from './sketch.ts';
import { ConsultedValue } from './value.ts';

export interface ConsultedText {
  /** Tombstones of this scope and of those above it count. */
  readonly scope: string;
  readonly body: string;
  /** The body's digests as far as they are made. */
  readonly known?: ConsultedValue;
}

/** The slow digest of a value, which is made outside the lock; `null` when it is not there yet. */
export type SlowDigests = (salt: Uint8Array, value: string) => string | null;

export interface Consulted {
  readonly equal: TombstoneNotice | null;
  /** Without equal ones. */
  readonly near: readonly TombstoneNotice[];
}

/** As alike as this a text waits for a person, whatever differs. */
const ALIKE = 0.6;
/** With the same numbers and names, this is enough. */
const ALIKE_IN_FACTS = 0.3;

/** What keeps the text out, and what it comes close to. */
export function consult(index: TombstoneIndex, text: ConsultedText, slowDigests: SlowDigests): Consulted {
  const tombstones = tombstonesOver(index, text.scope);
  if (tombstones.length === 0) return { equal: null, near: [] };
  const ring = keysInForce(index);
  const value = text.known ?? new ConsultedValue(text.body);
  const near: TombstoneNotice[] = [];
  for (const { read, notice } of tombstones) {
    const key = read === null ? null : keyOf(read, ring);
    if (read === null || key === null) near.push(notice);
    else if (isEqual(read, { key, value, slowDigests })) return { equal: notice, near: [] };
    else if (isNear(read, { key, value })) near.push(notice);
  }
  return { equal: null, near };
}

/** Rejected values that the text is or comes close to; erased ones, which take long to ask, are not among them. */
export function nearTombstones(index: TombstoneIndex, text: ConsultedText): readonly TombstoneNotice[] {
  const { equal, near } = consult(index, text, () => null);
  return equal === null ? near : [equal];
}

/** The tombstones of exactly this text under quick digests, in every scope among these. */
export function equalAmong(
  tombstones: readonly TombstoneInForce[],
  { ring, body }: { readonly ring: KeyRing; readonly body: string },
): readonly TombstoneInForce[] {
  const value = new ConsultedValue(body);
  return tombstones.filter(({ read }) => {
    const key = read === null || read.file.check === 'scrypt' ? null : keyOf(read, ring);
    return read !== null && key !== null && isEqual(read, { key, value, slowDigests: () => null });
  });
}

/** The key of its digests, or the salt; `null` when there is none. */
function keyOf({ file }: ReadTombstone, ring: ReturnType<typeof keysInForce>): Uint8Array | null {
  if (ring === null || ring === 'lost') return null;
  return file.check === 'scrypt' ? ring.salt : (ring.keys.get(file.key) ?? null);
}

interface Asked {
  readonly key: Uint8Array;
  readonly value: ConsultedValue;
}

function isEqual({ file }: ReadTombstone, asked: Asked & { readonly slowDigests: SlowDigests }): boolean {
  const { key, value, slowDigests } = asked;
  if (value.value === '') return false;
  return file.digest === (file.check === 'scrypt' ? slowDigests(key, value.value) : value.digest(key));
}

function isNear({ file, members, numbers, names }: ReadTombstone, { key, value }: Asked): boolean {
  if (file.check === 'scrypt' || file.sketch === undefined) return false;
  const { similarity, contained } = similarityTo({ ...file.sketch, members }, value.shingles(key));
  if (similarity >= ALIKE || contained) return true;
  if (similarity < ALIKE_IN_FACTS) return false;
  const facts = value.facts(key);
  return (
    facts.numbers.size === numbers.length &&
    numbers.every((number) => facts.numbers.has(number)) &&
    names.every((name) => facts.words.has(name))
  );
}
