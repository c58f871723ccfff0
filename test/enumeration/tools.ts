/** Every argument of every tool. Producer: its schema. Consumer: a test in which it changes the answer. */
import type { Table } from './entry.ts';

const RECALL = 'src/mcp/tools/recall.ts';
const GET = 'src/mcp/tools/get-thought.ts';
const SAVE = 'src/mcp/tools/save-thought.ts';
const UPDATE = 'src/mcp/tools/update-thought.ts';
const PROPOSE = 'src/mcp/tools/propose-truth.ts';
const SUPERSEDE = 'src/mcp/tools/supersede.ts';
const MOVE = 'src/mcp/tools/change-scope.ts';
const FORGET = 'src/mcp/tools/forget.ts';
const ROLLBACK = 'src/mcp/tools/rollback.ts';
const DIFF = 'src/mcp/tools/diff.ts';
const LIST = 'src/mcp/tools/list-scopes.ts';
const START = 'src/mcp/tools/start-thought.ts';
const TRACE = 'src/mcp/tools/trace.ts';
const LEARN = 'src/mcp/tools/learn-preference.ts';

const FILTERS = 'test/cases/recall.test.ts: filters narrow by namespace';
const STATUSES = 'test/cases/authority.test.ts: history and include_superseded are for operators';
const EXACT = 'test/cases/authority.test.ts: a write needs its target visible and in exactly the named scope';
const OWN = 'test/cases/authority.test.ts: an agent_id that is not the own one is refused';
const COPIES = 'test/cases/lifecycle.test.ts: a successor copies what describes the thought';
const SHAPES = 'test/cases/kinds.test.ts: what describes a thought comes back as it was saved';
const BODY = 'test/cases/bytes.test.ts: a body of %s is the same in the answer and in the file';
const NAMES_ONE = 'test/cases/forget.test.ts: forget names one thought and a reason';
const KEEPS_OUT = 'test/cases/tombstone.test.ts: short values count exactly; grounds and keep_out say';
const SINCE = 'test/cases/forget.test.ts: diff says what changed in one scope since a point';
const ELSEWHERE = 'test/cases/rollback.test.ts: another scope is not touched';
const CAUSES = 'test/cases/causes.test.ts: each saving tool signs the causes the caller names';
const TELLS = 'src/mcp/tools/summarize.ts';
const TOLD = 'test/trail/summarize/summarize.test.ts: hashes, a context and a trace are one set';
const VALID = 'test/cases/two-clocks.test.ts: at %s holds exactly what was true then';
const KNOWN = 'test/cases/two-clocks.test.ts: a correction with late knowledge';
const OPENS = 'test/cases/two-clocks.test.ts: get_thought opens what was true then';
const DUE = 'test/cases/two-clocks.test.ts: what is due or lapsed is marked';
const ANEW = 'test/cases/two-clocks.test.ts: a new text says its dates anew';
const ONCE = 'test/cases/idempotency.test.ts: every write answers the same key and input';

/** Each with the title of the test in which it changes the answer. */
const TRACE_ARGUMENTS = {
  record_hash: 'a thought id leads to its own last decision',
  depth: 'every argument changes what is walked or how it is shown',
  max_nodes: 'pages go on where they ended',
  compact: 'every argument changes what is walked or how it is shown',
  direction: 'every argument changes what is walked or how it is shown',
  context_id: 'every argument changes what is walked or how it is shown',
  include_content: 'every argument changes what is walked or how it is shown',
  follow: 'every argument changes what is walked or how it is shown',
  verify: 'every argument changes what is walked or how it is shown',
  cursor: 'pages go on where they ended',
};

