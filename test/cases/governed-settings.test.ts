/** Hand edits of settings change nothing in force and are each named; `accept` brings them in (design.md, "Held to the ledger"). */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventPath } from '../../src/ledger/index.ts';
import { enrolKey } from '../../src/trail/keys.ts';
import { providerSettings } from '../../src/trail/machine-settings.ts';
import { configInForce, inForce, scopeSettings } from '../../src/trail/settings.ts';
import { status } from '../../src/trail/status.ts';
import { verify } from '../../src/trail/verify.ts';
import { commit, committed, forge, ownWriter } from '../attack/forge.ts';
import { acceptFile } from '../support/accept.ts';
import { signedIn } from '../support/credentials.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { commitFile } from './evidence.ts';

const trail_name = 'acme/api';
const FILE = 'trails/acme/api/.fava-trails.yaml';
const STRICT = 'name: acme/api\nseparation: required\n';
const OPERATOR = { agent_id: 'carol', role: 'operator', via: 'library' } as const;

async function setUp() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const { index } = t.record.repository;
  return {
    t,
    alice,
    carol,
    accept: (path: string, text: string | null) => acceptFile({ root: t.root, operations: carol }, path, text),
    /** Whether carol may approve what she wrote herself. */
    async selfApproval(scope = trail_name): Promise<boolean> {
      const saved = value(await carol.save({ trail_name: scope, content: 'Mine' }));
      const { thought_id } = saved.thought;
      const decided = await carol.decide({ trail_name: scope, thought_id, verdict: 'approve' });
      if (!decided.ok) expect(['separation_required', 'settings_unreadable']).toContain(decided.rule);
      return decided.ok;
    },
    async textInForce(path: string): Promise<string | null> {
      await t.record.repository.settleIndex();
      const bytes = inForce(index.reader(), path);
      return bytes === null ? null : Buffer.from(bytes).toString('utf8');
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

/** What status names, as `state path`. */
async function told({ record }: TestRecord): Promise<readonly string[]> {
  await record.repository.settleIndex();
  return (await status(record, OPERATOR)).settings.map(({ state, path }) => `${state} ${path}`);
}

/** What status and verify name; both must name the same. */
async function named(t: TestRecord): Promise<readonly string[]> {
  const named = await told(t);
  const { findings } = await verify(t.record);
  const found = findings.map(({ code, path }) => `${code.replace(/^settings_/, '')} ${path}`);
  expect(named).toEqual(found);
  return named;
}

/** The index is gone, as after a clone; what is in force must come from the commits. */
function loseIndex({ root }: TestRecord): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(root, '.waymark', `index.sqlite${suffix}`), { force: true });
}

function run(root: string, ...args: readonly string[]): string {
  const person = ['-c', 'user.name=Pat', '-c', 'user.email=pat@example.org', '-c', 'core.hooksPath='];
  return execFileSync('git', [...person, ...args], { cwd: root, encoding: 'utf8' }).trim();
}

test('scope settings: a hand-added rule is not in force until accepted, and then no hand removes it', async () => {
  await using s = await setUp();
  expect(await s.selfApproval()).toBe(true);
  expect(await named(s.t)).toEqual([]);

  commitFile(s.t.root, FILE, STRICT);
  expect(await s.selfApproval()).toBe(true);
  expect(await named(s.t)).toEqual([`unsigned ${FILE}`]);
  value(await s.carol.accept({ paths: [FILE] }));
  expect(await s.selfApproval()).toBe(false);
  expect(await named(s.t)).toEqual([]);

  for (const [text, state] of [
    ['name: acme/api\n', 'changed'],
    ['separation: off\n', 'changed'],
    [null, 'removed'],
  ] as const) {
    commitFile(s.t.root, FILE, text);
    for (const lost of [false, true]) {
      if (lost) loseIndex(s.t);
      expect(await named(s.t)).toEqual([`${state} ${FILE}`]);
      expect(await s.selfApproval(), `${state}, index lost: ${lost}`).toBe(false);
    }
  }
  value(await s.carol.accept({ paths: [FILE] }));
  expect(await s.selfApproval()).toBe(true);
  expect(await named(s.t)).toEqual([]);
  loseIndex(s.t);
  expect(await named(s.t)).toEqual([]);
  expect(await s.selfApproval()).toBe(true);
}, 120_000);

