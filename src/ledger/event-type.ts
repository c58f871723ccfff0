/** Event types: atrib's normative URIs, Waymark's URNs, and which verb gets which (atrib.md 1.2, design "The ledger"). */
import type { EventDraft } from './types.ts';

/** In front of the name of each of atrib's own types. */
export const ATRIB_PREFIX = 'https://atrib.dev/v1/types/';
const WAYMARK_PREFIX = 'urn:waymark:event:';

/** The URI of one of atrib's own types. */
export function atribEventType(name: string): string {
  return `${ATRIB_PREFIX}${name}`;
}

export const OBSERVATION = atribEventType('observation');
export const ANNOTATION = atribEventType('annotation');
export const REVISION = atribEventType('revision');
export const TRANSACTION = atribEventType('transaction');
export const SESSION_CHECKPOINT = atribEventType('session_checkpoint');
export const KEY_REVOCATION = atribEventType('key_revocation');

/** Type byte of a log entry; every other type is 0xFF (atrib.md 1.2). */
const BYTES: ReadonlyMap<string, number> = new Map([
  [atribEventType('tool_call'), 0x01],
  [TRANSACTION, 0x02],
  [OBSERVATION, 0x03],
  [atribEventType('directory_anchor'), 0x04],
  [ANNOTATION, 0x05],
  [REVISION, 0x06],
]);

export function eventTypeByte(eventType: string): number {
  return BYTES.get(eventType) ?? 0xff;
}

/**
 * Whether `value` is an absolute URI as atrib asks: at most 256 octets, a scheme, something after it, no fragment, and
 * a host for http and https. Syntax only; types are compared as opaque text.
 */
export function isEventType(value: unknown): value is string {
  if (typeof value !== 'string' || Buffer.byteLength(value) > 256) return false;
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[^\s#]+$/.test(value)) return false;
  return !/^https?:/i.test(value) || /^https?:\/\/[^/?]/i.test(value);
}

/**
 * The event type of a draft. Saving is an observation, a verdict an annotation of what it is about, an approved
 * replacement a revision of what it replaces, the end of a key atrib's own type; the rest are Waymark's.
 *
 * @throws {Error} when a verdict names neither target, or another verb names one: atrib allows `annotates` only and
 *   always on an annotation, and `revises` likewise.
 */
export function eventTypeOf(draft: Pick<EventDraft, 'verb' | 'annotates' | 'revises'>): string {
  switch (draft.verb) {
    case 'approve':
    case 'reject':
    case 'request_changes':
      if (draft.revises !== undefined) return REVISION;
      if (draft.annotates !== undefined) return ANNOTATION;
      throw new Error(`An event of verb "${draft.verb}" needs "annotates" or "revises"`);
    case 'save':
    case 'supersede':
    case 'change_scope':
      refuseTarget(draft);
      return OBSERVATION;
    case 'revoke':
    case 'rotate':
    case 'recover':
      refuseTarget(draft);
      return KEY_REVOCATION;
    default:
      refuseTarget(draft);
      return `${WAYMARK_PREFIX}${draft.verb}`;
  }
}

function refuseTarget(draft: Pick<EventDraft, 'verb' | 'annotates' | 'revises'>): void {
  if (draft.annotates === undefined && draft.revises === undefined) return;
  throw new Error(`An event of verb "${draft.verb}" takes neither "annotates" nor "revises"`);
}
