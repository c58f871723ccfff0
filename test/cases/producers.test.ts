/** Every status, verb, refusal code and rule has a producer that a caller reaches (marks.md 1.0, rule 3). */
import { chmodSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { VERBS } from '../../src/ledger/types.ts';
import { REFUSAL_CODES } from '../../src/record/outcome.ts';
import { STATUSES } from '../../src/record/thought.ts';
import { SECRET_RULES } from '../../src/secrets/find-secret.ts';
import { acceptFile } from '../support/accept.ts';
import { holdLock } from '../support/hold-lock.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { commitFile, denialsOf, eventsOf, git } from './evidence.ts';

/** What no operation of this version makes, and what will. */
const LATER = {
  statuses: { error: 'a model that fails (test/cases/gate)' },
  verbs: {
    error: 'a model that fails (test/cases/gate)',
    protect: '"waymark key protect" (test/cli)',
    adopt: '"waymark adopt" (test/trail)',
    revoke: '"waymark key revoke" (test/attack, test/cli)',
    rotate: '"waymark key rotate" (test/trail, test/cli)',
    restored: 'an older copy put back (test/trail)',
    advise: 'a model that advises (test/cases/gate)',
    vote: 'a scope that asks for a quorum (test/trail/quorum)',
    lift: '"waymark lift" (test/cases/tombstone.test.ts, test/cli)',
    erase: '"waymark erase" (test/cases/erasure, test/trail/erasure)',
    purge: '"waymark erase --purge-history" (test/trail/erasure/purge)',
    quarantine: '"waymark quarantine" (test/cases, test/cli)',
    recover: '"waymark key recover" (test/attack, test/cli)',
    merge: '"waymark duplicates" (test/trail/duplicates)',
    keep_both: '"waymark duplicates" (test/trail/duplicates)',
  },
  rules: {
    needs_own_key: 'an operator by a credential (test/cases/grants-writing)',
    needs_signature: 'a scope of "decisions: signed" (test/trail/attested)',
    not_granted: 'a credential without the grant (test/cases/grants-writing)',
    near_tombstone: "a model's approval (test/cases/tombstone.test.ts)",
    settings_unreadable: 'settings that are lost (test/cases/governed-settings.test.ts)',
  },
} as const;

const SCOPE = { trail_name: 'acme/api' };
const ID = '0'.repeat(26);
const codes = new Set<string>();
const rules = new Set<string>();
const statuses = new Set<string>();
const verbs = new Set<string>();

async function refuse(caller: Caller, tool: string, args: Arguments): Promise<void> {
  const { code, rule } = await caller.refused(tool, args);
  codes.add(code);
  if (rule !== undefined) rules.add(rule);
}

beforeAll(async () => {
  await Promise.all([everyRule(), busy(), wrongBranch(), uncommittedEdit(), storage(), repository()]);
}, 60_000);

async function everyRule(): Promise<void> {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const carol = await connect(t.session('carol', { operator: true }));
  const decide = carol.session.operations().decide;
  await alice.ok('start_thought', { ...SCOPE, description: 'd' });
  const save = (content: string) => alice.save({ ...SCOPE, content });
  await alice.ok('start_thought', { ...SCOPE, description: 'All rules' });
  const it = (thought_id: string) => ({ ...SCOPE, thought_id });
  const [draft, proposed, rejected, sent, first] = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(save));
  if (!draft || !proposed || !rejected || !sent || !first) throw new Error('Not saved');
  await alice.ok('update_thought', { ...it(draft), content: 'edited', idempotency_key: 'k' });
  await alice.ok('propose_truth', it(proposed));
  await decide({ ...it(rejected), verdict: 'reject', reason: 'r' });
  await decide({ ...it(sent), verdict: 'request_changes', reason: 'r' });
  await carol.ok('propose_truth', { ...it(first), approval: 'human' });
  const replacement = { ...it(first), content: 'x', reason: 'r' };
  const next = await alice.thought('supersede', replacement);
  const rival = await alice.thought('change_scope', { ...replacement, target_trail_name: 'acme/web' });
  await carol.ok('propose_truth', { ...it(next.thought_id), approval: 'human' });

  await refuse(alice, 'recall', { ...SCOPE, limit: 0 });
  await refuse(alice, 'get_thought', it(ID));
  await refuse(alice, 'get_thought', { ...SCOPE, thought_id: draft.slice(0, 4) });
  await refuse(alice, 'update_thought', { ...it(draft), content: 'other', idempotency_key: 'k' });
  await refuse(alice, 'update_thought', { ...it(first), content: 'x' });
  await refuse(alice, 'propose_truth', { ...it(draft), approval: 'human' });
  await refuse(alice, 'propose_truth', { ...it(draft), claim: '0'.repeat(64) });
  await refuse(alice, 'recall', { ...SCOPE, mode: 'history' });
  await refuse(alice, 'recall', { ...SCOPE, operator: true });
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'x', agent_id: 'bob' });
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'x', metadata: { extra: { approval: {} } } });
  await refuse(carol, 'propose_truth', { ...it(rejected), approval: 'human' });
  await refuse(carol, 'propose_truth', { trail_name: 'acme/web', thought_id: rival.thought_id, approval: 'human' });
  await refuse(alice, 'save_thought', { ...SCOPE, content: `AK${'IA'}QWERTYUIOP234567` });
  let deep: unknown = 1;
  for (let n = 0; n < 40; n++) deep = [deep];
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'x', metadata: { extra: { deep } } });
  const operations = carol.session.operations();
  await acceptFile({ root: t.root, operations }, 'trails/acme/api/.fava-trails.yaml', 'separation: required\n');
  const own = await carol.save({ ...SCOPE, content: 'own' });
  await refuse(carol, 'propose_truth', { ...it(own), approval: 'human' });
  await acceptFile({ root: t.root, operations }, 'trails/acme/api/.fava-trails.yaml', 'confirm: required\n');
  await refuse(carol, 'propose_truth', { ...it(draft), approval: 'human' });

  const withdrawn = await alice.save({ ...SCOPE, content: 'w' });
  await carol.ok('forget', { ...it(withdrawn), reason: 'r', grounds: 'false' });
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'W!' });
  const undone = { trail_name: 'acme/undone', content: 'u' };
  const before = git(t.root, 'rev-parse', 'HEAD').toString().trim();
  await alice.save(undone);
  await carol.ok('rollback', { trail_name: undone.trail_name, op_id: before });
  const here = { trail_name: 'acme/here', thought_id: await carol.save({ trail_name: 'acme/here', content: 'h' }) };
  await carol.ok('propose_truth', { ...here, approval: 'human' });
  const point = git(t.root, 'rev-parse', 'HEAD').toString().trim();
  const moved = await carol.thought('change_scope', {
    ...here,
    target_trail_name: 'acme/there',
    content: 'x',
    reason: 'r',
  });
  await carol.ok('propose_truth', { trail_name: 'acme/there', thought_id: moved.thought_id, approval: 'human' });
  await refuse(carol, 'rollback', { trail_name: here.trail_name, op_id: point });
  const all = await carol.ok('recall', { ...SCOPE, mode: 'history', limit: 100, include_superseded: true });
  for (const thought of all.thoughts ?? []) statuses.add(thought.validation_status);
  await alice.session.close();
  for (const { _local: local } of eventsOf(t.root)) if (local !== undefined) verbs.add(local.verb);
  // Each rule that refused is in the ledger too.
  expect(new Set(denialsOf(t.root).map((denial) => denial.rule))).toEqual(rules);
}