export const toolArguments: Table = {
  'recall.trail_name': [RECALL, 'test/cases/scopes.test.ts: a parent scope does not answer for its children'],
  'recall.query': [RECALL, "test/cases/recall.test.ts: FAVA's retrieval baseline"],
  'recall.namespace': [RECALL, FILTERS],
  'recall.scope': [RECALL, FILTERS],
  'recall.scope.project': [RECALL, FILTERS],
  'recall.scope.branch': [RECALL, FILTERS],
  'recall.scope.tags': [RECALL, FILTERS],
  'recall.include_superseded': [RECALL, STATUSES],
  'recall.include_relationships': [RECALL, 'test/cases/recall.test.ts: related thoughts stand beside the page'],
  'recall.limit': [RECALL, 'test/cases/recall.test.ts: pages'],
  'recall.trail_names': [RECALL, 'test/cases/scopes.test.ts: a parent scope does not answer for its children'],
  'recall.mode': [RECALL, 'test/cases/cross-product.test.ts: the history view is for operators'],
  'recall.statuses': [RECALL, STATUSES],
  'recall.cursor': [RECALL, 'test/cases/recall.test.ts: a cursor is bound to query'],
  'recall.full': [RECALL, 'test/cases/recall.test.ts: full gives whole bodies'],
  'recall.max_tokens': [RECALL, 'test/cases/recall.test.ts: max_tokens ends the page earlier'],
  'recall.min_confidence': [RECALL, FILTERS],
  'recall.order': [RECALL, 'test/cases/recall.test.ts: newest first is by time'],
  'recall.valid_at': [RECALL, VALID],
  'recall.known_at': [RECALL, KNOWN],
  'get_thought.trail_name': [GET, 'test/cases/scopes.test.ts: an id prefix is ambiguous among visible thoughts only'],
  'get_thought.thought_id': [GET, 'test/cases/scopes.test.ts: an id prefix is ambiguous among visible thoughts only'],
  'get_thought.mode': [GET, 'test/cases/cross-product.test.ts: get answers each reader by exactly the views it has'],
  'get_thought.statuses': [GET, STATUSES],
  'get_thought.include_superseded': [GET, STATUSES],
  'get_thought.valid_at': [GET, OPENS],
  'get_thought.known_at': [GET, KNOWN],
  'summarize.record_hashes': [TELLS, TOLD],
  'summarize.context_id': [TELLS, TOLD],
  'summarize.from': [TELLS, TOLD],
  'summarize.max_records': [TELLS, TOLD],
  'summarize.focus': [
    TELLS,
    'test/trail/summarize/summarize.test.ts: a focus keeps the records that hold a word of it',
  ],
  'summarize.model': [TELLS, 'test/cases/summarize.test.ts: the model of this machine tells it when asked'],
  'save_thought.trail_name': [SAVE, 'test/cases/scopes.test.ts: a malformed scope is refused by every tool'],
  'save_thought.content': [SAVE, BODY],
  'save_thought.source_type': [SAVE, 'test/cases/lifecycle.test.ts: approval files a thought by its source type'],
  'save_thought.confidence': [SAVE, FILTERS],
  'save_thought.namespace': [SAVE, 'test/cases/kinds.test.ts: every namespace can be saved into and recalled from'],
  'save_thought.agent_id': [SAVE, OWN],
  'save_thought.parent_id': [SAVE, SHAPES],
  'save_thought.intent_ref': [SAVE, SHAPES],
  'save_thought.relationships': [SAVE, 'test/cases/kinds.test.ts: every type of relationship is kept'],
  'save_thought.relationships.type': [SAVE, 'test/cases/kinds.test.ts: every type of relationship is kept'],
  'save_thought.relationships.target_id': [SAVE, 'test/cases/kinds.test.ts: every type of relationship is kept'],
  'save_thought.metadata': [SAVE, SHAPES],
  'save_thought.metadata.project': ['src/mcp/fields.ts', FILTERS],
  'save_thought.metadata.branch': ['src/mcp/fields.ts', FILTERS],
  'save_thought.metadata.tags': ['src/mcp/fields.ts', FILTERS],
  'save_thought.metadata.extra': ['src/mcp/fields.ts', 'test/cases/bytes.test.ts: free JSON in extra keeps its types'],
  'save_thought.valid_from': [SAVE, VALID],
  'save_thought.valid_to': [SAVE, VALID],
  'save_thought.review_by': [SAVE, DUE],
  'save_thought.informed_by': [SAVE, CAUSES],
  'save_thought.idempotency_key': [SAVE, ONCE],
  'update_thought.trail_name': [UPDATE, EXACT],
  'update_thought.thought_id': [UPDATE, EXACT],
  'update_thought.content': [UPDATE, 'test/cases/lifecycle.test.ts: a decision on a claim that changed is refused'],
  'update_thought.informed_by': [UPDATE, CAUSES],
  'update_thought.idempotency_key': [UPDATE, ONCE],
  'propose_truth.trail_name': [PROPOSE, EXACT],
  'propose_truth.thought_id': [PROPOSE, EXACT],
  'propose_truth.approval': [
    PROPOSE,
    'test/cases/authority.test.ts: the same approval is refused without operator authority',
  ],
  'propose_truth.claim': [PROPOSE, 'test/cases/lifecycle.test.ts: a decision on a claim that changed is refused'],
  'propose_truth.idempotency_key': [PROPOSE, ONCE],
  'supersede.trail_name': [SUPERSEDE, EXACT],
  'supersede.thought_id': [SUPERSEDE, EXACT],
  'supersede.content': [SUPERSEDE, COPIES],
  'supersede.reason': [SUPERSEDE, COPIES],
  'supersede.agent_id': [SUPERSEDE, OWN],
  'supersede.confidence': [SUPERSEDE, COPIES],
  'supersede.valid_from': [SUPERSEDE, ANEW],
  'supersede.valid_to': [SUPERSEDE, 'test/cases/two-clocks.test.ts: a malformed date is refused on every tool'],
  'supersede.review_by': [SUPERSEDE, 'test/cases/two-clocks.test.ts: a malformed date is refused on every tool'],
  'supersede.informed_by': [SUPERSEDE, CAUSES],
  'supersede.idempotency_key': [SUPERSEDE, ONCE],
  'change_scope.trail_name': [MOVE, EXACT],
  'change_scope.thought_id': [MOVE, EXACT],
  'change_scope.content': [MOVE, 'test/cases/lifecycle.test.ts: change_scope drafts the replacement elsewhere'],
  'change_scope.target_trail_name': [
    MOVE,
    'test/cases/lifecycle.test.ts: change_scope drafts the replacement elsewhere',
  ],
  'change_scope.reason': [MOVE, 'test/cases/lifecycle.test.ts: change_scope drafts the replacement elsewhere'],
  'change_scope.agent_id': [MOVE, OWN],
  'change_scope.confidence': [MOVE, COPIES],
  'change_scope.informed_by': [MOVE, CAUSES],
  'change_scope.idempotency_key': [MOVE, ONCE],
  'forget.trail_name': [FORGET, NAMES_ONE],
  'forget.thought_id': [FORGET, NAMES_ONE],
  'forget.reason': [FORGET, NAMES_ONE],
  'forget.grounds': [FORGET, KEEPS_OUT],
  'forget.keep_out': [FORGET, KEEPS_OUT],
  'forget.idempotency_key': [FORGET, 'test/cases/forget.test.ts'],
  'rollback.trail_name': [ROLLBACK, ELSEWHERE],
  'rollback.op_id': [ROLLBACK, 'test/cases/rollback.test.ts: a point is a commit, an event or a time'],
  'rollback.dry_run': [ROLLBACK, 'test/cases/rollback.test.ts: what was approved since is withdrawn'],
  'rollback.also': [ROLLBACK, ELSEWHERE],
  'rollback.idempotency_key': [ROLLBACK, 'test/cases/rollback.test.ts: a repeated call with its key answers the same'],
  'diff.trail_name': [DIFF, SINCE],
  'diff.revision': [DIFF, SINCE],
  'list_scopes.prefix': [LIST, 'test/cases/recall.test.ts: what is superseded takes no place on a page'],
  'list_scopes.include_stats': [
    LIST,
    'test/cases/cross-product.test.ts: list_scopes counts what the governed view holds',
  ],
  'list_trails.prefix': [LIST, 'test/cases/scopes.test.ts: reading an absent scope answers as an empty one'],
  'list_trails.include_stats': [
    LIST,
    'test/cases/cross-product.test.ts: list_scopes counts what the governed view holds',
  ],
  'start_thought.trail_name': [START, 'test/cases/fava-tools.test.ts: start_thought refuses a secret'],
  'start_thought.description': [START, 'test/cases/fava-tools.test.ts: start_thought refuses a secret'],
  'start_thought.idempotency_key': [
    START,
    'test/cases/fava-tools.test.ts: start_thought with the same idempotency key',
  ],
  'learn_preference.trail_name': [LEARN, 'test/cases/fava-tools.test.ts: learn_preference passes the checks of save'],
  'learn_preference.content': [LEARN, 'test/cases/fava-tools.test.ts: learn_preference passes the checks of save'],
  'learn_preference.preference_type': [LEARN, 'test/cases/fava-tools.test.ts: learn_preference is denied to agents'],
  'learn_preference.agent_id': [LEARN, 'test/cases/fava-tools.test.ts: learn_preference passes the checks of save'],
  'learn_preference.metadata': [LEARN, 'test/cases/fava-tools.test.ts: learn_preference passes the checks of save'],
  'learn_preference.idempotency_key': [
    LEARN,
    'test/cases/fava-tools.test.ts: learn_preference passes the checks of save',
  ],
  ...Object.fromEntries(
    (['trace', 'trace_forward'] as const).flatMap((tool) =>
      Object.entries(TRACE_ARGUMENTS)
        .filter(([name]) => tool === 'trace' || name !== 'direction')
        .map(([name, test]) => [`${tool}.${name}`, [TRACE, `test/cases/trace.test.ts: ${test}`] as const]),
    ),
  ),
  'sync.trail_name': ['src/mcp/tools/sync.ts', 'test/cases/fava-tools.test.ts: sync answers not_configured'],
  'conflicts.trail_name': [
    'src/mcp/tools/conflicts.ts',
    'test/cases/fava-tools.test.ts: conflicts is denied to agents',
  ],
};

const ADDRESSES = 'src/mcp/resources/uri.ts';
const OFFERS = 'test/mcp/resources.test.ts';

/** What the server offers besides tools. */
export const offers: Table = {
  'waymark://thought/{id}': [ADDRESSES, `${OFFERS}: lists hold the queue and the prompt for reviewers only for`],
  'waymark://trace/{id}': [ADDRESSES, `${OFFERS}: lists hold the queue and the prompt for reviewers only for`],
  'waymark://queue': [ADDRESSES, `${OFFERS}: a thought is its file, fenced as data; a trace and the queue`],
  'ui://waymark/review': [ADDRESSES, 'test/mcp/review-card.test.ts: only hosts that show apps are told of the card'],
  'start-session': ['src/mcp/prompts/prompts.ts', `${OFFERS}: start-session embeds what recall answers`],
  review: ['src/mcp/prompts/prompts.ts', `${OFFERS}: lists hold the queue and the prompt for reviewers only for`],
};
