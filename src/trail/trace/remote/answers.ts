/** What a log or an archive answered about one hash. Both are strangers: nothing counts that was not checked here. */
import { z } from 'zod';
import { isContextId } from '../../../ledger/context.ts';
import { isPublicKey } from '../../../ledger/ed25519.ts';
import { atribEventType } from '../../../ledger/event-type.ts';
import { readMirrorLine } from '../../../ledger/mirror-line.ts';
import { verifyRecordAsync } from '../../../ledger/record.ts';
import type { Hash } from '../../../ledger/types.ts';
import { type BoundedReply, jsonOf } from '../../../net/bounded-request.ts';
import type { TraceRecord } from '../source.ts';
import type { LoggedFacts } from '../types.ts';

/** `absent` is the service's own word; `unknown` says nothing either way. */
export type Answer<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Short labels instead of URIs, as the reference log sends them (atrib.md 5). `extension` stands for every other type,
 * so it is all that is known.
 */
const LABEL = /^[a-z_]{1,64}$/;

/** Both answer shapes of atrib.md 5: the specification's `log_index` and URI, the reference's `index` and label. */
const lookup = z
  .looseObject({
    log_index: z.int().min(0).optional(),
    index: z.int().min(0).optional(),
    record_hash: z.string().optional(),
    creator_key: z.string().refine(isPublicKey),
    context_id: z.string().refine(isContextId),
    timestamp_ms: z.int().min(0),
    event_type: z
      .string()
      .max(256)
      .regex(/^[\x21-\x7e]+$/),
  })
  .refine(({ log_index, index }) => log_index !== undefined || index !== undefined);

/** What a log says of a record. Its word alone: the answer holds no proof. */
export function readLookup(reply: BoundedReply, hash: Hash): Answer<LoggedFacts> {
  const body = bodyOf(reply);
  if (body.kind !== 'found') return body;
  const parsed = lookup.safeParse(jsonOf(body.value));
  if (!parsed.success) return unknown('not an answer of an atrib log');
  const { log_index, index = 0, record_hash, creator_key, context_id, timestamp_ms, event_type } = parsed.data;
  if (record_hash !== undefined && record_hash.replace(/^sha256:/, '') !== hash.slice('sha256:'.length)) {
    return unknown('an answer about another record');
  }
  return {
    kind: 'found',
    value: {
      log_index: log_index ?? index,
      creator_key,
      context_id,
      timestamp: timestamp_ms,
      event_type: LABEL.test(event_type) && event_type !== 'extension' ? atribEventType(event_type) : event_type,
    },
  };
}

/** A record, bare or in its envelope, when its own bytes have the hash that was asked for and its signature holds. */
export async function readArchived(
  reply: BoundedReply,
  asked: { readonly hash: Hash; readonly now: number },
): Promise<Answer<TraceRecord>> {
  const body = bodyOf(reply);
  if (body.kind !== 'found') return body;
  const line = readMirrorLine(body.value);
  if (!line.ok) return unknown('not an atrib record');
  if (line.hash !== asked.hash) return unknown('another record');
  const verdict = await verifyRecordAsync(line.record, asked);
  if (!verdict.ok) return unknown(`a record that does not verify (${verdict.code})`);
  const { hash, record, local } = line;
  return { kind: 'found', value: { hash, record, local, source: 'archive' } };
}

function bodyOf(reply: BoundedReply): Answer<Uint8Array> {
  if (!reply.ok) return unknown(reply.reason);
  // 410: the archive had it and its time is over (atrib.md 5).
  if (reply.status === 404 || reply.status === 410) return { kind: 'absent' };
  return reply.status === 200 ? { kind: 'found', value: reply.body } : unknown(`status ${reply.status}`);
}

function unknown(why: string): Answer<never> {
  return { kind: 'unknown', why };
}
