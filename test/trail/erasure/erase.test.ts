import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from '../../../src/config/index.ts';
import { claimDigest } from '../../../src/record/claim.ts';
import { decodeThought } from '../../../src/record/codec/index.ts';
import { isScrubDue } from '../../../src/store/scrub.ts';
import { resolveDuplicate } from '../../../src/trail/duplicates/resolve.ts';
import { readRecord } from '../../../src/trail/locate.ts';
import { openRecord } from '../../../src/trail/open.ts';
import { Session } from '../../../src/trail/session.ts';
import { verify } from '../../../src/trail/verify.ts';
import { listed } from '../../attack/forge.ts';
import { makeHome } from '../../crash/home.ts';
import { acceptFile } from '../../support/accept.ts';
import { HAS_NO_JJ, pathWithJj } from '../../support/jj.ts';
import { leaksOf } from '../../support/leak-probe.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { makeAuditor } from '../../tools/support.ts';

const trail_name = 'acme/eng';
const reason = 'Its subject asked for it';

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
    cwd: root,
    stdio: 'pipe',
  })
    .toString()
    .trim();
}

/** For tests that leave it sound; each has a scope of its own. */
let shared: TestRecord;
beforeAll(async () => {
  shared = await makeRecord();
});
afterAll(() => shared[Symbol.asyncDispose]());

/** A thought and its approved replacement. */
async function makeChain(t: TestRecord, trail_name = 'acme/eng') {
  const [alice, carol] = [t.session('alice').operations(), t.session('carol', { operator: true }).operations()];
  const save = async (content: string) => value(await alice.save({ trail_name, content })).thought.thought_id;
  const approve = async (thought_id: string) =>
    value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));
  const first = await save('Kumquat vinegar goes in');
  await approve(first);
  const change = { trail_name, thought_id: first, content: 'Yuzu vinegar goes in', reason: 'Better' };
  const second = value(await alice.supersede(change)).new_thought.thought_id;
  await approve(second);
  const current = async () =>
    value(await alice.recall({ trail_name, query: '' })).thoughts.map((one) => one.thought_id);
  return { alice, carol, save, approve, first, second, current };
}

/** What both verifiers find, history included. */
async function verdictsOf(t: TestRecord) {
  using auditor = makeAuditor();
  const [ours, theirs] = [
    await verify(t.record, { history: true }),
    await auditor.verifyOnThread([auditor.clone(t.root)]),
  ];
  return { ours: ours.findings, theirs: theirs.findings };
}

const NOTHING = { ours: [], theirs: [] };

test('erase takes a replaced thought and leaves its replacement standing, and the other way round', async () => {
  const t = shared;
  const trail_name = 'acme/eng';
  const { carol, first, second, current, approve, alice } = await makeChain(t);
  const before = git(t.root, 'rev-parse', 'main');

  // What stands for the approval speaks for the replacement.
  value(await carol.erase({ thought_id: first, reason, keep_out: false }));
  expect(await current()).toEqual([second]);

  // The approval is stated in an erasure now, whose own sidecar holds a digest of what goes next.
  value(await carol.erase({ thought_id: second, reason, keep_out: false }));
  expect(await current()).toEqual([]);
  expect(await verdictsOf(t)).toEqual(NOTHING);
  const places = { root: t.root, others: [] };
  expect(leaksOf({ text: 'Yuzu vinegar goes in', bytes: versionsOf(t, second) }, places)).toEqual([]);
  expect(leaksOf({ text: 'Kumquat vinegar goes in', bytes: versionsOf(t, first) }, places)).toEqual([]);

  // A replacement alone: what it had replaced stays retired.
  const other = value(await alice.save({ trail_name, content: 'Salt' })).thought.thought_id;
  await approve(other);
  const change = { trail_name, thought_id: other, content: 'Sea salt', reason: 'Better' };
  const newer = value(await alice.supersede(change)).new_thought.thought_id;
  await approve(newer);
  value(await carol.erase({ thought_id: newer, reason, keep_out: false }));
  expect(await current()).toEqual([]);
  expect(value(await alice.get({ trail_name, thought_id: other })).thought.superseded_by).toBe(newer);

  // Nothing brings a text back.
  const back = value(await carol.rollback({ trail_name, op_id: before, dry_run: true }));
  expect(back.changes.filter(({ thought_id }) => thought_id === second)).toMatchObject([
    { why: 'its text was erased' },
  ]);
  expect(JSON.stringify(back)).not.toContain('Yuzu');

  // Erased again, nothing is left to do.
  expect(value(await carol.erase({ thought_id: first, reason }))).toMatchObject({ sidecars: 0 });
});

