/**
 * What `erase` events put in the place of the sidecars they removed.
 *
 * An erasure comes after what it erases, and whether it counts is known only when all before it has been judged with the
 * skeletons in place. So a reading begins with what every one of them states, and is done again without those that turn
 * out not to count (docs/format.md, "Erasure").
 */
import { type Eraser, erasedThoughtOf, mayStandFor, sidecarOf } from '../ledger/index.ts';
import type { AtribRecord, Hash, SidecarSkeleton } from '../ledger/types.ts';
import { type EventCheck, type ReadEvent, readEventOf } from './event-file.ts';

interface Statement {
  readonly skeleton: SidecarSkeleton;
  readonly eraser: Eraser;
}

export class Erasures {
  readonly #erasers = new Map<Hash, Eraser>();
  /** By the record they are about. */
  readonly #statements = new Map<Hash, Statement[]>();

  /** Keeps what a sound event of an operator states; any other is passed over. */
  take({ hash, timestamp, envelope }: ReadEvent, check: EventCheck): void {
    const sidecar = envelope._local;
    if (check.fault !== null || sidecar === undefined || erasedThoughtOf(sidecar) === null) return;
    this.#add({ hash, timestamp, sidecar });
  }

  /** Those of the events that count; the same object when all do. */
  only(counting: ReadonlySet<Hash>): Erasures {
    if ([...this.#erasers.keys()].every((hash) => counting.has(hash))) return this;
    const left = new Erasures();
    for (const eraser of this.#erasers.values()) if (counting.has(eraser.hash)) left.#add(eraser);
    return left;
  }

  /** The event and its check, with what stands for its sidecar where that is gone. */
  restore(event: ReadEvent, check: EventCheck): { readonly event: ReadEvent; readonly check: EventCheck } {
    if (check.fault !== 'sidecar_missing' || !check.isSigned) return { event, check };
    const { record } = event.envelope;
    const found = this.#statementFor(event.hash, record);
    if (found === null) return { event, check };
    const envelope = { record, _local: sidecarOf(found.skeleton, found.eraser) };
    const { path, hash, leaf } = event;
    const restored = readEventOf({ path, hash, leaf, envelope, text: JSON.stringify(envelope) });
    return { event: restored, check: { ...check, fault: check.recordFault } };
  }

  #add(eraser: Eraser): void {
    this.#erasers.set(eraser.hash, eraser);
    for (const skeleton of eraser.sidecar.erased ?? []) {
      const known = this.#statements.get(skeleton.record) ?? [];
      known.push({ skeleton, eraser });
      this.#statements.set(skeleton.record, known);
    }
  }

  /** Of several that may stand there the newest. */
  #statementFor(hash: Hash, record: AtribRecord): Statement | null {
    const fitting = (this.#statements.get(hash) ?? []).filter(({ skeleton, eraser }) => {
      const erased = erasedThoughtOf(eraser.sidecar);
      return erased !== null && mayStandFor(skeleton, record, erased);
    });
    return fitting.reduce<Statement | null>((best, one) => (best === null || isNewer(one, best) ? one : best), null);
  }
}

function isNewer({ eraser: one }: Statement, { eraser: other }: Statement): boolean {
  return one.timestamp === other.timestamp ? one.hash > other.hash : one.timestamp > other.timestamp;
}
