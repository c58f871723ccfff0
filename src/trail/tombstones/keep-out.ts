/** What a person's rejection, withdrawal or erasure adds to its commit so that the value stays out. */
import { randomBytes } from 'node:crypto';
import { renderTombstone, type TombstoneFile, type TombstoneKeys } from '../../config/index.ts';
import { encodeBase64url } from '../../ledger/index.ts';
import type { EventFile } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { tombstoneFolder } from '../../record/paths.ts';
import type { Grounds } from '../../record/thought.ts';
import type { Draft } from '../../store/draft.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { claimEventOf } from '../causes.ts';
import type { TrailContext } from '../context.ts';
import { checkDecider, checkOperator } from '../guard.ts';
import type { ChangeEvent } from '../write.ts';
import { equalAmong } from './consult.ts';
import type { Consultation } from './consultation.ts';
import { allTombstones, keysInForce, type TombstoneInForce, tombstonesOver } from './in-force.ts';
import { ensureKeys, newestKey } from './keys.ts';
import { liftEvent } from './lift-event.ts';
import { joinDigests, sketchOf } from './sketch.ts';
import { ConsultedValue } from './value.ts';

const RANDOM_BYTES = 16;

export interface KeepOutOptions {
  /** The thought that is rejected or withdrawn, as it was decided about. */
  readonly row: StoredThought;
  readonly reason: string;
  readonly grounds: Grounds | undefined;
  /** @default true for the grounds `false` and `harmful` */
  readonly keep_out: boolean | undefined;
  readonly context: TrailContext;
}

/**
 * The events to add to a person's rejection or withdrawal; none when the value is not to be kept out, or is already.
 * Refused (`invalid`) when nothing is left of the text after normalising.
 */
export async function keepOutEvents(draft: Draft, options: KeepOutOptions): Promise<Outcome<readonly ChangeEvent[]>> {
  const { row, grounds, keep_out, context } = options;
  if (!(keep_out ?? (grounds === 'false' || grounds === 'harmful'))) return ok([]);
  const refusal = checkDecider('Keeping a value out', context.principal);
  if (refusal !== null) return refusal;
  const { thought_id, body } = row.thought;
  const value = new ConsultedValue(body);
  if (value.value === '') {
    return refuse('invalid', `Thought "${thought_id}" holds no word and no number, so there is no value to keep out`, {
      field: 'keep_out',
      next: 'Set "keep_out" to false',
    });
  }
  const ensured = await ensureKeys(draft);
  if (!ensured.ok) return ensured;
  const { ring, files } = ensured.value;
  if (equalAmong(tombstonesOver(draft.index, row.scope), { ring, body }).length > 0) return ok([]);
  const { version, key } = newestKey(ring);
  const { numbers, names } = value.facts(key);
  const shingles = value.shingles(key);
  const sketch = sketchOf(shingles);
  const tombstone: TombstoneFile = {
    ...commonOf(draft, { ...options, scope: row.scope, thought_id }),
    check: 'hmac',
    key: version,
    digest: value.digest(key),
    ...(shingles.size === 0 ? {} : { sketch: { ...sketch, members: joinDigests(sketch.members) } }),
    numbers: joinDigests(numbers),
    names: joinDigests(names),
    ...(grounds === undefined ? {} : { grounds }),
    random: encodeBase64url(randomBytes(RANDOM_BYTES)),
  };
  return ok([eventOf(draft, tombstone, [fileOf(tombstone), ...files])]);
}

/** What an answer adds about {@link keepOutEvents}. */
export function keptOutNote(events: readonly ChangeEvent[]): string {
  const [id] = events.flatMap(({ local }) => local.tombstone ?? []);
  return id === undefined ? '' : ` Its value is kept out by tombstone ${id}.`;
}

