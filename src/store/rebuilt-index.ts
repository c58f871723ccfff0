/** What reading a whole commit asks of an index: less than the searchable one gives, so that memory can do it as well. */
import type { Hash } from '../ledger/types.ts';
import type { Index } from './index/index.ts';

type AsIs =
  | 'clear'
  | 'putEvent'
  | 'lastEventOfPath'
  | 'custodyOf'
  | 'quarantines'
  | 'writerTail'
  | 'putWriterTail'
  | 'keys'
  | 'putKey'
  | 'putRevocation'
  | 'revocations'
  | 'voidedKeys'
  | 'putIdempotency'
  | 'signedVersion'
  | 'putGoverned'
  | 'governed'
  | 'governedPaths'
  | 'setting'
  | 'settings'
  | 'putSetting'
  | 'putProblem'
  | 'removeProblem'
  | 'putThought'
  | 'removeThought'
  | 'settleSupersession';

export interface RebuiltIndex extends Pick<Index, AsIs> {
  /** Of an event that was taken in. */
  eventByHash(hash: Hash): KnownEvent | null;
  /** Whether the key has signed valid events from this place in its log on: none, or some of them. */
  validEventsFrom(place: { readonly key: string; readonly seq: number }, limit: number): readonly unknown[];
  /** The last one taken in. */
  newestEvent(): { readonly pos: number } | null;
}

export interface KnownEvent {
  readonly envelope: { readonly record: { readonly creator_key: string } };
}
