/** Results of the tools as schemas: what `docs/tools.md` says and the full surface advertises. */
import * as z from 'zod';
import { RELATIONSHIP_TYPES, SOURCE_TYPES, STATUSES } from '../record/thought.ts';
import { DANGLING_REASONS, DIRECTIONS } from '../trail/trace/types.ts';
import { ROLLBACK_ACTIONS } from '../trail/types.ts';

/** Checks `schema` but advertises only words: clients trip over type unions (cases.md B65). */
function untyped(schema: z.ZodType, description: string) {
  return z.custom<unknown>((value) => schema.safeParse(value).success).meta({ description });
}

const indexState = z
  .looseObject({
    indexed: untyped(z.string().nullable(), 'Commit the answer was made from, or null'),
    head: untyped(z.string().nullable(), 'Commit the branch names, or null'),
    behind: z.int().describe('Commits between them'),
  })
  .describe('Only when the index lags behind the branch')
  .optional();

/** A thought as every tool shows it. */
export const thoughtOutput = z.looseObject({
  thought_id: z.string(),
  source_type: z.enum(SOURCE_TYPES),
  validation_status: z.enum(STATUSES),
  confidence: z.number(),
  agent_id: z.string(),
  created_at: z.string().describe('ISO 8601'),
  content_preview: z.string().describe('First 200 characters, "..." when cut'),
  source_trail: z.string().optional(),
  content: z.string().optional(),
  content_truncated: z.literal(true).describe('content was cut at the size cap').optional(),
  supersedes_id: z.string().optional(),
  supersedes_scope: z.string().optional(),
  parent_id: z.string().optional(),
  superseded_by: z.string().optional(),
  superseded_scope: z.string().optional(),
  intent_ref: z.string().optional(),
  relationships: z.array(z.looseObject({ type: z.enum(RELATIONSHIP_TYPES), target_id: z.string() })).optional(),
  metadata: z
    .looseObject({
      project: z.string().optional(),
      branch: z.string().optional(),
      tags: z.array(z.string()).optional(),
      extra: z.looseObject({}).optional(),
    })
    .optional(),
  reason: z.string().optional(),
  claim: z.string().describe('Digest a decision binds to').optional(),
  erased: z.boolean().optional(),
  unverified: z.string().describe('Why the ledger does not back this thought; only in history').optional(),
  valid_from: z.string().describe('True in the world from then, ISO 8601').optional(),
  valid_to: z.string().describe('First moment at which it is no longer').optional(),
  review_by: z.string().optional(),
  due: z.literal(true).describe('review_by has come').optional(),
  lapsed: z.literal(true).describe('valid_to has come').optional(),
  malformed_dates: z.array(z.string()).describe('Dates in its file that count as absent').optional(),
  present_status: z.string().describe('With known_at: what it is now').optional(),
});

const unresolved = z
  .array(z.string())
  .describe('Entries of informed_by that are kept and name nothing here')
  .optional();

const nearTombstone = z
  .array(z.looseObject({ tombstone: z.string(), scope: z.string(), reason: z.string(), since: z.string() }))
  .describe('Rejected values it comes close to; a person decides')
  .optional();

export const writeOutput = z.looseObject({
  status: z.literal('ok'),
  thought: thoughtOutput,
  message: z.string(),
  warning: z.string().optional(),
  unresolved,
  duplicate_of: z.array(z.string()).describe('Thoughts here that say the same').optional(),
  near_tombstone: nearTombstone,
});

export const getOutput = z.looseObject({ status: z.literal('ok'), thought: thoughtOutput, index: indexState });

export const proposeOutput = z.looseObject({
  status: z.enum(['ok', 'proposed', 'rejected', 'error']).describe('proposed: waits for a person'),
  thought: thoughtOutput,
  message: z.string(),
  near_tombstone: nearTombstone,
});

export const supersedeOutput = z.looseObject({
  status: z.literal('ok'),
  new_thought: thoughtOutput,
  supersedes_thought_id: z.string(),
  reason: z.string(),
  message: z.string(),
  source_trail: z.string().optional(),
  target_trail: z.string().optional(),
  warning: z.string().optional(),
  unresolved,
  near_tombstone: nearTombstone,
});

const sessionEntries = z.array(z.looseObject({ thought_id: z.string(), preview: z.string() }));

/** Order `session` has an answer of its own: a union at the root is what clients trip over (cases.md B64). */
export const recallOutput = z.looseObject({
  status: z.literal('ok'),
  count: z.int().describe('Thoughts on this page').optional(),
  total: untyped(
    z.union([z.int(), z.looseObject({ at_least: z.int() })]),
    'A number, or {"at_least": 1000}',
  ).optional(),
  thoughts: z.array(thoughtOutput).describe('All that follow a page, but not order session').optional(),
  session: z
    .looseObject({
      status: sessionEntries,
      decisions: sessionEntries,
      gotchas: sessionEntries,
      preferences: sessionEntries,
    })
    .describe('Only with order session, as the two counts')
    .optional(),
  own_drafts: z.int().optional(),
  proposals: z.int().describe("That wait here: your own; an operator sees everybody's").optional(),
  oldest_proposal: z.string().describe('When it was put forward').optional(),
  related: z.array(thoughtOutput).describe('Targets of relationships; only with include_relationships').optional(),
  cursor: z.string().describe('Pass it to get the next page').optional(),
  notes: z.array(z.string()).optional(),
  index: indexState,
  filters: z.looseObject({}).optional(),
});