test('erase takes what was merged, kept beside, voted for or kept out, and each digest of it', async () => {
  const t = shared;
  const trail_name = 'acme/judged';
  const session = t.session('carol', { operator: true });
  const [carol, context] = [session.operations(), await session.context()];
  const { save, approve, alice } = await makeChain(t, trail_name);
  await acceptFile({ root: t.root, operations: carol }, 'trails/acme/q/.fava-trails.yaml', 'trust_gate: quorum\n');
  const approved = async (content: string) => {
    const id = await save(content);
    await approve(id);
    return id;
  };
  const pair = async (name: string, keep: 'new' | 'both') => {
    const ids = [await approved(`${name} gongs ring loud`), await approved(`${name} gongs ring xylophagous`)] as const;
    value(await resolveDuplicate(context, { thought_ids: ids, keep, reason: 'The same' }));
    return ids[1];
  };
  const [merged, beside] = [await pair('Silver', 'new'), await pair('Bronze', 'both')];
  const voted = value(await alice.save({ trail_name: 'acme/q', content: 'Xylophagous owls vote' })).thought.thought_id;
  value(await alice.propose({ trail_name: 'acme/q', thought_id: voted }));
  value(await carol.decide({ trail_name: 'acme/q', thought_id: voted, verdict: 'approve' }));
  const out = await approved('Xylophagous labels are forbidden');
  value(await carol.forget({ trail_name, thought_id: out, reason: 'Wrong', keep_out: true }));
  const digests = async () => value(await carol.tombstones({})).tombstones.filter(({ check }) => check === 'hmac');
  expect(await digests()).toHaveLength(1);

  const ids = [merged, beside, voted, out];
  const versions = ids.flatMap((id) => versionsOf(t, id));
  const thoughts = versions.map((bytes) => decodeThought(bytes)).flatMap((one) => (one.ok ? [one.thought] : []));
  const values = thoughts.flatMap((one) => [one.body.trim(), claimDigest(one)]).map((text) => Buffer.from(text));
  const guess = { text: 'xylophagous', bytes: [...versions, ...values] };
  const places = { root: t.root, others: [] };
  expect(leaksOf(guess, places).filter((leak) => /objects of the head: HMAC/.test(leak))).not.toEqual([]);
  for (const thought_id of ids) value(await carol.erase({ thought_id, reason, keep_out: false }));
  expect(leaksOf(guess, places)).toEqual([]);
  expect(await digests()).toEqual([]);
  expect((await alice.save({ trail_name, content: 'Xylophagous labels are forbidden' })).ok).toBe(true);
  expect(await verdictsOf(t)).toEqual(NOTHING);
});

/** Every version of the thought's file that history holds, but what erasures left. */
function versionsOf(t: TestRecord, id: string): readonly Buffer[] {
  const objects = git(t.root, 'rev-list', '--objects', '--all').split('\n');
  const blobs = objects.filter((line) => line.includes(`${id}.md`)).map((line) => line.slice(0, 40));
  const versions = [...new Set(blobs)].map((blob) => execFileSync('git', ['cat-file', 'blob', blob], { cwd: t.root }));
  return versions.filter((bytes) => !bytes.includes('verdict: erase'));
}