async function busy(): Promise<void> {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  await using holder = await holdLock(join(t.root, '.waymark', 'lock.sqlite'));
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'x' });
  await holder[Symbol.asyncDispose]();
  await accepts(alice);
}

async function wrongBranch(): Promise<void> {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  git(t.root, 'symbolic-ref', 'HEAD', 'refs/heads/other');
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'x' });
  git(t.root, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  await accepts(alice);
}

async function uncommittedEdit(): Promise<void> {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const thought_id = await alice.save({ ...SCOPE, content: 'x' });
  const file = join(t.root, `trails/acme/api/thoughts/drafts/${thought_id}.md`);
  const text = readFileSync(file);
  writeFileSync(file, 'edited by a person');
  await refuse(alice, 'update_thought', { ...SCOPE, thought_id, content: 'y' });
  expect(readFileSync(file, 'utf8')).toBe('edited by a person');
  writeFileSync(file, text);
  await alice.ok('update_thought', { ...SCOPE, thought_id, content: 'y' });
}

async function storage(): Promise<void> {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const objects = join(t.root, '.git', 'objects');
  renameSync(objects, `${objects}.away`);
  writeFileSync(objects, '');
  chmodSync(objects, 0o444);
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'x' });
  renameSync(`${objects}.away`, `${objects}.back`);
  renameSync(objects, `${objects}.file`);
  renameSync(`${objects}.back`, objects);
  await accepts(alice);
}

/** A log that lost an event is not appended to. */
async function repository(): Promise<void> {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  for (const content of ['a', 'b', 'c']) await alice.save({ ...SCOPE, content });
  const path = middleEventOf(t, 'alice');
  const line = readFileSync(join(t.root, path), 'utf8');
  commitFile(t.root, path, null);
  await refuse(alice, 'save_thought', { ...SCOPE, content: 'd' });
  commitFile(t.root, path, line);
  await accepts(alice);
}

function middleEventOf(t: TestRecord, agent: string): string {
  const event = eventsOf(t.root).find(
    ({ record, _local: local }) => local?.agent_id === agent && record.waymark?.seq === 1,
  );
  return `ledger/${event?.record.waymark?.log}/0000/00/01.jsonl`;
}

async function accepts(caller: Caller): Promise<void> {
  expect(await caller.save({ ...SCOPE, content: 'works again' })).toHaveLength(26);
}

test('every status but those of later work is reached', () => {
  expect([...statuses, ...Object.keys(LATER.statuses)].sort()).toEqual([...STATUSES].sort());
});

test('every verb but those of later work is reached', () => {
  expect([...verbs, ...Object.keys(LATER.verbs)].sort()).toEqual([...VERBS].sort());
});

test('every refusal code is reached, and each of its callers can go on', () => {
  expect([...codes].sort()).toEqual([...REFUSAL_CODES].sort());
});

test('every rule that the source names is reached', () => {
  const named = rulesIn(fileURLToPath(new URL('../../src', import.meta.url)));
  expect(named).toContain('claim_changed');
  const kinds: readonly string[] = SECRET_RULES.map(({ id }) => id);
  const reached = [...rules].filter((rule) => !kinds.includes(rule));
  expect([...reached, ...Object.keys(LATER.rules)].sort()).toEqual(named);
});

/** The literal rule names of refusals and denials; those of secrets stand in their table, the ledger refuses nothing. */
function rulesIn(folder: string): readonly string[] {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!ledger\/).*\.ts$/.test(file),
  );
  const texts = sources.map((file) => readFileSync(join(folder, file), 'utf8'));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:rule: |TOO_DEEP = )'([a-z_]+)'/g)].map((match) => match[1] ?? ''),
  );
  return [...new Set(named)].sort();
}