export const listScopesOutput = z.looseObject({
  status: z.literal('ok'),
  count: z.int(),
  scopes: z.array(z.looseObject({ path: z.string(), thought_count: z.int().optional() })),
  index: indexState,
});

const standing = z.enum([...STATUSES, 'superseded']).optional();
const rollbackChange = z.looseObject({
  thought_id: z.string(),
  scope: z.string(),
  action: z.enum(ROLLBACK_ACTIONS),
  from: standing,
  to: standing,
  why: z.string(),
  new_thought_id: z.string().describe('Draft that holds the earlier text').optional(),
});

export const rollbackOutput = z.looseObject({
  status: z.literal('ok'),
  message: z.string(),
  changes: z.array(rollbackChange),
  dry_run: z.boolean(),
  partners: z.array(rollbackChange).describe('Changes in other scopes, which also must name').optional(),
});

export const diffOutput = z.looseObject({
  status: z.literal('ok'),
  summary: z.string().describe('A line in all, then one a thought'),
  files_changed: z.array(z.string()),
});
export const startOutput = z.looseObject({
  status: z.literal('ok'),
  change_id: z.string().describe('Context of your later saves'),
  description: z.string(),
  message: z.string(),
});

export const syncOutput = z.looseObject({ status: z.literal('not_configured'), message: z.string() });

export const conflictsOutput = z.looseObject({
  status: z.enum(['ok', 'conflict']),
  has_conflicts: z.boolean(),
  count: z.int().optional(),
  conflicts: z
    .array(z.looseObject({ file: z.string(), description: z.string(), resolution_hint: z.string() }))
    .optional(),
  message: z.string(),
});

const hashes = z.array(z.string());
const egress = z
  .looseObject({ hosts: z.array(z.string()), requests: z.int() })
  .describe('Only when something left this machine')
  .optional();
const traceSteps = z.looseObject({
  depth: z.int(),
  record_hash: z.string(),
  parent_hashes: hashes.describe('What led here'),
  source: z.string(),
  event_type: z.string().describe('Absent with compact false, as all up to content, which record holds').optional(),
  context_id: z.string().optional(),
  creator_key: z.string().optional(),
  timestamp: z.number().optional(),
  next_informed_by: hashes.describe('Where the walk goes from here, the first 100'),
  next_total: z.int().describe('How many there are, when more').optional(),
  next_resolved: hashes.describe('Those that are here').optional(),
  next_dangling: hashes.optional(),
  sidecar_summary: z.looseObject({}).describe('What the writer said of it, cut').optional(),
  local_content: untyped(z.json(), 'Only with include_content').optional(),
  record: z.looseObject({}).describe('Only with compact false').optional(),
  verification: z
    .looseObject({
      status: z.enum(['valid', 'bad_signature', 'malformed', 'unverifiable']),
      reason: z.string().optional(),
    })
    .describe('Absent with verify false')
    .optional(),
  thought: z
    .looseObject({
      thought_id: z.string(),
      scope: z.string(),
      status: z.string(),
      superseded: z.boolean(),
      content_preview: z.string(),
      approved_by: z.string().optional(),
    })
    .optional(),
  erased_by: z.string().describe('Erasure that says what stood beside the record').optional(),
  content_matches: z.boolean().describe('Whether the record commits to what the writer said').optional(),
});

export const traceOutput = z.looseObject({
  start_hash: z.string(),
  direction: z.enum(DIRECTIONS),
  depth_requested: z.int(),
  depth_reached: z.int(),
  visited: z.array(traceSteps),
  dangling: hashes.describe('Named by what was visited, and not shown'),
  truncated_by_depth: z.boolean(),
  truncated_by_cap: z.boolean(),
  warnings: z.array(z.string()),
  dangling_details: z.array(z.looseObject({ record_hash: z.string(), reason: z.enum(DANGLING_REASONS) })),
  cursor: z.string().describe('Pass it to get the next page').optional(),
  egress,
  index: indexState,
});

const steps = z.array(z.looseObject({ record_hash: z.string(), at: z.string(), text: z.string() }));

export const summarizeOutput = z.looseObject({
  narrative: z.string().describe('Cites records by the first 12 hex digits of their hashes'),
  narrative_by: z.string().describe('waymark, or "model" and its name'),
  cited_record_hashes: hashes,
  steps: steps.describe('Oldest first'),
  decisions: steps,
  turning_points: steps,
  open_ends: z.array(z.looseObject({ record_hash: z.string(), text: z.string(), missing: hashes.optional() })),
  records_summarized: z.int(),
  records_skipped: z.int(),
  records_with_sidecar: z.int(),
  records_without_sidecar: z.int(),
  model_used: untyped(z.string().nullable(), 'Name of the model, or null'),
  flagged_sentences: z
    .array(z.looseObject({ sentence: z.string(), reason: z.string() }))
    .describe('Sentences of a model that its records do not carry')
    .optional(),
  warnings: z.array(z.string()),
  egress,
  index: indexState,
});

export const guideOutput = z.looseObject({ status: z.literal('ok'), content: z.string().describe('Markdown') });
