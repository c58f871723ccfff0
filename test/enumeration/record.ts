/** Words of the record: statuses, verbs, views, classes, kinds of thoughts and links, refusals. */
import type { Table } from './entry.ts';

const LIFECYCLE = 'test/cases/lifecycle.test.ts';
const CROSS = 'test/cases/cross-product.test.ts';
const GATE = 'test/cases/gate.test.ts';
const CODES = 'test/cases/producers.test.ts: every refusal code is reached';

export const statuses: Table = {
  draft: ['src/trail/save.ts', `${LIFECYCLE}: a thought that is %s is frozen`],
  proposed: ['src/record/lifecycle.ts', 'src/trail/queue.ts'],
  approved: ['src/record/lifecycle.ts', 'src/record/visibility.ts'],
  rejected: ['src/record/lifecycle.ts', `${CROSS}: an author reads an own rejected thought with its reason`],
  error: ['src/trail/gate/settle.ts', `${GATE}: nothing but one exact verdict decides`],
  tombstoned: ['src/trail/withdrawal.ts', 'src/record/visibility.ts'],
};

export const verbs: Table = {
  init: ['src/trail/init.ts', 'src/ledger/enrolment.ts'],
  enrol: ['src/trail/enrol.ts', 'src/ledger/enrolment.ts'],
  protect: ['src/trail/protect-keys.ts', 'src/ledger/enrolment.ts'],
  revoke: ['src/trail/revoke-key.ts', 'src/ledger/enrolment.ts'],
  rotate: ['src/trail/rotate-key.ts', 'src/ledger/enrolment.ts'],
  restored: ['src/store/sign-events.ts', 'src/store/losses.ts'],
  adopt: ['src/trail/adopt.ts', 'src/record/lifecycle.ts'],
  accept: ['src/trail/accept.ts', 'src/record/lifecycle.ts'],
  start: ['src/trail/start.ts', 'test/cases/fava-tools.test.ts: start_thought gives the caller alone a context'],
  save: ['src/trail/save.ts', 'src/record/lifecycle.ts'],
  update: ['src/trail/update.ts', 'src/record/lifecycle.ts'],
  propose: ['src/trail/propose.ts', 'src/record/lifecycle.ts'],
  approve: ['src/trail/stage-verdict.ts', 'src/record/lifecycle.ts'],
  reject: ['src/trail/stage-verdict.ts', 'src/record/lifecycle.ts'],
  request_changes: ['src/trail/stage-verdict.ts', 'src/record/lifecycle.ts'],
  error: ['src/trail/gate/settle.ts', 'src/record/lifecycle.ts'],
  forget: ['src/trail/forget.ts', 'src/record/lifecycle.ts'],
  supersede: ['src/trail/supersede.ts', 'src/record/lifecycle.ts'],
  change_scope: ['src/trail/supersede.ts', 'src/record/lifecycle.ts'],
  rollback: ['src/trail/rollback.ts', 'src/record/lifecycle.ts'],
  advise: ['src/trail/gate/settle.ts', 'src/trail/gate/advice.ts'],
  vote: ['src/trail/quorum/stage-vote.ts', 'src/trail/quorum/ballot.ts'],
  keep_out: ['src/trail/tombstones/keep-out.ts', 'src/record/lifecycle.ts'],
  lift: ['src/trail/tombstones/lift.ts', 'src/record/lifecycle.ts'],
  erase: ['src/trail/erasure/erase.ts', 'src/record/lifecycle.ts'],
  purge: ['src/trail/erasure/purge.ts', 'src/trail/verify/history.ts'],
  quarantine: ['src/trail/quarantine.ts', 'src/store/custody.ts'],
  recover: ['src/trail/recover-owner.ts', 'src/ledger/enrolment.ts'],
  merge: ['src/trail/duplicates/resolve.ts', 'src/store/held.ts'],
  keep_both: ['src/trail/duplicates/resolve.ts', 'src/trail/duplicates/kept-beside.ts'],
  deny: ['src/trail/denials.ts', 'test/trail/denials.test.ts: the first denial is on disk before an answer'],
};