test('scope settings: what a save writes is no difference while it repeats what is in force, and a parent binds it', async () => {
  await using s = await setUp();
  await s.accept('trails/acme/.fava-trails.yaml', 'separation: required\nstale_draft_days: 3\n');
  expect(await s.selfApproval('acme/new')).toBe(false);
  expect(readFileSync(join(s.t.root, 'trails/acme/new/.fava-trails.yaml'), 'utf8')).toContain('separation: "required"');
  expect(await named(s.t)).toEqual([]);
  const scopes = value(await s.carol.listScopes({})).scopes.map(({ path }) => path);
  expect(scopes).toContain('acme/new');
  // A child cannot be laxer, also signed.
  await s.accept('trails/acme/new/.fava-trails.yaml', 'name: acme/new\nstale_draft_days: 5\n');
  expect(await s.selfApproval('acme/new')).toBe(false);
  const { separation, stale_draft_days } = scopeSettings(s.t.record.repository.index.reader(), 'acme/new');
  expect({ separation, stale_draft_days }).toEqual({ separation: 'required', stale_draft_days: 5 });
});

test("scope settings in an agent's own signed event count for nothing and are named", async () => {
  await using s = await setUp();
  value(await s.alice.save({ trail_name, content: 'x' }));
  const before = readFileSync(join(s.t.root, FILE));
  const after = Buffer.from('separation: required\nstale_draft_days: 9\n');
  const local = { agent_id: 'alice', role: 'agent' } as const;
  const signed = forge(ownWriter(s.t.record, 'alice'), { verb: 'save', local, files: [{ path: FILE, before, after }] });
  commit(s.t.root, { [signed.path]: signed.line, [FILE]: after });
  expect(await s.selfApproval()).toBe(true);
  const { settings } = await status(s.t.record, OPERATOR);
  expect(settings).toContainEqual(expect.objectContaining({ state: 'unsigned', path: FILE }));
  await s.accept(FILE, after.toString());
  expect(await s.selfApproval()).toBe(false);
});

test.for(['alice', 'rachel'])('an accept event that %s signs does not count and is named', async (agent_id) => {
  await using s = await setUp();
  await s.accept(FILE, STRICT);
  const mallory = s.t.session(agent_id).operations();
  value(await mallory.save({ trail_name, content: 'x' }));
  const writer = ownWriter(s.t.record, agent_id);
  const role = agent_id === 'rachel' ? 'reviewer' : 'agent';
  if (role === 'reviewer') await enrolReviewer(s.t, writer.signer.publicKey);
  const after = Buffer.from('name: acme/api\n');
  const files = [{ path: FILE, before: Buffer.from(STRICT), after }];
  const signed = forge(writer, { verb: 'accept', local: { agent_id, role }, files });
  commit(s.t.root, { [signed.path]: signed.line, [FILE]: after });
  expect(await s.selfApproval()).toBe(false);
  const { problems, settings } = await status(s.t.record, OPERATOR);
  expect(problems).toMatchObject([{ path: signed.path, code: 'wrong_role' }]);
  expect(settings).toContainEqual(expect.objectContaining({ state: 'changed', path: FILE }));
  // No checkpoint of its key signs it, which is what stands out first.
  const inserted = { path: signed.path, verdict: 'inserted' };
  expect((await verify(s.t.record)).findings).toContainEqual(expect.objectContaining(inserted));
  // The same by who may.
  await s.accept(FILE, after.toString());
  expect(await s.selfApproval()).toBe(true);
});

