/** The text that a person had before them when it changed: found again in the history by the claim they saw. */
import { claimDigest, claimOf } from '../../record/claim.ts';
import { decodeThought } from '../../record/codec/index.ts';
import { withoutForeignScopes } from '../../record/foreign-scopes.ts';
import type { JsonObject, Thought } from '../../record/thought.ts';
import type { TrailContext } from '../context.ts';
import { findDecidable } from '../find-decidable.ts';

export interface TextReviewed {
  readonly body: string;
  /** Every other field a decision is about. */
  readonly fields: JsonObject;
}

/** States of the file that are looked at, newest first. */
const MAX_STATES = 20;

/**
 * `null` when it cannot be had: the history was cut or erased, several changes share a second, or the viewer may not
 * decide there. Only what waited for a decision then is looked at, as nothing else was on a page of the desk.
 */
export async function textReviewed(
  { repository, principal }: Pick<TrailContext, 'repository' | 'principal'>,
  asked: { readonly scope: string; readonly thought_id: string; readonly claim: string },
): Promise<TextReviewed | null> {
  const { value: states } = await repository.read((index) => {
    if (!findDecidable(index, { principal, ...asked }).ok) return [];
    const events = index.eventsOfThought(asked.thought_id).filter(({ valid }) => valid);
    return events.reverse().flatMap(({ envelope }) => {
      const files = envelope._local?.files ?? [];
      const [file] = files.filter(({ thought_id, after }) => thought_id === asked.thought_id && after !== null);
      return file === undefined ? [] : [{ path: file.path, at: envelope.record.timestamp }];
    });
  });
  for (const { path, at } of states.slice(0, MAX_STATES)) {
    const thought = await thoughtAt(repository.store, { path, at });
    if (thought?.validation_status !== 'proposed' || claimDigest(thought) !== asked.claim) continue;
    const { body: _, ...fields } = claimOf(withoutForeignScopes(thought, principal));
    return { body: thought.body, fields };
  }
  return null;
}

async function thoughtAt(
  store: TrailContext['repository']['store'],
  { path, at }: { readonly path: string; readonly at: number },
): Promise<Thought | null> {
  // A commit has whole seconds: the one of this second is wanted.
  const commit = await store.commitAt(at);
  const bytes = commit === null ? null : await store.readPath(commit, path);
  const decoded = bytes === null ? null : decodeThought(bytes);
  return decoded?.ok === true ? decoded.thought : null;
}