test('erase refuses whom and what it must, and a dry run writes nothing', async () => {
  const t = shared;
  const trail_name = 'acme/refused';
  const { alice, carol, save, first } = await makeChain(t, trail_name);
  const copy = await save('As they say: KUMQUAT vinegar goes in, unless it freezes');
  const head = git(t.root, 'rev-parse', 'main');
  expect(await alice.erase({ thought_id: first, reason })).toMatchObject({ code: 'authority', rule: 'needs_operator' });
  expect(await carol.erase({ thought_id: first, reason: ' ' })).toMatchObject({ code: 'invalid', field: 'reason' });
  const quoting = { thought_id: first, reason: 'It said "kumquat vinegar goes in", which is wrong' };
  expect(await carol.erase(quoting)).toMatchObject({ code: 'invalid', field: 'reason' });
  expect(await carol.erase({ thought_id: first, reason, trail_name: 'acme/ops' })).toMatchObject({ code: 'not_found' });
  expect(await carol.erase({ thought_id: first, reason, claim: '0'.repeat(64) })).toMatchObject({ code: 'conflict' });

  const plan = value(await carol.erase({ thought_id: first, reason, dry_run: true }));
  expect(plan).toMatchObject({ dry_run: true, index: 'untouched', sidecars: 3, alike: expect.arrayContaining([copy]) });
  expect(plan.held.commits).toHaveLength(3);
  // The denial of the agent is all that was written since.
  expect(git(t.root, 'log', '--format=%s', `${head}..main`)).not.toMatch(/Erase/);
  expect(value(await alice.get({ trail_name, thought_id: first })).thought.content).toContain('Kumquat');

  const edited = join(t.root, listed(t.root, 'trails').find((path) => path.includes(first)) ?? '');
  const committedText = readFileSync(edited);
  writeFileSync(edited, 'Edited by hand');
  expect(await carol.erase({ thought_id: first, reason })).toMatchObject({ code: 'uncommitted_edit' });
  writeFileSync(edited, committedText);
  expect(value(await carol.erase({ thought_id: first, reason, claim: plan.claim })).sidecars).toBe(3);
});

test('erase outlives what another clone did meanwhile, and names it', async () => {
  await using t = await makeRecord();
  const { carol, alice } = await makeChain(t);
  const draft = value(await alice.save({ trail_name, content: 'Quince vinegar' })).thought.thought_id;
  git(t.root, 'reset', '-q', '--hard', 'main');
  const root = join(t.env['HOME'] ?? '', 'clone');
  git(t.root, 'clone', '-q', '.', root);
  const options = {
    environment: value(readEnvironment(t.env)),
    env: t.env,
    producer: 'waymark/test',
    warn: () => undefined,
  };
  const located = readRecord(root);
  if (located === null) throw new Error('The clone holds no record');
  const clone = value(await openRecord(value(located), options));
  const there = new Session(clone, { via: 'library', agentId: 'alice', wantsOperator: false, env: {} });
  try {
    value(await carol.erase({ thought_id: draft, reason, keep_out: false }));
    value(await there.operations().update({ trail_name, thought_id: draft, content: 'Quince vinegar, boiled' }));
    // Whoever merges takes the text of the other side.
    git(t.root, 'reset', '-q', '--hard', 'main');
    git(root, 'reset', '-q', '--hard', 'main');
    const merge = ['merge', '-q', '--no-edit', '-X', 'theirs', 'FETCH_HEAD'];
    git(t.root, 'fetch', '-q', root, 'main');
    try {
      git(t.root, ...merge);
    } catch {
      git(t.root, 'checkout', '--theirs', '.');
      git(t.root, 'add', '-A');
      git(t.root, 'commit', '-q', '--no-edit');
    }
    await t.record.repository.settleIndex();

    const found = await verify(t.record);
    expect(found.findings.filter(({ path }) => path?.includes(draft))).not.toEqual([]);
    expect(value(await alice.recall({ trail_name, query: 'quince' })).thoughts).toEqual([]);

    value(await carol.erase({ thought_id: draft, reason, keep_out: false }));
    // The event of the other side stays named, as after any decision; its sidecar tells nothing any more.
    const left = (await verify(t.record)).findings.filter(({ verdict }) => verdict !== undefined);
    expect(left).toMatchObject([{ verdict: 'wrong_role', code: 'thought_frozen' }]);
    expect(leaksOf({ text: 'Quince vinegar', bytes: versionsOf(t, draft) }, { root: t.root, others: [] })).toEqual([]);
  } finally {
    await there.close();
    await clone.repository.close();
  }
});

