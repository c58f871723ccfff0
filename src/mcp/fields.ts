/** Input fields that more than one tool takes. Every description is paid for by every user, so few have one. */
import * as z from 'zod';
import { NAMESPACES, STATUSES } from '../record/thought.ts';
import { MODES } from '../record/visibility.ts';
import { jsonObject, lenient } from './lenient.ts';

export const trailName = z.string();
export const thoughtId = z.string();
export const text = z.string();
export const agentId = z.string().optional();
export const confidence = lenient(z.number().min(0).max(1)).optional();
export const namespace = z.enum(NAMESPACES).optional();
export const mode = z.enum(MODES).optional();
export const statuses = lenient(z.array(z.enum(STATUSES))).optional();
export const flag = lenient(z.boolean()).optional();
export const tags = lenient(z.array(z.string())).optional();
const metadataFields = z.strictObject({
  project: z.string().optional(),
  branch: z.string().optional(),
  tags,
  extra: jsonObject().optional(),
});
export const metadata = lenient(metadataFields).optional();
export const informedBy = lenient(z.array(z.string())).optional();
/** Checked alike, but advertised on the full surface only: another tool has already advertised it. */
export const unlistedInformedBy = lenient(z.array(z.string()).meta({ unlisted: true })).optional();
/** Checked alike, but advertised by type alone: another tool has already named the values. */
export const terse = { terse: true };
export const terseConfidence = lenient(z.number().min(0).max(1).meta(terse)).optional();
export const terseNamespace = z.enum(NAMESPACES).meta(terse).optional();
export const terseStatuses = lenient(z.array(z.enum(STATUSES).meta(terse))).optional();
export const terseMode = z.enum(MODES).meta(terse).optional();
export const terseMetadata = lenient(metadataFields.meta(terse)).optional();
/** ISO 8601; checked by the operation, which names what it wants. */
export const time = z.string().optional();
/** The same key and input within a day give the first answer again, so that a retry writes nothing twice. */
export const idempotencyKey = z.string().optional();
