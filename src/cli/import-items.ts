/** What one file holds, as calls of save: a note, a thought file, or a line of JSON for each item. */
import { parseArguments } from '../mcp/arguments.ts';
import { tags } from '../mcp/fields.ts';
import { saveInput } from '../mcp/tools/save-thought.ts';
import { decodeThought, FRONTMATTER_LIMIT } from '../record/codec/index.ts';
import { isJsonObject } from '../record/json-object.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { textDigest } from '../record/text-digest.ts';
import { OWNED_EXTRA_KEYS, type Thought } from '../record/thought.ts';
import { findSecret } from '../secrets/find-secret.ts';
import { secretRefusal } from '../secrets/secret-refusal.ts';
import type { SaveInput } from '../trail/types.ts';
import { kindOf, type Source } from './import-sources.ts';

export type ItemInput = Omit<SaveInput, 'trail_name'>;

export interface Item {
  /** The file's name; of a file that holds several, with the line after a colon. */
  readonly name: string;
  readonly input: Outcome<ItemInput>;
}

/** Bytes of a line, well above what a thought takes in JSON. */
const LINE_BYTES = 8 * 1024 * 1024;
/** The arguments of save_thought but the scope, which the command names, and the key, which is made here. */
const lineSchema = saveInput.omit({ trail_name: true, idempotency_key: true }).extend({ tags });

export function* itemsOf({ name, content }: Source): Generator<Item> {
  if (!content.ok) yield { name, input: content };
  else if (kindOf(name) === 'jsonl') yield* itemsOfLines(name, content.value);
  else yield { name, input: withText(ofMarkdown(name, content.value)) };
}

/** A thought file as what it says, without what others decided about it; any other text as it stands. */
function ofMarkdown(file: string, bytes: Uint8Array): Outcome<ItemInput> {
  const decoded = decodeThought(bytes);
  if (decoded.ok) return ofThought(file, decoded.thought);
  const text = textOf(bytes);
  if (text === null) return notUtf8();
  if (isMeantAsThought(text)) {
    return refuse('invalid', `Line ${decoded.line}: ${decoded.message}`, {
      next: 'Mend the frontmatter, or remove it to import the text as a note',
    });
  }
  return ok({ content: text, metadata: { extra: { source: { file, sha256: textDigest(text) } } } });
}

function isMeantAsThought(text: string): boolean {
  return /^---[ \t]*\r?\n/.test(text) && /^thought_id[ \t]*:/m.test(text.slice(0, FRONTMATTER_LIMIT));
}

/** Id, author, time and status cannot be taken over: this record's own say who put it forward here, and when. */
function ofThought(file: string, thought: Thought): Outcome<ItemInput> {
  // First, since the next refusal names keys.
  const secret = findSecret(thought);
  if (secret !== null) return secretRefusal(secret);
  const [unknown] = Object.keys(thought.unknown ?? {});
  if (unknown !== undefined) {
    return refuse('invalid', `Frontmatter field ${JSON.stringify(unknown.slice(0, 64))} has no place in a thought`, {
      next: 'Move it under "metadata.extra", or remove it',
    });
  }
  const { thought_id, agent_id, created_at, validation_status: status, body } = thought;
  const { parent_id, intent_ref, confidence, source_type, relationships, metadata } = thought;
  const kept = Object.entries(metadata.extra).filter(([key]) => !OWNED_EXTRA_KEYS.some((owned) => owned === key));
  const source = { file, sha256: textDigest(body), thought_id, agent_id, created_at, status };
  return ok({
    content: body,
    source_type,
    confidence,
    parent_id,
    intent_ref,
    relationships,
    metadata: { ...metadata, extra: { source, ...Object.fromEntries(kept) } },
  });
}

function* itemsOfLines(file: string, bytes: Uint8Array): Generator<Item> {
  let line = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    line += 1;
    const input = ofLine({ file, line }, bytes.subarray(start, end));
    if (input !== null) yield { name: `${file}:${line}`, input: withText(input) };
    start = end + 1;
  }
}

/** `null` for a blank line. */
function ofLine(at: { readonly file: string; readonly line: number }, bytes: Uint8Array): Outcome<ItemInput> | null {
  if (bytes.length > LINE_BYTES) {
    return refuse('invalid', `The line has ${bytes.length} bytes, the limit is ${LINE_BYTES}`, { next: 'Split it' });
  }
  const text = textOf(bytes);
  if (text === null) return notUtf8();
  if (text.trim() === '') return null;
  const object = parseJson(text);
  if (!isJsonObject(object)) {
    return refuse('invalid', 'The line is not a JSON object', {
      next: 'Write one object a line, such as {"content": "..."}',
    });
  }
  // First, since the next refusal names keys.
  const secret = findSecret(object);
  if (secret !== null) return secretRefusal(secret);
  const parsed = parseArguments(object, { tool: 'import', schema: lineSchema });
  if (!parsed.ok) return parsed;
  const { tags: own, ...input } = parsed.value;
  if (own !== undefined && input.metadata?.tags !== undefined) {
    return refuse('invalid', '"tags" stands twice, also in "metadata"', { field: 'tags', next: 'Keep one of the two' });
  }
  const { extra, ...metadata } = input.metadata ?? {};
  const source = { ...at, sha256: textDigest(input.content) };
  return ok({
    ...input,
    metadata: { ...metadata, ...(own === undefined ? {} : { tags: own }), extra: { source, ...extra } },
  });
}

function withText(input: Outcome<ItemInput>): Outcome<ItemInput> {
  if (!input.ok || input.value.content.trim() !== '') return input;
  return refuse('invalid', 'It holds no text', {
    field: 'content',
    next: 'Leave it out, or write what is worth knowing',
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Without a byte order mark, which says how a file is encoded and nothing else; `null` when it is not UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function notUtf8(): Refusal {
  return refuse('invalid', 'It is not valid UTF-8', { next: 'Convert it to UTF-8' });
}