export interface KeepOutErasedOptions {
  readonly scope: string;
  readonly thought_id: string;
  /** The text that is erased. */
  readonly body: string;
  readonly reason: string;
  /** @default true */
  readonly keep_out: boolean | undefined;
  readonly context: TrailContext;
  /** Of the write; the events count once it is settled. */
  readonly tombstones: Consultation;
  /** In force if the record has no keys yet: the same ones at each try, or no digest would ever be there. */
  readonly newKeys: TombstoneKeys;
}

/**
 * The events that keep an erased text out by a slow digest (scrypt) alone; none when nothing is left of it after
 * normalising. Tombstones of the same value that hold a quick digest, in any scope, are replaced: it would be guessed.
 * Where nothing is to keep it out, they are lifted.
 */
export async function keepOutErased(
  draft: Draft,
  options: KeepOutErasedOptions,
): Promise<Outcome<readonly ChangeEvent[]>> {
  const refusal = checkOperator('Keeping an erased value out', options.context.principal);
  if (refusal !== null) return refusal;
  const { body, scope, tombstones, newKeys } = options;
  const { value } = new ConsultedValue(body);
  if (value === '') return ok([]);
  const all = allTombstones(draft.index);
  if (options.keep_out === false) {
    const lifted = quickDigestsOf(all, { ring: keysInForce(draft.index), ...options });
    return ok(lifted.map((tombstone) => liftEvent(draft.index, tombstone, options.reason)));
  }
  const ensured = await ensureKeys(draft, newKeys);
  if (!ensured.ok) return ensured;
  const { ring, files } = ensured.value;
  const digest = tombstones.slowDigest(ring.salt, value);
  if (digest === null) return ok([]);
  const replaced = quickDigestsOf(all, { ring, ...options });
  const scopes = new Set(replaced.map(({ notice }) => notice.scope));
  const isThere = all.some(({ notice, read }) => notice.scope === scope && read?.file.digest === digest);
  if (!isThere) scopes.add(scope);
  const events = [...scopes].map((holder, at) => {
    const tombstone: TombstoneFile = { ...commonOf(draft, { ...options, scope: holder }), check: 'scrypt', digest };
    const gone = replaced
      .filter(({ notice }) => notice.scope === holder)
      .map(({ path }): EventFile => ({ path, before: draft.index.setting(path), after: null }));
    return eventOf(draft, tombstone, [fileOf(tombstone), ...gone, ...(at === 0 ? files : [])]);
  });
  return ok(events);
}

/** Those of the text, and those that were made of the thought, whatever it said then. */
function quickDigestsOf(
  all: readonly TombstoneInForce[],
  {
    ring,
    thought_id,
    body,
  }: Pick<KeepOutErasedOptions, 'thought_id' | 'body'> & { ring: ReturnType<typeof keysInForce> },
): readonly TombstoneInForce[] {
  const equal = new Set(ring === null || ring === 'lost' ? [] : equalAmong(all, { ring, body }));
  return all.filter((one) => {
    return equal.has(one) || (one.read?.file.check === 'hmac' && one.read.file.thought_id === thought_id);
  });
}

interface Common {
  readonly scope: string;
  readonly thought_id: string;
  readonly reason: string;
  readonly context: TrailContext;
}

function commonOf(draft: Draft, { scope, thought_id, reason, context }: Common) {
  // Random, and no digest: it is named in events that stay when a text is erased.
  const id = context.newId();
  return { id, scope, thought_id, reason, since: new Date(draft.now).toISOString(), by: context.principal.agent_id };
}

function fileOf(tombstone: TombstoneFile): EventFile {
  const path = `${tombstoneFolder(tombstone.scope)}${tombstone.id}.yaml`;
  return { path, before: null, after: renderTombstone(tombstone) };
}

function eventOf(draft: Draft, tombstone: TombstoneFile, files: readonly EventFile[]): ChangeEvent {
  const { id, scope, thought_id, reason } = tombstone;
  const cause = claimEventOf(draft.index, thought_id);
  return {
    verb: 'keep_out',
    informed_by: cause === null ? [] : [cause],
    local: { scope, thought_id, tombstone: id, reason, kind: 'human' },
    files,
  };
}
