import fc from 'fast-check';
import {
  type Json,
  type JsonObject,
  RELATIONSHIP_TYPES,
  SOURCE_TYPES,
  STATUSES,
  type Thought,
} from '../../../src/record/thought.ts';

const ASCII_PIECES = [
  ...['--', '-', ' ', '  ', ': ', ':', '#', ' #', "'", '"', '\\', '%', '@', '`', '?', '? ', '[', ']', '{', '}', ','],
  ...['&', '*', '!', '|', '>', '~', '=', '<<', 'a', 'word', 'longer words', '0', '1', '60', '.', '...', '_', 'e', '+'],
  ...['yes', 'No', 'null', 'true', 'x', '2026-11-30', 'T10:00:00', 'Z', '- ', '/', '(', ')', '__proto__'],
];
const OTHER_PIECES = [
  ...['---', '\n', '\n\n', '\r', '\t', '\0', '\x07', '\x1b', '\x7f', '\x80', '\x85', '\xa0', 'é', '🚀', '品牌'],
  ...['\u2028', '\u2029', '\ufeff', '\ufffd', '\ufffe', '\uffff', '\u{1ffff}', '\u{10ffff}', '\u0301', '학'],
];

const NUMBER_LIKE = fc.stringMatching(/^[-+]?(0[box])?[0-9_]{0,4}[.:]?[0-9_]{0,3}([eE][-+]?[0-9]{1,3})?$/);
const SENTENCE = fc
  .array(fc.constantFrom('we', 'retry', "don't", 'idempotent', 'a', 'of:', 'it', '-', '?', '', 'x'.repeat(30)), {
    minLength: 12,
    maxLength: 60,
  })
  .map((words) => words.join(' '));
const KNOWN_TRAPS = fc.constantFrom(
  '',
  ' ',
  '-',
  '?',
  ':',
  '~',
  'y',
  'n',
  'on',
  '1e3',
  '21E08',
  '09111',
  '0o17',
  '+.5',
);

/** Printable ASCII without `---`: what must have PyYAML's bytes. */
export const asciiText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'binary-ascii' }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
    fc.array(fc.constantFrom(...ASCII_PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
    SENTENCE,
    NUMBER_LIKE,
    KNOWN_TRAPS,
  )
  .filter((text) => !text.includes('---'));

/** Any well-formed text, mostly awkward. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  asciiText,
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...ASCII_PIECES, ...OTHER_PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
);

/** Numbers that JSON, JavaScript and Python print with the same type: integers and floats with a fraction. */
const plainNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
);

function jsonOf(text: fc.Arbitrary<string>): fc.Arbitrary<JsonObject> {
  const tie = fc.letrec<{ value: Json; map: JsonObject }>((self) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(text, plainNumber, fc.boolean(), fc.constant(null)),
      fc.array(self('value'), { maxLength: 3 }),
      self('map'),
    ),
    map: fc.dictionary(text, self('value'), { maxKeys: 3 }),
  }));
  return tie.map;
}

const KNOWN_FIELDS: readonly string[] = [
  ...['schema_version', 'thought_id', 'parent_id', 'superseded_by', 'superseded_scope', 'supersedes_id'],
  ...['supersedes_scope', 'agent_id', 'confidence', 'source_type', 'validation_status', 'intent_ref', 'created_at'],
  ...['relationships', 'metadata'],
];

/** Thoughts with such texts in every free scalar position. */
export function thoughtOf(text: fc.Arbitrary<string>): fc.Arbitrary<Thought> {
  const links = fc.record(
    {
      parent_id: text,
      superseded_by: text,
      superseded_scope: text,
      supersedes_id: text,
      supersedes_scope: text,
      intent_ref: text,
      unknown: jsonOf(text).filter((map) => {
        const keys = Object.keys(map);
        return keys.length > 0 && !keys.some((key) => KNOWN_FIELDS.includes(key));
      }),
    },
    { requiredKeys: [] },
  );
  const core = fc.record({
    schema_version: fc.constant(1 as const),
    thought_id: text.filter((id) => id !== ''),
    agent_id: text,
    confidence: fc.oneof(fc.constantFrom(0, 0.5, 1, 1e-5, 5e-324), fc.double({ min: 0, max: 1, noNaN: true })),
    source_type: fc.constantFrom(...SOURCE_TYPES),
    validation_status: fc.constantFrom(...STATUSES),
    created_at: fc.constantFrom('2026-11-30T09:15:27.104233Z', '2026-11-30', '2026-11-30T09:15:27+02:00'),
    relationships: fc.array(fc.record({ type: fc.constantFrom(...RELATIONSHIP_TYPES), target_id: text }), {
      maxLength: 2,
    }),
    body: fc.oneof(anyText, fc.constant('---\ntitle: z\n---\nhi\n')),
  });
  const metadata = fc
    .tuple(
      fc.record({ tags: fc.array(text, { maxLength: 4 }), extra: jsonOf(text) }),
      fc.record({ project: text, branch: text }, { requiredKeys: [] }),
    )
    .map(([required, names]) => ({ ...required, ...names }));
  return fc
    .tuple(core, links, metadata)
    .map(([required, linked, meta]) => ({ ...required, ...linked, metadata: meta }));
}

/** The frontmatter's entries in FAVA's order, absent fields omitted. A list, since objects put keys like `1` first. */
export function entriesOf(thought: Thought): [string, unknown][] {
  const { body: _, metadata, unknown, ...known } = thought;
  const { project, branch, tags, extra } = metadata;
  const names = { ...(project !== undefined && { project }), ...(branch !== undefined && { branch }) };
  const fields = Object.entries(known).sort(([a], [b]) => KNOWN_FIELDS.indexOf(a) - KNOWN_FIELDS.indexOf(b));
  return [...fields, ['metadata', { ...names, tags, extra }], ...Object.entries(unknown ?? {})];
}

/** The frontmatter as a map: what any reader should see. */
export function fieldsOf(thought: Thought): Record<string, unknown> {
  return Object.fromEntries(entriesOf(thought));
}
