/** Puts an erasure into an operation: the thought's file without its text, event files without their sidecars. */
import { randomBytes } from 'node:crypto';
import { encodeBase64url, eventPath, isFileOf, saysDigestOf, skeletonOf, strippedLine } from '../../ledger/index.ts';
import type { EventFile, SidecarSkeleton } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Thought } from '../../record/thought.ts';
import type { Draft } from '../../store/draft.ts';
import type { IndexedEvent, StoredThought } from '../../store/index/types.ts';
import { claimEventOf } from '../causes.ts';
import { encodeChecked } from '../stage.ts';
import type { ChangeEvent } from '../write.ts';
import { type PartnerTexts, partnerKey } from './partner-texts.ts';
import type { SidecarsOf } from './sidecars.ts';

export interface StagedErasure {
  readonly events: readonly ChangeEvent[];
  /** Files beside those of the events, by path. */
  readonly alsoWritten: ReadonlyMap<string, Uint8Array | null>;
}

export interface StageErasureOptions {
  /** Every file of the thought; the first is the one that stays, as `thought`. */
  readonly rows: readonly StoredThought[];
  readonly thought: Thought;
  readonly reason: string;
  readonly sidecars: readonly SidecarsOf[];
  readonly texts: PartnerTexts;
}

/** Bytes of skeletons in one event, which is at most 256 KiB. */
const CHUNK_BYTES = 160 * 1024;
const NOTHING = new Uint8Array();

export async function stageErasure(draft: Draft, options: StageErasureOptions): Promise<Outcome<StagedErasure>> {
  const { rows, thought, reason, sidecars, texts } = options;
  const files = await thoughtFiles(draft, rows, thought);
  if (!files.ok) return files;
  const { thought_id } = thought;
  const alsoWritten = new Map(rows.slice(1).map(({ path }): [string, Uint8Array | null] => [path, null]));
  const events: ChangeEvent[] = [];
  for (const { thought_id: about, events: gone } of sidecars) {
    const nonce = randomBytes(32);
    const skeletons = await skeletonsOf(draft, gone, { erased: about, gone: thought_id, nonce, texts });
    for (const [at, erased] of chunksOf(skeletons).entries()) {
      const own = about === thought_id && at === 0 ? files.value : [];
      events.push(erasing(draft, { thought, about, reason, erased, nonce, files: own }));
    }
    for (const { envelope } of gone) {
      const place = envelope.record.waymark;
      if (place !== undefined) alsoWritten.set(eventPath(place.log, place.seq), strippedLine(envelope.record));
    }
  }
  if (events[0]?.local.thought_id !== thought_id) {
    const nonce = randomBytes(32);
    events.unshift(erasing(draft, { thought, about: thought_id, reason, erased: [], nonce, files: files.value }));
  }
  return ok({ events, alsoWritten });
}

/** No digest of what was there before: it would be one of the text. */
async function thoughtFiles(
  draft: Draft,
  rows: readonly StoredThought[],
  thought: Thought,
): Promise<Outcome<readonly EventFile[]>> {
  const edited = await draft.uncommittedEdit(new Map(rows.map(({ path, blob }) => [path, blob])));
  if (edited !== null) {
    return refuse('uncommitted_edit', `File "${edited}" was edited in the working tree and not committed`, {
      next: `Discard it ("git checkout -- ${edited}"), then call again`,
    });
  }
  const bytes = encodeChecked(thought);
  if (!bytes.ok) return bytes;
  const names = { thought_id: thought.thought_id, status: thought.validation_status };
  return ok(rows.map(({ path }, at) => ({ path, before: null, after: at === 0 ? bytes.value : null, ...names })));
}

interface Erasing {
  readonly thought: Thought;
  /** The thought whose events it answers for: another one where an earlier erasure is restated. */
  readonly about: string;
  readonly reason: string;
  readonly erased: readonly SidecarSkeleton[];
  readonly nonce: Uint8Array;
  readonly files: readonly EventFile[];
}

function erasing({ index }: Draft, { thought, about, reason, erased, nonce, files }: Erasing): ChangeEvent {
  const scope = index.thoughtById(about)[0]?.scope;
  const cause = about === thought.thought_id ? claimEventOf(index, about) : null;
  return {
    verb: 'erase',
    informed_by: cause === null ? [] : [cause],
    local: { ...(scope === undefined ? {} : { scope }), thought_id: about, status: 'tombstoned', reason, erased },
    files,
    nonce,
  };
}

interface SkeletonPlan {
  readonly erased: string;
  /** The thought that is erased now: nothing may hold a digest of it. */
  readonly gone: string;
  readonly nonce: Uint8Array;
  readonly texts: PartnerTexts;
}

async function skeletonsOf(
  draft: Draft,
  events: readonly IndexedEvent[],
  { erased, gone, nonce, texts }: SkeletonPlan,
): Promise<readonly SidecarSkeleton[]> {
  const skeletons: SidecarSkeleton[] = [];
  for (const event of events) {
    const sidecar = event.envelope._local;
    if (sidecar === undefined) continue;
    const kept = await keptFiles(draft, event, { gone, texts });
    const { hash: record } = event;
    skeletons.push(skeletonOf({ record, sidecar, erased, kept, nonce: encodeBase64url(nonce) }));
  }
  return skeletons;
}

/** Files of other thoughts that are, or were, what this event says: it must go on saying so. */
async function keptFiles(
  draft: Draft,
  event: IndexedEvent,
  { gone, texts }: Pick<SkeletonPlan, 'gone' | 'texts'>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { index } = draft;
  const kept = new Map<string, Uint8Array>();
  const sidecar = event.envelope._local;
  for (const file of sidecar?.files ?? []) {
    if (sidecar === undefined || isFileOf(file, gone)) continue;
    const then = texts.get(partnerKey(event.hash, file.path));
    if (then !== undefined) kept.set(file.path, then);
    if (index.lastEventOfPath(file.path)?.event.hash !== event.hash) continue;
    const row = index.thoughtByPath(file.path);
    // The files that keep folders are empty.
    const bytes = row === null ? NOTHING : await draft.bytesOf(row.path, row.blob);
    if (bytes !== null && saysDigestOf(sidecar, file.path, bytes)) kept.set(file.path, bytes);
  }
  return kept;
}

function chunksOf(skeletons: readonly SidecarSkeleton[]): readonly (readonly SidecarSkeleton[])[] {
  const chunks: SidecarSkeleton[][] = [];
  let size = CHUNK_BYTES;
  for (const skeleton of skeletons) {
    const bytes = Buffer.byteLength(JSON.stringify(skeleton));
    if (size + bytes > CHUNK_BYTES) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(skeleton);
    size += bytes;
  }
  return chunks;
}
