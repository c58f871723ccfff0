/**
 * What a model is given to judge by, read through the index: the author's own text and what the author may see of the
 * texts around it. Whoever proposes it, the model learns no more than its author could,
 * nor than the grants of who proposes it reach: what it says goes back to them.
 */

import { TRAILS_DIR } from '../../record/paths.ts';
import type { Principal } from '../../record/principal.ts';
import { ancestors } from '../../record/scope.ts';
import { textDigest } from '../../record/text-digest.ts';
import type { Thought } from '../../record/thought.ts';
import { isVisible } from '../../record/visibility.ts';
import { DEFAULT_PROMPT } from '../../review/default-prompt.ts';
import { type Candidate, type Excerpt, excerptOf, type Material } from '../../review/prompt.ts';
import { findSecret } from '../../secrets/find-secret.ts';
import type { Index } from '../../store/index/index.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { claimEventOf } from '../causes.ts';
import { neighboursOf } from '../neighbours.ts';
import { inForce, type SettingsIndex } from '../settings.ts';

/** Characters of what is only for comparison. */
const REPLACED_CHARACTERS = 16_000;
const NEIGHBOUR_CHARACTERS = 4_000;
const CAUSE_CHARACTERS = 2_000;
const CAUSES = 5;
const LONGEST_SECRET = 8_192;

export function gatherMaterial(index: Index, row: StoredThought, { grants }: Pick<Principal, 'grants'>): Material {
  const { thought, scope } = row;
  const author: Principal = { agent_id: thought.agent_id, role: 'agent', via: 'library' };
  const principal = grants === undefined ? author : { ...author, grants };
  const replaced = replacedBy(index, thought, principal);
  const except = [thought.thought_id, ...(replaced === undefined ? [] : [replaced.thought.thought_id])];
  const neighbours = neighboursOf(index, { scope, body: thought.body, except, principal });
  return {
    thought_under_review: candidateOf(thought),
    ...(replaced === undefined ? {} : { it_would_replace: comparedWith(replaced, REPLACED_CHARACTERS) }),
    nearest_approved: neighbours.map(({ row: near, similarity }) => ({
      ...comparedWith(near, NEIGHBOUR_CHARACTERS),
      similarity: Math.round(similarity * 100) / 100,
    })),
    causes: causesOf(index, row, { principal, except }),
  };
}

function candidateOf({ body, source_type, confidence, metadata }: Thought): Candidate {
  const { project, branch, tags, extra } = metadata;
  const said = (['reason', 'valid_from', 'valid_to'] as const).flatMap((name) => {
    const value = extra[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return {
    text: body,
    source_type,
    confidence,
    tags,
    ...(project === undefined ? {} : { project }),
    ...(branch === undefined ? {} : { branch }),
    ...Object.fromEntries(said),
  };
}

function replacedBy(index: Index, thought: Thought, principal: Principal): StoredThought | undefined {
  const { supersedes_id: id, supersedes_scope: scope } = thought;
  if (id === undefined) return undefined;
  return index
    .thoughtById(id)
    .find((other) => (scope === undefined || other.scope === scope) && isSeen(other, principal));
}

/** Thoughts of the same scope that the present text's record names as what led to it. */
function causesOf(
  index: Index,
  { thought, scope }: StoredThought,
  { principal, except }: { readonly principal: Principal; readonly except: readonly string[] },
): readonly Excerpt[] {
  const hash = claimEventOf(index, thought.thought_id);
  const named = hash === null ? [] : (index.eventByHash(hash)?.envelope.record.informed_by ?? []);
  const ids = named.flatMap((cause) => index.eventByHash(cause)?.envelope._local?.thought_id ?? []);
  return [...new Set(ids)]
    .filter((id) => !except.includes(id))
    .flatMap((id) => index.thoughtById(id).find((row) => row.scope === scope && isSeen(row, principal)) ?? [])
    .slice(0, CAUSES)
    .map((row) => comparedWith(row, CAUSE_CHARACTERS));
}

/**
 * The start of a text that is only for comparison. One with a secret in it, which came in before there was a rule for it, is
 * left out: the author of the candidate could do nothing about it. Looked for beyond the cut, which would leave half of it.
 */
function comparedWith({ thought: { body } }: StoredThought, characters: number): Excerpt {
  const found = findSecret(body.slice(0, characters + LONGEST_SECRET));
  return found === null ? excerptOf(body, characters) : { text: '(left out: it holds what looks like a secret)' };
}

function isSeen({ facts }: StoredThought, principal: Principal): boolean {
  return isVisible(facts, { principal, view: 'lineage' });
}

export interface Instructions {
  readonly text: string;
  /** `sha256:` of its bytes. */
  readonly digest: string;
}

/**
 * The most specific `trust-gate-prompt.md` in force, else our own. Only bytes that an operator signed count, so a file that
 * was edited since changes nothing. `null` when the signed version is not to be had: nobody knows what was to be asked.
 */
export function instructionsFor(index: SettingsIndex, scope: string): Instructions | null {
  const folders = [scope, ...ancestors(scope)].map((name) => `${TRAILS_DIR}/${name}`);
  for (const folder of [...folders, TRAILS_DIR]) {
    const bytes = inForce(index, `${folder}/trust-gate-prompt.md`);
    if (bytes === 'lost') return null;
    if (bytes !== null) return instructionsOf(Buffer.from(bytes).toString('utf8'));
  }
  return instructionsOf(DEFAULT_PROMPT);
}

function instructionsOf(text: string): Instructions {
  return { text, digest: `sha256:${textDigest(text)}` };
}
