/**
 * What stands in the place of a sidecar that an `erase` event removed (docs/format.md, "Erasure").
 *
 * The record and its place in the log stay as they were signed; who did what is then the word of the operator who erased.
 */
import { isThoughtId } from '../record/ids.ts';
import { governedPath, parseThoughtPath } from '../record/paths.ts';
import { contentIdOf } from './content-id.ts';
import { digestUnder, matchesDigest } from './digest.ts';
import { ANNOTATION, eventTypeOf, REVISION } from './event-type.ts';
import { jcs } from './jcs.ts';
import type { AtribRecord, FileChange, Hash, Sidecar, SidecarSkeleton, SkeletonFile, Verb } from './types.ts';

/** Verbs about thoughts. What gives or takes authority, or puts a file in force, keeps its sidecar. */
const ERASABLE: ReadonlySet<Verb> = new Set([
  ...(['adopt', 'save', 'update', 'propose', 'approve', 'reject', 'request_changes', 'error', 'forget'] as const),
  ...(['supersede', 'change_scope', 'rollback', 'advise', 'vote', 'erase', 'merge', 'keep_both'] as const),
]);

export function isErasable(verb: Verb): boolean {
  return ERASABLE.has(verb);
}

/** An `erase` event, as far as its skeletons depend on it. */
export interface Eraser {
  readonly hash: Hash;
  /** Unix milliseconds. */
  readonly timestamp: number;
  readonly sidecar: Sidecar;
}

/** The thought that an event of an operator erases, `null` when it erases none. Whether it counts is not looked at. */
export function erasedThoughtOf({ verb, role, thought_id: id }: Sidecar): string | null {
  return verb === 'erase' && role === 'operator' && id !== undefined && isThoughtId(id) ? id : null;
}

/**
 * Whether the skeleton may stand for the sidecar of this record: it is about the erased thought, of a verb that the
 * record's type and content id allow, gives no more than a key can take for itself, and holds no digest of the thought.
 */
export function mayStandFor(skeleton: SidecarSkeleton, record: AtribRecord, erased: string): boolean {
  const { verb, enrolment, thought_id, files = [] } = skeleton;
  const isAbout = thought_id === erased || files.some((file) => isFileOf(file, erased));
  const enrolsItself =
    enrolment === undefined ||
    (enrolment.key === record.creator_key && enrolment.role === 'agent' && record.waymark?.seq === 0);
  const revealsNothing = files.every(
    (file) =>
      !governedPath(file.path) && (verb === 'erase' || typeof file.after !== 'string' || !isFileOf(file, erased)),
  );
  return ERASABLE.has(verb) && isAbout && enrolsItself && revealsNothing && isTypeOf(verb, record);
}

/** The sidecar that readers take for the one that is gone. */
export function sidecarOf(skeleton: SidecarSkeleton, eraser: Eraser): Sidecar {
  const { record: _, files, ...said } = skeleton;
  const { producer, nonce } = eraser.sidecar;
  return {
    ...said,
    producer,
    nonce,
    erased_by: eraser.hash,
    ...(files === undefined
      ? {}
      : { files: files.map(({ after = UNKNOWN, ...file }) => ({ ...file, before: UNKNOWN, after })) }),
  };
}

/** In the place of a digest; no digest is like it. */
const UNKNOWN = '';

export interface SkeletonOptions {
  readonly record: Hash;
  /** The one that goes: as it was signed, or what stands for it already. */
  readonly sidecar: Sidecar;
  readonly erased: string;
  /** Bytes of each file of another thought whose last event this is and that is as it says. */
  readonly kept: ReadonlyMap<string, Uint8Array>;
  /** Of the `erase` event. */
  readonly nonce: string;
}

/** What is left of a sidecar. */
export function skeletonOf({ record, sidecar, erased, kept, nonce }: SkeletonOptions): SidecarSkeleton {
  const { verb, agent_id, role, via, scope, thought_id, status, kind, attested, self } = sidecar;
  const { protection, enrolment } = sidecar;
  if (role === 'owner' || role === 'recovery') throw new Error('An owner key signs nothing about a thought');
  const files = (sidecar.files ?? []).filter(({ path }) => !governedPath(path));
  const left = files.map(({ path, thought_id, status, after }): SkeletonFile => {
    const bytes = kept.get(path);
    const isOther = verb === 'erase' || !isFileOf({ path, thought_id }, erased);
    const digest = after === null ? null : bytes !== undefined && isOther ? digestUnder(nonce, bytes) : undefined;
    return { path, ...defined({ thought_id, status, after: digest }) };
  });
  return {
    record,
    verb,
    agent_id,
    role,
    ...defined({ via, scope, thought_id, status, kind, attested, self, protection, enrolment }),
    ...(left.length === 0 ? {} : { files: left }),
  };
}

/** Whether all that the skeleton says, digests aside, was said by this very sidecar: who has both can tell. */
export function isLeftOf(skeleton: SidecarSkeleton, sidecar: Sidecar): boolean {
  const { record: _, files = [], ...said } = skeleton;
  const isSame = Object.entries(said).every(([name, value]) => isSameJson(sidecar[name], value));
  return isSame && files.every((file) => sidecar.files?.some((change) => isSameFile(change, file)));
}

function isSameFile(change: FileChange, { path, thought_id, status, after }: SkeletonFile): boolean {
  const isGone = after === null && change.after !== null;
  return change.path === path && change.thought_id === thought_id && change.status === status && !isGone;
}

function isSameJson(one: unknown, other: unknown): boolean {
  return one !== undefined && Buffer.from(jcs(one)).equals(jcs(other));
}

/** The event file without its sidecar. */
export function strippedLine(record: AtribRecord): Uint8Array {
  return Buffer.from(`${Buffer.from(jcs({ record })).toString('utf8')}\n`);
}

/** Whether the sidecar says of the file, by a digest, what these bytes are. */
export function saysDigestOf({ nonce, files = [] }: Sidecar, path: string, bytes: Uint8Array): boolean {
  const after = files.findLast((file) => file.path === path)?.after;
  return typeof after === 'string' && matchesDigest(nonce, bytes, after);
}

export function isFileOf(
  file: { readonly path: string; readonly thought_id?: string | undefined },
  id: string,
): boolean {
  const { path, thought_id } = file;
  return thought_id === id || parseThoughtPath(path)?.id === id;
}

/** A verdict is an annotation of what it is about, or a revision of what it replaces. */
function isTypeOf(verb: Verb, { event_type, content_id }: AtribRecord): boolean {
  const isVerdict = verb === 'approve' || verb === 'reject' || verb === 'request_changes';
  if (isVerdict && event_type !== ANNOTATION && event_type !== REVISION) return false;
  const target = 'sha256:';
  const draft = { verb, ...(isVerdict ? (event_type === REVISION ? { revises: target } : { annotates: target }) : {}) };
  return eventTypeOf(draft) === event_type && contentIdOf(draft) === content_id;
}

function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Of an object literal: the members it has, and no other.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