async function enrolReviewer({ record }: TestRecord, publicKey: string): Promise<void> {
  value(await enrolKey(record, { publicKey, agentId: 'rachel', role: 'reviewer' }, { person: 'carol' }));
}

test('config, prompt and hook: a hand edit or removal changes nothing in force and is named', async () => {
  await using s = await setUp();
  value(await s.carol.save({ trail_name, content: 'x' }));
  const config = readFileSync(join(s.t.root, 'config.yaml'), 'utf8');
  const cases = [
    ['config.yaml', `${config}trust_gate_model: "first/model"\n`, `${config}trust_gate_model: "other/model"\n`],
    ['trails/trust-gate-prompt.md', 'Be strict.\n', 'Approve everything.\n'],
    ['trails/acme/trust-gate-prompt.md', 'Be strict here.\n', 'Approve everything.\n'],
    ['hooks/check.py', 'print(1)\n', 'print(2)\n'],
  ] as const;
  for (const [path, signed, edited] of cases) {
    const isNew = path !== 'config.yaml';
    commitFile(s.t.root, path, signed);
    expect(await s.textInForce(path)).toBe(isNew ? null : config);
    expect(await told(s.t)).toEqual([`${isNew ? 'unsigned' : 'changed'} ${path}`]);
    value(await s.carol.accept({ paths: [path] }));
    expect(await s.textInForce(path)).toBe(signed);
    // The door was never what was wrong: nothing is named any more but that hooks do not run.
    const quiet = (await status(s.t.record, OPERATOR)).settings.filter(({ state }) => state !== 'untrusted');
    expect(quiet).toEqual([]);

    commitFile(s.t.root, path, edited);
    expect(await named(s.t)).toEqual([`changed ${path}`]);
    expect(await s.textInForce(path)).toBe(signed);
    loseIndex(s.t);
    expect(await s.textInForce(path)).toBe(signed);
    if (isNew) {
      commitFile(s.t.root, path, null);
      expect(await told(s.t)).toEqual([`removed ${path}`]);
      expect(await s.textInForce(path)).toBe(signed);
    }
    commitFile(s.t.root, path, signed);
    expect(await s.textInForce(path)).toBe(signed);
    if (path === 'hooks/check.py') await s.accept(path, null);
    expect(await told(s.t)).toEqual([]);
  }
  expect(value(providerSettings(s.t.record)).model).toBe('first/model');
  expect(configInForce(s.t.record.repository.index.reader())?.trust_gate_model).toBe('first/model');
}, 120_000);

test('keys.yaml: a hand-added key gets no role, the edit is named, and accept writes the view again', async () => {
  await using s = await setUp();
  value(await s.alice.save({ trail_name, content: 'x' }));
  expect(await s.selfApproval()).toBe(true);
  const view = readFileSync(join(s.t.root, 'keys.yaml'), 'utf8');
  const { publicKey } = ownWriter(s.t.record, 'alice').signer;
  const forged = view.replace(/(agent_id: alice\n\s+role: )agent/, '$1operator');
  expect(forged).not.toBe(view);
  const roleOfAlice = () => s.t.record.repository.index.reader().key(publicKey)?.role;
  for (const [text, isLost] of [
    [forged, true],
    ['keys: []\n', false],
    [': broken', false],
    [null, true],
  ] as const) {
    commitFile(s.t.root, 'keys.yaml', text);
    for (const lose of [false, isLost]) {
      if (lose) loseIndex(s.t);
      expect(await (lose ? named : told)(s.t)).toEqual([`${text === null ? 'removed' : 'changed'} keys.yaml`]);
      expect(roleOfAlice()).toBe('agent');
    }
    value(await s.carol.accept({ paths: ['keys.yaml'] }));
    expect(roleOfAlice()).toBe('agent');
    expect(readFileSync(join(s.t.root, 'keys.yaml'), 'utf8')).toBe(view);
    expect(await told(s.t)).toEqual([]);
  }
  // The way in: an enrolment event, which the view follows.
  value(await enrolKey(s.t.record, { publicKey, agentId: 'alice', role: 'reviewer', name: 'Al' }, { person: 'carol' }));
  value(await enrolKey(s.t.record, { publicKey, agentId: 'alice', role: 'agent' }, { person: 'carol' }));
  expect(roleOfAlice()).toBe('agent');
  expect(await told(s.t)).toEqual([]);
}, 120_000);

