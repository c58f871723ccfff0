/** What a mirror line carries beside its record: proofs of logs, and the certificate of a run key. */
import * as z from 'zod';
import { bundleSchema } from './anchors/element.ts';
import { type AnchorFinding, findAnchor } from './anchors/finding.ts';
import { claimedCheckpoint } from './checkpoint.ts';
import { type Delegation, walkDelegation } from './delegation/walk.ts';
import { recordHash } from './record.ts';
import type { AtribRecord } from './types.ts';

export interface EvidenceLine {
  /** Whose form and signature hold. */
  readonly record: AtribRecord;
  readonly _local?: unknown;
  readonly proof?: unknown;
}

export interface LineEvidence {
  /** One for each proof. A log whose key nobody here has pinned makes it `unverifiable` at best. */
  readonly proof?: readonly Omit<AnchorFinding, 'entry'>[];
  readonly delegation?: Delegation;
}

const NO_KEYS = { logs: new Map(), rekor: new Map() } as const;
/** What a log answers to a submission: the element of a bundle, without the log's name. */
const answerSchema = z.looseObject({ checkpoint: z.string(), inclusion_proof: z.unknown() });
const sidecarSchema = z.object({ delegation_cert: z.unknown().optional() });

/** Signals about a record that holds; without members for what the line does not carry. */
export function checkLineEvidence({ record, _local, proof }: EvidenceLine): LineEvidence {
  const certificate = sidecarSchema.safeParse(_local).data?.delegation_cert;
  const isDelegated = certificate !== undefined || record['delegation_cert_hash'] !== undefined;
  const certificates = certificate === undefined ? [] : [certificate];
  return {
    ...(proof !== undefined && proof !== null && { proof: proofsOf(record, proof) }),
    ...(isDelegated && { delegation: walkDelegation(record, { certificates }) }),
  };
}

function proofsOf(record: AtribRecord, proof: unknown): NonNullable<LineEvidence['proof']> {
  const subject = { record, hash: recordHash(record), keys: NO_KEYS };
  return elementsOf(proof).map((element, at) => {
    const { entry: _, ...finding } = findAnchor(element, at, subject);
    return finding;
  });
}

function elementsOf(proof: unknown): readonly unknown[] {
  const bundle = bundleSchema.safeParse(proof);
  if (bundle.success) return bundle.data.log_proofs;
  const answer = answerSchema.safeParse(proof);
  if (!answer.success) return [proof];
  return [{ ...answer.data, log_id: claimedCheckpoint(answer.data.checkpoint)?.origin }];
}
