/** What can be said of one line of an atrib mirror with nothing else at hand. */
import { checkLineEvidence, type LineEvidence } from './line-evidence.ts';
import { type MirrorLineFault, readMirrorLine } from './mirror-line.ts';
import { checkRecordForm, verifiedSigners } from './record.ts';
import type { RecordFaultCode } from './record-rules.ts';
import type { Hash } from './types.ts';

export interface LineVerdict extends LineEvidence {
  /** `null` when the line holds no record. */
  readonly record_hash: Hash | null;
  readonly valid: boolean;
  /** Absent when valid. */
  readonly reason?: MirrorLineFault | RecordFaultCode;
  /** Keys whose signatures over the record hold, in the order the record names them; also of one that is not valid. */
  readonly signers: readonly string[];
}

/** @param options.now Unix milliseconds; a record may be up to 5 minutes ahead. */
export async function verifyMirrorLine(bytes: Uint8Array, options: { readonly now: number }): Promise<LineVerdict> {
  const line = readMirrorLine(bytes);
  if (!line.ok) return { record_hash: null, valid: false, reason: line.code, signers: [] };
  const { record, hash: record_hash, local: _local, proof } = line;
  const signers = await verifiedSigners(record);
  const form = checkRecordForm(record, options);
  if (!form.ok) return { record_hash, valid: false, reason: form.code, signers };
  if (!signers.includes(record.creator_key)) return { record_hash, valid: false, reason: 'signature_invalid', signers };
  return { record_hash, valid: true, signers, ...checkLineEvidence({ record, _local, proof }) };
}
