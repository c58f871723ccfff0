import { z } from 'zod';
import { isJsonObject } from '../json-object.ts';
import { type Json, type JsonObject, RELATIONSHIP_TYPES, SOURCE_TYPES, STATUSES, type Thought } from '../thought.ts';

/** A thought without its body: what the frontmatter says. */
export type Frontmatter = Omit<Thought, 'body'>;

/**
 * What is wrong with a value. The message names what was wanted and never quotes the file: its text may be withheld from
 * the reader of the message.
 */
export interface SchemaProblem {
  readonly ok: false;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Optional fields: absent and null are the same, as FAVA reads them. */
const text = z.string().nullish();

const jsonObject = z.custom<JsonObject>(isJsonObject, 'Expected a map');

/** ISO 8601 and the looser forms in which YAML 1.1 and pydantic write a time; FAVA reads them all. */
const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:(?:[Tt]|[ \t]+)(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d*)?)?[ \t]*(?:[Zz]|[-+]\d{2}(?::?\d{2})?)?)?$/;

const metadataSchema = z.object({
  project: text,
  branch: text,
  tags: z.array(z.string()).default([]),
  extra: jsonObject.default({}),
});

const frontmatterSchema = z.object({
  schema_version: z.literal(1).default(1),
  thought_id: z.string().min(1),
  parent_id: text,
  superseded_by: text,
  superseded_scope: text,
  supersedes_id: text,
  supersedes_scope: text,
  agent_id: z.string().default('unknown'),
  confidence: z.number().min(0).max(1).default(0.5),
  source_type: z.enum(SOURCE_TYPES).default('observation'),
  validation_status: z.enum(STATUSES).default('draft'),
  intent_ref: text,
  created_at: z.string().regex(TIMESTAMP, 'Expected an ISO 8601 time'),
  // Strict, because an unknown key has no place in a thought and would be lost by a rewrite.
  relationships: z.array(z.strictObject({ type: z.enum(RELATIONSHIP_TYPES), target_id: z.string() })).default([]),
  metadata: metadataSchema.default({ tags: [], extra: {} }),
});

/** The frontmatter fields this version knows. */
export const FIELDS: ReadonlySet<string> = new Set(Object.keys(frontmatterSchema.shape));

/** The fields of `metadata` this version knows. */
export const METADATA_FIELDS: ReadonlySet<string> = new Set(Object.keys(metadataSchema.shape));

/**
 * Turns the frontmatter's values into a thought, with FAVA's defaults.
 *
 * Unknown keys are kept in `unknown`, those of `metadata` in `unknown.metadata`.
 */
export function toFrontmatter(tree: Json): { readonly ok: true; readonly value: Frontmatter } | SchemaProblem {
  if (!isJsonObject(tree)) return { ok: false, path: [], message: 'Frontmatter is not a map of fields' };
  const parsed = frontmatterSchema.safeParse(tree);
  if (!parsed.success) return problem(parsed.error);
  const { parent_id, superseded_by, superseded_scope, supersedes_id, supersedes_scope, intent_ref, metadata, ...rest } =
    parsed.data;
  const { project, branch, tags, extra } = metadata;
  const unknown = unknownOf(tree);
  return {
    ok: true,
    value: {
      ...rest,
      ...(parent_id != null && { parent_id }),
      ...(superseded_by != null && { superseded_by }),
      ...(superseded_scope != null && { superseded_scope }),
      ...(supersedes_id != null && { supersedes_id }),
      ...(supersedes_scope != null && { supersedes_scope }),
      ...(intent_ref != null && { intent_ref }),
      metadata: { ...(project != null && { project }), ...(branch != null && { branch }), tags, extra },
      ...(unknown !== undefined && { unknown }),
    },
  };
}

function problem(error: z.ZodError): SchemaProblem {
  const issue = error.issues[0];
  const path = issue?.path ?? [];
  // zod's own text for these quotes the file's keys.
  const message = issue?.code === 'unrecognized_keys' ? 'Unknown keys are not supported here' : (issue?.message ?? '');
  return { ok: false, path, message: `Field "${path.map(String).join('.')}": ${message}` };
}

function unknownOf(tree: JsonObject): JsonObject | undefined {
  const fields = entriesBeyond(tree, FIELDS);
  const inMetadata = isJsonObject(tree['metadata']) ? entriesBeyond(tree['metadata'], METADATA_FIELDS) : [];
  if (inMetadata.length > 0) fields.push(['metadata', Object.fromEntries(inMetadata)]);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

/** The unknown entries. Not left to zod, which drops a key named `__proto__`; `Object.fromEntries` makes it plain data. */
function entriesBeyond(map: JsonObject, known: ReadonlySet<string>): [string, Json][] {
  const names = Object.keys(map).filter((name) => !known.has(name));
  return names.length > 0 ? Object.entries(map).filter(([name]) => !known.has(name)) : [];
}
