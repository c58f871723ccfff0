/** What stops counting by a revocation, seen before it is signed. */
import { logNameOf } from '../ledger/index.ts';
import type { RevocationReason } from '../ledger/types.ts';
import { isAboutSettings } from '../record/lifecycle.ts';
import type { Index, IndexedEvent } from '../store/index/index.ts';

export interface RevocationPlan {
  readonly public_key: string;
  readonly agent_id: string;
  readonly reason: RevocationReason;
  /** Events of the key that stand. */
  readonly stand: number;
  /** Events that no longer count: of the key, and of those that owe it their enrolment. */
  readonly voided: number;
  /** Thoughts whose approval no longer counts. */
  readonly approvals: readonly string[];
  /** Settings files whose acceptance no longer counts. */
  readonly settings: readonly string[];
  /** Keys that the key enrolled or handed over to, and those by these. */
  readonly keys: readonly string[];
  /** Keys whose revocation no longer counts, so that they may count again. */
  readonly unrevoked: readonly string[];
}

/** @param size Events of the key that stand; all of them when it is as many as there are. */
export function planRevocation(
  index: Index,
  { publicKey, reason, size }: { readonly publicKey: string; readonly reason: RevocationReason; readonly size: number },
): RevocationPlan {
  const voided = voidedBy(index, { key: publicKey, seq: size });
  const said = voided.flatMap(({ envelope }) => envelope._local ?? []);
  const changed = said.flatMap(({ verb, files = [] }) => files.map((file) => ({ verb, ...file })));
  return {
    public_key: publicKey,
    agent_id: index.key(publicKey)?.agent_id ?? '',
    reason,
    stand: size,
    voided: voided.length,
    approvals: distinct(changed.flatMap(({ status, thought_id }) => (status === 'approved' ? (thought_id ?? []) : []))),
    settings: distinct(
      changed.flatMap(({ verb, path, thought_id }) =>
        thought_id === undefined && (verb === 'adopt' || isAboutSettings(verb)) ? [path] : [],
      ),
    ),
    keys: distinct(said.flatMap(({ enrolment }) => enrolment?.key ?? [])),
    unrevoked: distinct(said.flatMap(({ verb, revocation }) => (verb === 'revoke' ? (revocation?.key ?? []) : []))),
  };
}

/** A key is not enrolled when the event that enrolled it does not count; then nothing that it signed does. */
function voidedBy(index: Index, from: { readonly key: string; readonly seq: number }): readonly IndexedEvent[] {
  const voided = new Map<number, IndexedEvent>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const event of index.validEventsFrom(next)) {
      if (voided.has(event.pos)) continue;
      voided.set(event.pos, event);
      const key = event.envelope._local?.enrolment?.key;
      if (key !== undefined && index.key(key)?.since === event.pos) open.push({ key, seq: 0 });
    }
  }
  return [...voided.values()];
}

/** How many events the key signed here. */
export function eventsOf(index: Index, publicKey: string): number {
  return index.writerTail(logNameOf(publicKey))?.size ?? 0;
}

function distinct(items: readonly string[]): readonly string[] {
  return [...new Set(items)].sort();
}
