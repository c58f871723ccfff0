/**
 * How large things may be. FAVA has no limits; these keep a file under the 1 MiB above which jj skips it in silence
 * (fava.md 3.11, cases.md B17), and every list short enough to show.
 *
 * Bytes are UTF-8 bytes; characters are code points.
 */
import { fieldPath } from './field-path.ts';
import { type Refusal, refuse } from './outcome.ts';
import type { Json, Thought } from './thought.ts';

const KIB = 1024;

export const LIMITS = {
  bodyBytes: 960 * KIB,
  /** Of the encoded frontmatter, decisions included. */
  frontmatterBytes: 32 * KIB,
  /** The part of it kept free until a decision is written. */
  decisionBytes: 8 * KIB,
  /** A file is smaller than this; holds by construction, body and frontmatter being what they are. */
  fileBytes: 1024 * KIB,
  tags: 64,
  tagCharacters: 128,
  relationships: 64,
  /** Levels of maps and lists in `metadata.extra`, itself the first. */
  extraDepth: 16,
  /** Of any string but the body. */
  stringBytes: 8 * KIB,
  /** Of an id that a thought refers to. */
  idCharacters: 128,
  reasonBytes: 4 * KIB,
  queryBytes: 2 * KIB,
  queryTokens: 32,
  trailNames: 64,
  /** Entries of `informed_by`; each is an id or a hash, so below 100 characters. */
  causes: 100,
} as const;

const ID_FIELDS = ['thought_id', 'parent_id', 'superseded_by', 'supersedes_id', 'intent_ref'] as const;
const TEXT_FIELDS = ['agent_id', 'created_at', 'superseded_scope', 'supersedes_scope'] as const;

interface Place {
  readonly field: string;
  readonly depth: number;
}

/**
 * The first limit a thought breaks, or `null`. `encodedFrontmatterBytes` is the size of its frontmatter as the codec
 * writes it. Until a decision is in it, a thought must leave {@link LIMITS.decisionBytes} free, so that no thought can
 * be saved that cannot be decided.
 */
export function checkLimits(thought: Thought, encodedFrontmatterBytes: number): Refusal | null {
  return (
    checkText(thought.body, { field: 'content', bytes: LIMITS.bodyBytes }) ??
    checkFields(thought) ??
    checkRelationships(thought) ??
    checkMetadata(thought) ??
    checkValue(thought.unknown ?? {}, { field: 'frontmatter', depth: 1 }) ??
    checkFrontmatter(thought, encodedFrontmatterBytes)
  );
}

export interface TextLimit {
  readonly field: string;
  readonly bytes: number;
}

/** Refuses text that is too long, or that no file can hold: NUL, and surrogates without their other half. */
export function checkText(text: string, limit: TextLimit): Refusal | null {
  const { field, bytes } = limit;
  if (text.includes('\0')) return notStorable(field, 'a NUL character');
  if (/\p{Surrogate}/u.test(text)) return notStorable(field, 'a lone surrogate (half of a UTF-16 pair)');
  return over({ field, size: Buffer.byteLength(text, 'utf8'), limit: bytes, unit: 'bytes' });
}

function checkFields(thought: Thought): Refusal | null {
  for (const field of TEXT_FIELDS) {
    const refusal = checkText(thought[field] ?? '', { field, bytes: LIMITS.stringBytes });
    if (refusal) return refusal;
  }
  for (const field of ID_FIELDS) {
    const refusal = checkId(thought[field] ?? '', field);
    if (refusal) return refusal;
  }
  return null;
}

function checkRelationships({ relationships }: Thought): Refusal | null {
  const field = 'relationships';
  const refusal = over({ field, size: relationships.length, limit: LIMITS.relationships, unit: 'entries' });
  return refusal ?? first(relationships, ({ target_id }, index) => checkId(target_id, `${field}[${index}].target_id`));
}

function checkMetadata({ metadata }: Thought): Refusal | null {
  const { project = '', branch = '', tags, extra } = metadata;
  const reason = typeof extra['reason'] === 'string' ? extra['reason'] : '';
  return (
    checkText(project, { field: 'metadata.project', bytes: LIMITS.stringBytes }) ??
    checkText(branch, { field: 'metadata.branch', bytes: LIMITS.stringBytes }) ??
    over({ field: 'metadata.tags', size: tags.length, limit: LIMITS.tags, unit: 'entries' }) ??
    first(tags, (tag, index) => {
      const field = `metadata.tags[${index}]`;
      return checkText(tag, { field, bytes: LIMITS.stringBytes }) ?? checkCharacters(tag, field, LIMITS.tagCharacters);
    }) ??
    checkText(reason, { field: 'reason', bytes: LIMITS.reasonBytes }) ??
    checkValue(extra, { field: 'metadata.extra', depth: 1 })
  );
}

/** Walks free JSON. The depth is checked before going down, so hostile nesting cannot exhaust the stack. */
function checkValue(value: Json, place: Place): Refusal | null {
  const { field, depth } = place;
  if (typeof value === 'string') return checkText(value, { field, bytes: LIMITS.stringBytes });
  if (typeof value === 'number' && !Number.isFinite(value)) return notStorable(field, 'a number that is not finite');
  if (typeof value !== 'object' || value === null) return null;
  if (depth > LIMITS.extraDepth) {
    return over({ field, size: depth, limit: LIMITS.extraDepth, unit: 'levels of nesting' });
  }
  return first(Object.entries(value), ([key, item], index) => {
    const inner = fieldPath(field, Array.isArray(value) ? index : key);
    return (
      checkText(key, { field: inner, bytes: LIMITS.stringBytes }) ??
      checkValue(item, { field: inner, depth: depth + 1 })
    );
  });
}

function checkFrontmatter(thought: Thought, size: number): Refusal | null {
  const { trust_gate, approval } = thought.metadata.extra;
  const isDecided = trust_gate !== undefined || approval !== undefined || thought.superseded_by !== undefined;
  const limit = LIMITS.frontmatterBytes - (isDecided ? 0 : LIMITS.decisionBytes);
  return over({ field: 'metadata', size, limit, unit: 'bytes with all other frontmatter' });
}

function checkId(id: string, field: string): Refusal | null {
  return checkText(id, { field, bytes: LIMITS.stringBytes }) ?? checkCharacters(id, field, LIMITS.idCharacters);
}

function checkCharacters(text: string, field: string, limit: number): Refusal | null {
  return over({ field, size: [...text].length, limit, unit: 'characters' });
}

function over(at: { field: string; size: number; limit: number; unit: string }): Refusal | null {
  const { field, size, limit, unit } = at;
  if (size <= limit) return null;
  return refuse('invalid', `Field "${field}" has ${size} ${unit}, the limit is ${limit}`, {
    field,
    next: `Shorten "${field}", or split the thought into several`,
    details: { size, limit },
  });
}

function notStorable(field: string, what: string): Refusal {
  return refuse('invalid', `Field "${field}" contains ${what}, which a thought file cannot hold`, {
    field,
    next: `Remove it from "${field}" and send the call again`,
  });
}

function first<T>(items: readonly T[], check: (item: T, index: number) => Refusal | null): Refusal | null {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index);
    if (refusal) return refusal;
  }
  return null;
}
