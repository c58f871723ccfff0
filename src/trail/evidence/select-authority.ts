/** What the records of an archive need to count: the enrolments of their keys, and what stands for erased sidecars. */
import type { Hash } from '../../ledger/types.ts';
import type { Index, IndexedEvent } from '../../store/index/index.ts';
import { type Enrolments, selectEnrolments } from './select-enrolments.ts';

export interface SelectedAuthority {
  readonly enrolments: Enrolments;
  /** Erasures that say what stood beside the records, those of the enrolments included. */
  readonly erasures: readonly IndexedEvent[];
}

/** Each needs the other: an erasure was signed with a key, and a key may have enrolled itself beside an erased text. */
export function selectAuthority(index: Index, records: readonly IndexedEvent[]): SelectedAuthority {
  const known = new Set(records.map(({ hash }) => hash));
  const erasures = new Map<Hash, IndexedEvent>();
  for (;;) {
    const enrolments = selectEnrolments(index, [...records, ...erasures.values()]);
    const more = [...records, ...enrolments.events, ...erasures.values()].flatMap(({ envelope }) => {
      const eraser = envelope._local?.erased_by === undefined ? null : index.eventByHash(envelope._local.erased_by);
      return eraser === null || known.has(eraser.hash) || erasures.has(eraser.hash) ? [] : [eraser];
    });
    if (more.length === 0) return { enrolments, erasures: [...erasures.values()] };
    for (const eraser of more) erasures.set(eraser.hash, eraser);
  }
}
