/** Signing, hashing and verifying one atrib/1.0 record (atrib.md 1.5). */
import * as z from 'zod';
import { encodeBase64url } from './base64url.ts';
import { type SignedBytes, verifyBytes, verifyBytesAsync } from './ed25519.ts';
import { TRANSACTION } from './event-type.ts';
import { hashOf } from './hash.ts';
import { jcs } from './jcs.ts';
import { faultOf, type RecordFaultCode } from './record-rules.ts';
import type { AtribRecord, Hash, Signer, UnsignedRecord } from './types.ts';

export type RecordVerdict =
  | { readonly ok: true; readonly record: AtribRecord }
  | { readonly ok: false; readonly code: RecordFaultCode; readonly message: string };

/** The record with its signature. A `signature` already there is replaced, since it is not part of the signed bytes. */
export function signRecord(unsigned: UnsignedRecord, signer: Signer): AtribRecord {
  if (unsigned.creator_key !== signer.publicKey) {
    throw new Error(`Cannot sign a record of "${unsigned.creator_key}" with the key "${signer.publicKey}"`);
  }
  return { ...unsigned, signature: encodeBase64url(signer.sign(signedBytes(unsigned))) };
}

/** SHA-256 over the JCS of all members the record has, signature included, known or not. */
export function recordHash(record: AtribRecord): Hash {
  return hashOf(jcs(record));
}

/**
 * Everything that can be said of a record alone: format of its members, the presence rules of the specification (also
 * those its reference implementation leaves out) and the signature. Not its place in a chain, and not whether the key
 * means anything here.
 *
 * A transaction with `signers` is valid when its creator's entry is; how many others hold is a signal in atrib, not
 * validity, and Waymark reads nothing from it.
 *
 * @param options.now Unix milliseconds; a record may be up to 5 minutes ahead.
 */
export function verifyRecord(record: unknown, options: { readonly now: number }): RecordVerdict {
  const checked = checkRecord(record, options);
  return 'signed' in checked ? judgeSignature(checked, verifyBytes(checked.signed)) : checked;
}

/** As {@link verifyRecord}, with the signature checked on the thread pool: for many records at once. */
export async function verifyRecordAsync(record: unknown, options: { readonly now: number }): Promise<RecordVerdict> {
  const checked = checkRecord(record, options);
  return 'signed' in checked ? judgeSignature(checked, await verifyBytesAsync(checked.signed)) : checked;
}

/**
 * As {@link verifyRecord} without the signature: for records whose hash a signed checkpoint covers, which its key has
 * thereby signed as a whole.
 */
export function checkRecordForm(record: unknown, options: { readonly now: number }): RecordVerdict {
  const fault = faultOf(record, options);
  // `faultOf` has checked every member the type states.
  return fault === null ? { ok: true, record: record as AtribRecord } : { ok: false, ...fault };
}

interface SignedRecord {
  readonly record: AtribRecord;
  readonly signed: SignedBytes;
}

function checkRecord(value: unknown, options: { readonly now: number }): SignedRecord | RecordVerdict {
  const form = checkRecordForm(value, options);
  if (!form.ok) return form;
  const { record } = form;
  const signed = signedPartOf(record);
  if (signed === null) {
    return { ok: false, code: 'signature_invalid', message: 'No entry of "signers" is of the record\'s creator_key' };
  }
  if (signed === 'not_canonical') {
    return { ok: false, code: 'not_canonical', message: 'The record holds a value that RFC 8785 JSON cannot express' };
  }
  return { record, signed };
}

function judgeSignature({ record }: SignedRecord, holds: boolean): RecordVerdict {
  if (holds) return { ok: true, record };
  const message = `The signature is not one of the key "${record.creator_key}" over this record`;
  return { ok: false, code: 'signature_invalid', message };
}

/** Whether the creator's signature holds; nothing else of {@link verifyRecord}. */
export function verifySignature(record: AtribRecord): boolean {
  const signed = signedPartOf(record);
  return signed !== null && signed !== 'not_canonical' && verifyBytes(signed);
}

/**
 * Keys whose signatures over the record hold, each once, in the order the record names them: of a transaction with
 * `signers` all that co-signed, else the creator. The record must have a canonical form; its members may be anything.
 */
export async function verifiedSigners(record: AtribRecord): Promise<readonly string[]> {
  const { creator_key, signature, signers } = record;
  const isShared = record.event_type === TRANSACTION && Array.isArray(signers);
  const entries: readonly unknown[] = isShared ? signers : [{ creator_key, signature }];
  const bytes = signedBytes(record);
  const checked = entries.map(async (entry) => {
    const { success, data } = signerSchema.safeParse(entry);
    if (!success) return [];
    const { creator_key: publicKey, signature } = data;
    return (await verifyBytesAsync({ publicKey, signature, bytes })) ? [publicKey] : [];
  });
  return [...new Set((await Promise.all(checked)).flat())];
}

const signerSchema = z.object({ creator_key: z.string(), signature: z.string() });

function signedPartOf(record: AtribRecord): SignedBytes | 'not_canonical' | null {
  const publicKey = record.creator_key;
  const signature =
    record.event_type === TRANSACTION && record.signers !== undefined
      ? record.signers.find((signer) => signer.creator_key === publicKey)?.signature
      : record.signature;
  if (signature === undefined) return null;
  try {
    return { publicKey, signature, bytes: signedBytes(record) };
  } catch {
    return 'not_canonical';
  }
}

/** JCS without `signature`; all signers of a transaction sign it with `signers` empty. */
function signedBytes(record: UnsignedRecord): Uint8Array {
  const { signature: _, ...rest } = record;
  return jcs(record.event_type === TRANSACTION && record['signers'] !== undefined ? { ...rest, signers: [] } : rest);
}
