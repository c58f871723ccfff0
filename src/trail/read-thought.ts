/** Reads one thought by its id alone, whatever its scope, as its file reads: what a link to it opens. */
import { encodeThought } from '../record/codec/index.ts';
import { withoutForeignScopes } from '../record/foreign-scopes.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import type { TrailContext } from './context.ts';
import { findThought, viewsOf } from './find-thought.ts';

export interface ReadThoughtInput {
  readonly thought_id: string;
}

export interface ThoughtFile {
  readonly thought_id: string;
  readonly scope: string;
  /** Frontmatter and body, as the file has them. */
  readonly text: string;
}

/** What explains a decision, the caller's own, and what waits for the caller to decide. Code `not_found` for all else. */
export async function readThought(context: TrailContext, input: ReadThoughtInput): Promise<Outcome<ThoughtFile>> {
  const { principal, repository } = context;
  const views = [...viewsOf(principal), 'review' as const];
  const { value: found } = await repository.read((index) => findThought(index, input.thought_id, { principal, views }));
  if (!found.ok) return found;
  const { thought, scope } = found.value;
  return ok({ thought_id: thought.thought_id, scope, text: encodeThought(withoutForeignScopes(thought, principal)) });
}