/** Of the verbs that something makes. */
export const eventTypes: Table = {
  'https://atrib.dev/v1/types/observation': ['src/ledger/event-type.ts', 'src/ledger/content-id.ts'],
  'https://atrib.dev/v1/types/annotation': ['src/ledger/event-type.ts', 'src/ledger/content-id.ts'],
  'https://atrib.dev/v1/types/revision': ['src/ledger/event-type.ts', 'src/ledger/content-id.ts'],
  'https://atrib.dev/v1/types/key_revocation': ['src/ledger/event-type.ts', 'src/ledger/revocation.ts'],
  'urn:waymark:event:restored': ['src/store/sign-events.ts', 'test/trail/restored.test.ts: after a reset the agent'],
  'urn:waymark:event:init': ['src/trail/init.ts', 'test/ledger/enrolment.test.ts: init is the owner'],
  'urn:waymark:event:enrol': [
    'src/trail/enrol.ts',
    'test/ledger/enrolment.test.ts: owner, operator and agent are enrolled',
  ],
  'urn:waymark:event:protect': [
    'src/trail/protect-keys.ts',
    'test/ledger/enrolment.test.ts: protect changes the protection',
  ],
  'urn:waymark:event:adopt': ['src/trail/adopt.ts', 'test/trail/adopt.test.ts'],
  'urn:waymark:event:accept': ['src/trail/accept.ts', 'test/trail/accept.test.ts'],
  'urn:waymark:event:start': ['src/trail/start.ts', 'test/cases/fava-tools.test.ts: start_thought gives the caller'],
  'urn:waymark:event:update': ['src/trail/update.ts', 'test/attack/custody.test.ts'],
  'urn:waymark:event:propose': ['src/trail/propose.ts', LIFECYCLE],
  'urn:waymark:event:error': ['src/trail/gate/settle.ts', GATE],
  'urn:waymark:event:forget': ['src/trail/forget.ts', 'test/cases/forget.test.ts'],
  'urn:waymark:event:rollback': ['src/trail/rollback.ts', 'test/cases/rollback.test.ts'],
  'urn:waymark:event:advise': ['src/trail/gate/settle.ts', `${GATE}: llm-then-human: the model advises`],
  'urn:waymark:event:vote': ['src/trail/quorum/stage-vote.ts', 'test/trail/quorum/quorum.test.ts'],
  'urn:waymark:event:keep_out': ['src/trail/tombstones/keep-out.ts', 'test/cases/tombstone.test.ts'],
  'urn:waymark:event:lift': ['src/trail/tombstones/lift.ts', 'test/cases/tombstone.test.ts'],
  'urn:waymark:event:erase': ['src/trail/erasure/erase.ts', 'test/trail/erasure/erase.test.ts'],
  'urn:waymark:event:purge': ['src/trail/erasure/purge.ts', 'test/trail/erasure/purge.test.ts'],
  'urn:waymark:event:quarantine': ['src/trail/quarantine.ts', 'test/cases/quarantine.test.ts'],
  'urn:waymark:event:merge': ['src/trail/duplicates/resolve.ts', 'test/trail/duplicates.test.ts'],
  'urn:waymark:event:keep_both': ['src/trail/duplicates/resolve.ts', 'test/trail/duplicates.test.ts'],
  'urn:waymark:event:deny': ['src/trail/denials.ts', 'test/trail/denials.test.ts'],
};

export const views: Table = {
  governed: ['src/trail/recall.ts', `${CROSS}: list_scopes counts what the governed view holds`],
  authoring: [
    'src/trail/view-arguments.ts',
    `${CROSS}: an author reads an own rejected thought with its reason, in authoring`,
  ],
  history: ['src/trail/view-arguments.ts', `${CROSS}: the history view is for operators`],
  lineage: ['src/trail/get.ts', `${CROSS}: get answers each reader by exactly the views it has`],
  review: ['src/trail/queue.ts', 'test/record/visibility.test.ts: isVisible shows exactly'],
};

export const visibilityClasses: Table = {
  governed: ['src/record/visibility.ts', 'src/store/index/overview.ts'],
  authored: ['src/record/visibility.ts', 'src/store/index/overview.ts'],
  retired: ['src/record/visibility.ts', 'src/store/index/overview.ts'],
  unverified: ['src/record/visibility.ts', 'src/store/index/overview.ts'],
};

const LINKS = 'test/cases/kinds.test.ts: every type of relationship is kept';
export const relationshipTypes: Table = {
  DEPENDS_ON: ['src/mcp/tools/save-thought.ts', LINKS],
  REVISED_BY: ['src/mcp/tools/save-thought.ts', LINKS],
  AUTHORED_BY: ['src/mcp/tools/save-thought.ts', LINKS],
  REFERENCES: ['src/mcp/tools/save-thought.ts', LINKS],
  SUPERSEDES: ['src/mcp/tools/save-thought.ts', LINKS],
};

const ROUTED = `${LIFECYCLE}: approval files a thought by its source type`;
export const sourceTypes: Table = {
  observation: ['src/mcp/tools/save-thought.ts', ROUTED],
  inference: ['src/mcp/tools/save-thought.ts', ROUTED],
  user_input: ['src/mcp/tools/save-thought.ts', ROUTED],
  tool_output: ['src/mcp/tools/save-thought.ts', ROUTED],
  decision: ['src/mcp/tools/save-thought.ts', ROUTED],
};

const FOLDERS = 'test/cases/kinds.test.ts: every namespace can be saved into and recalled from';
export const namespaces: Table = {
  drafts: ['src/mcp/fields.ts', FOLDERS],
  decisions: ['src/mcp/fields.ts', FOLDERS],
  observations: ['src/mcp/fields.ts', FOLDERS],
  intents: ['src/mcp/fields.ts', FOLDERS],
  preferences: ['src/mcp/fields.ts', FOLDERS],
  'preferences/client': ['src/mcp/fields.ts', FOLDERS],
  'preferences/firm': ['src/mcp/fields.ts', FOLDERS],
};

export const refusalCodes: Table = {
  invalid: ['src/mcp/arguments.ts', CODES],
  authority: ['src/trail/guard.ts', CODES],
  not_found: ['src/trail/find-thought.ts', CODES],
  ambiguous: ['src/trail/find-thought.ts', CODES],
  frozen: ['src/record/lifecycle.ts', CODES],
  conflict: ['src/trail/check-claim.ts', CODES],
  secret: ['src/secrets/secret-refusal.ts', CODES],
  busy: ['src/store/writer-refusals.ts', CODES],
  wrong_branch: ['src/store/writer-refusals.ts', CODES],
  uncommitted_edit: ['src/trail/replace-file.ts', CODES],
  idempotency: ['src/trail/repeated.ts', CODES],
  storage: ['src/trail/storage-refusal.ts', CODES],
  repository: ['src/trail/open.ts', CODES],
};