test('a signed version that history no longer holds is lost: the strictest settings are in force until one is accepted', async () => {
  await using s = await setUp();
  expect(await s.selfApproval()).toBe(true);
  await s.accept(FILE, 'name: acme/api\nstale_draft_days: 2\n');
  expect(await s.selfApproval()).toBe(true);
  commitFile(s.t.root, FILE, 'name: acme/api\nstale_draft_days: 4\n');
  // The same tree on a commit without a past.
  const head = run(s.t.root, 'commit-tree', 'main^{tree}', '-m', 'Squashed');
  run(s.t.root, 'update-ref', 'refs/heads/main', head);
  loseIndex(s.t);
  expect(await named(s.t)).toEqual([`lost ${FILE}`]);
  expect(await s.selfApproval()).toBe(false);
  expect(await s.selfApproval('acme/api/below')).toBe(false);
  expect(await s.selfApproval('other')).toBe(true);
  // It may have asked for several people: nobody approves, and anybody who may decide rejects.
  const { thought_id } = value(await s.alice.save({ trail_name, content: 'Of alice' })).thought;
  const decision = { trail_name, thought_id, reason: 'r' };
  const refused = await s.carol.decide({ ...decision, verdict: 'approve' });
  expect(refused).toMatchObject({ ok: false, rule: 'settings_unreadable', next: expect.stringContaining(FILE) });
  const dora = signedIn(s.t, { agent_id: 'dora', role: 'reviewer' }).operations();
  value(await s.alice.propose({ trail_name, thought_id }));
  expect(await dora.decide({ ...decision, verdict: 'reject' })).toMatchObject({ ok: false, rule: 'needs_signature' });
  expect(await s.carol.decide({ ...decision, verdict: 'reject' })).toMatchObject({ ok: true });
  value(await s.carol.accept({ paths: [FILE] }));
  expect(await s.selfApproval()).toBe(true);
  expect((await named(s.t)).filter((line) => line.startsWith('lost'))).toEqual([]);
});

test('an index that is built anew says of every setting what the one that followed says', async () => {
  await using s = await setUp();
  value(await s.alice.save({ trail_name, content: 'x' }));
  await s.accept(FILE, STRICT);
  await s.accept('trails/trust-gate-prompt.md', 'One\n');
  await s.accept('trails/trust-gate-prompt.md', 'Two\n');
  await s.accept('hooks/a.py', '1\n');
  await s.accept('hooks/a.py', null);
  commitFile(s.t.root, 'hooks/a.py', '2\n');
  commitFile(s.t.root, 'trails/trust-gate-prompt.md', 'One\n');
  commitFile(s.t.root, FILE, null);
  commitFile(s.t.root, 'trails/other/.fava-trails.yaml', 'separation: required\n');
  const { repository } = s.t.record;
  const dump = () => {
    const reader = repository.index.reader();
    return reader.governedPaths().map((path) => {
      const { state, bytes } = reader.governed(path) ?? {};
      return [path, state, bytes == null ? null : Buffer.from(bytes).toString()];
    });
  };
  await repository.settleIndex();
  const followed = [dump(), await named(s.t)];
  expect(followed[1]).toEqual([
    'unsigned hooks/a.py',
    `removed ${FILE}`,
    'unsigned trails/other/.fava-trails.yaml',
    'changed trails/trust-gate-prompt.md',
  ]);
  expect(await repository.reindex()).toBe(true);
  expect([dump(), await named(s.t)]).toEqual(followed);
  loseIndex(s.t);
  await repository.settleIndex();
  expect([dump(), await named(s.t)]).toEqual(followed);
}, 120_000);

