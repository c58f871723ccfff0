/** The addresses of resources. One thing has one address: ids are whole and as they are written. */
import { isThoughtId } from '../../record/ids.ts';

export const QUEUE_URI = 'waymark://queue';
export const REVIEW_CARD_URI = 'ui://waymark/review';

export type Address =
  | { readonly kind: 'queue' | 'review_card' }
  /** `id` is a thought's. */
  | { readonly kind: 'thought'; readonly id: string }
  /** `id` is a thought's, or the hash of a record. */
  | { readonly kind: 'trace'; readonly id: string };

export const THOUGHT_TEMPLATE = 'waymark://thought/{id}';
export const TRACE_TEMPLATE = 'waymark://trace/{id}';

const WITH_ID = /^waymark:\/\/(thought|trace)\/([^/?#]+)$/;
const RECORD_HASH = /^sha256:[0-9a-f]{64}$/;

/** `null` for what addresses nothing here. Templates expand with percent-encoding (RFC 6570, section 3.2.2). */
export function parseAddress(uri: string): Address | null {
  if (uri === QUEUE_URI) return { kind: 'queue' };
  if (uri === REVIEW_CARD_URI) return { kind: 'review_card' };
  const [, kind, named = ''] = WITH_ID.exec(uri) ?? [];
  const id = named.replace(/^sha256%3A/i, 'sha256:');
  if (kind === 'thought' && isThoughtId(id)) return { kind, id };
  if (kind === 'trace' && (isThoughtId(id) || RECORD_HASH.test(id))) return { kind, id };
  return null;
}

/** @param id of a thought */
export function thoughtUri(id: string): string {
  return `waymark://thought/${id}`;
}
