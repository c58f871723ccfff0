/** What files of other thoughts were when an event that goes spoke of them: so that it can still be told of earlier times. */
import { eventPath, isFileOf, saysDigestOf } from '../../ledger/index.ts';
import { parseThoughtPath } from '../../record/paths.ts';
import type { Repository } from '../../store/repository.ts';
import type { SidecarsOf } from './sidecars.ts';

/** By record and path. */
export type PartnerTexts = ReadonlyMap<string, Uint8Array>;

/** Each is looked for in the history, which takes seconds in a long one. */
const MOST = 64;

export function partnerKey(record: string, path: string): string {
  return `${record} ${path}`;
}

/** Only what the events prove. Reads the history, so not under the lock. */
export async function partnerTexts(
  { store }: Pick<Repository, 'store'>,
  sidecars: readonly SidecarsOf[],
  gone: string,
): Promise<PartnerTexts> {
  const texts = new Map<string, Uint8Array>();
  const wanted = sidecars
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.envelope._local?.files ?? []).map((file) => ({ event, file })))
    .filter(({ file }) => file.after !== null && !isFileOf(file, gone) && parseThoughtPath(file.path) !== null);
  for (const { event, file } of wanted.slice(0, MOST)) {
    const { record, _local: sidecar } = event.envelope;
    const place = record.waymark;
    const commit = place === undefined ? null : await store.commitThatAdded(eventPath(place.log, place.seq));
    const bytes = commit === null ? null : await store.readPath(commit, file.path);
    if (sidecar === undefined || bytes === null || !saysDigestOf(sidecar, file.path, bytes)) continue;
    texts.set(partnerKey(event.hash, file.path), bytes);
  }
  return texts;
}
