/** The records by which signing keys go back to the owner, and by which they end. */
import type { Hash, Verb } from '../../ledger/types.ts';
import type { Index, IndexedEvent, KnownKey } from '../../store/index/index.ts';

export interface Enrolments {
  readonly events: readonly IndexedEvent[];
  readonly keys: readonly (Omit<KnownKey, 'origin'> & { readonly enrolled_by: Hash | null })[];
}

/** Verbs whose events say something of a key after its first. */
const KEY_VERBS: readonly Verb[] = ['enrol', 'protect', 'rotate', 'revoke', 'recover'];

/** For the signers of `signed`, for whoever enrolled them, and so on; and for the owner, whose record it is. */
export function selectEnrolments(index: Index, signed: readonly IndexedEvent[]): Enrolments {
  const known = new Map(index.keys().map((key) => [key.key, key]));
  const events = new Map<Hash, IndexedEvent>();
  const about = KEY_VERBS.flatMap((verb) => index.validEventsOf(verb));
  const done = new Set<string>();
  const open = [...signed, ...index.validEventsOf('init')].map(signerOf);
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (done.has(key)) continue;
    done.add(key);
    const since = known.get(key)?.since;
    const first = since === undefined ? null : index.eventAt(since);
    for (const event of [...(first === null ? [] : [first]), ...about.filter(isAbout(key))]) {
      events.set(event.hash, event);
      open.push(signerOf(event));
    }
  }
  const keys = [...known.values()].filter(({ key }) => done.has(key));
  return {
    events: [...events.values()],
    keys: keys.map(({ origin: _, ...key }) => ({ ...key, enrolled_by: index.eventAt(key.since)?.hash ?? null })),
  };
}

function signerOf({ envelope }: IndexedEvent): string {
  return envelope.record.creator_key;
}

function isAbout(key: string): (event: IndexedEvent) => boolean {
  return (event) => {
    const local = event.envelope._local;
    if (local?.verb === 'protect') return signerOf(event) === key;
    return local?.enrolment?.key === key || local?.revocation?.key === key;
  };
}