test('evidence about what an erased thought was replaced by holds what stands for the sidecar', async () => {
  const t = shared;
  using auditor = makeAuditor();
  const { carol, first, second } = await makeChain(t, 'acme/evidence');
  value(await carol.erase({ thought_id: first, reason }));
  const { collectEvidence } = await import('../../../src/trail/evidence/evidence.ts');
  const context = await t.session('carol', { operator: true }).context();
  const packed = value(await collectEvidence(context, { id: second, verifier: Buffer.from('') }));
  const folder = join(auditor.folder, 'evidence');
  for (const name of ['', 'thoughts', 'checkpoints']) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, bytes] of packed.files) writeFileSync(join(folder, name), bytes);
  const report = await auditor.verifyOnThread(['--evidence', folder]);
  expect(report).toMatchObject({ verdicts: [], findings: [] });
  expect(report.notes.join('\n')).toMatch(/Sidecars erased/);

  const traced = value(await carol.trace({ record_hash: first, direction: 'both', depth: 5 }));
  const saved = traced.visited.find((record) => 'sidecar_summary' in record && record.sidecar_summary?.verb === 'save');
  expect(saved).toMatchObject({ erased_by: expect.stringMatching(/^sha256:/), verification: { status: 'valid' } });
  expect(value(await carol.summarize({ record_hashes: [saved?.record_hash ?? ''] })).narrative).not.toContain(
    'Kumquat',
  );
});

test.skipIf(HAS_NO_JJ)(
  'erase works where jj writes',
  async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    const [alice, carol] = [opened.as('alice'), opened.as('carol', { operator: true })];
    const id = value(await alice.save({ trail_name, content: 'Kumquat vinegar' })).thought.thought_id;
    value(await carol.decide({ trail_name, thought_id: id, verdict: 'approve' }));
    const erased = value(await carol.erase({ thought_id: id, reason }));
    expect(erased).toMatchObject({ index: 'clean', sidecars: 2 });
    expect(erased.held.notes.join('\n')).toMatch(/jj/);
    using auditor = makeAuditor();
    expect(await auditor.verifyOnThread([home.root])).toMatchObject({ findings: [] });
    expect(leaksOf({ text: 'Kumquat vinegar', bytes: [] }, { root: home.root, others: [] })).toEqual([]);
  },
  60_000,
);

test('an erasure waits for a reader, and opening the record finishes it', async () => {
  const t = shared;
  const trail_name = 'acme/reader';
  const { carol, first } = await makeChain(t, trail_name);
  const { repository } = t.record;
  const folder = join(t.root, '.waymark');
  value(await carol.erase({ thought_id: first, reason, keep_out: false }));
  const reader = new Database(join(folder, 'index.sqlite'), { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM thought').get();
  value(await carol.save({ trail_name, content: 'Something that goes into the log of the index' }));
  await repository.beginErasing();
  expect(await repository.finishErasing(30)).toBe(false);
  expect(isScrubDue(folder)).toBe(true);
  reader.close();
  await repository.goOnErasing();
  expect(isScrubDue(folder)).toBe(false);
});