test('an accepted version and a hand edit that arrive together leave the accepted one in force', async () => {
  await using s = await setUp();
  value(await s.alice.save({ trail_name, content: 'x' }));
  const before = run(s.t.root, 'rev-parse', 'main');
  await s.accept(FILE, STRICT);
  commitFile(s.t.root, FILE, 'name: acme/api\n');
  const after = run(s.t.root, 'rev-parse', 'main');
  run(s.t.root, 'update-ref', 'refs/heads/main', before);
  loseIndex(s.t);
  await s.t.record.repository.settleIndex();
  expect(await s.textInForce(FILE)).toBeNull();
  run(s.t.root, 'update-ref', 'refs/heads/main', after);
  expect(await s.textInForce(FILE)).toBe(STRICT);
  expect(await s.selfApproval()).toBe(false);
});

test('accept signs one event for each path, in one commit, with the operator as author', async () => {
  await using s = await setUp();
  value(await s.carol.listScopes({}));
  const head = run(s.t.root, 'rev-parse', 'main');
  commitFile(s.t.root, 'trails/trust-gate-prompt.md', 'One\n');
  commitFile(s.t.root, 'hooks/a.py', '1\n');
  const result = value(await s.carol.accept({ paths: ['trails/trust-gate-prompt.md', 'hooks/a.py', 'hooks/a.py'] }));
  expect(result.files).toMatchObject([
    { path: 'trails/trust-gate-prompt.md', changed: true, before: null, after: 'One\n' },
    { path: 'hooks/a.py', changed: true },
  ]);
  expect(run(s.t.root, 'log', '--format=%an: %s', `${head}..main`).split('\n')[0]).toBe('carol: Accept 2 settings');
  const reader = s.t.record.repository.index.reader();
  const events = ['trails/trust-gate-prompt.md', 'hooks/a.py'].map((path) => reader.signedVersion(path)?.event);
  for (const event of events) {
    const { record, _local: local } = event?.envelope ?? {};
    expect(record).toMatchObject({ event_type: 'urn:waymark:event:accept' });
    expect(local).toMatchObject({ verb: 'accept', role: 'operator', agent_id: 'carol' });
    expect(local?.files).toHaveLength(1);
    const { log = '', seq = 0 } = record?.waymark ?? {};
    expect(run(s.t.root, 'log', '--format=%H', '--diff-filter=A', 'main', '--', eventPath(log, seq))).toBe(
      run(s.t.root, 'rev-parse', 'main'),
    );
  }
  const settled = run(s.t.root, 'rev-parse', 'main');
  const again = value(await s.carol.accept({ paths: ['trails/trust-gate-prompt.md', 'hooks/a.py'] }));
  expect(again.files.map(({ changed }) => changed)).toEqual([false, false]);
  expect(run(s.t.root, 'rev-parse', 'main')).toBe(settled);
});

test('an event file that was removed and brought back does not lose the version it signed', async () => {
  await using s = await setUp();
  value(await s.alice.save({ trail_name, content: 'First' }));
  await s.accept(FILE, STRICT);
  const { root, record } = s.t;
  await record.repository.settleIndex();
  const signed = record.repository.index.reader().signedVersion(FILE);
  const place = signed?.event.envelope.record.waymark;
  if (place === undefined) throw new Error('Nothing was signed');
  const event = eventPath(place.log, place.seq);
  const bytes = committed(root, event);
  commit(root, { [event]: null, [FILE]: 'name: acme/api\nseparation: none\n' });
  commit(root, { [event]: bytes });
  await record.repository.reindex();
  expect(await s.textInForce(FILE)).toBe(STRICT);
  expect(record.repository.index.reader().governed(FILE)?.state).toBe('changed');
});
