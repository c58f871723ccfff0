/** Rejected values: what is refused, what waits for a person, what goes through, by every way a text can come. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importItems } from '../../src/cli/import-run.ts';
import { readEnvironment } from '../../src/config/index.ts';
import { encodeThought } from '../../src/record/codec/index.ts';
import { type Outcome, ok } from '../../src/record/outcome.ts';
import { type AdoptReport, adopt } from '../../src/trail/adopt.ts';
import { claimEventOf } from '../../src/trail/causes.ts';
import { readRecord } from '../../src/trail/locate.ts';
import { openRecord } from '../../src/trail/open.ts';
import { replaceFile } from '../../src/trail/replace-file.ts';
import { Session } from '../../src/trail/session.ts';
import { keepOutErased } from '../../src/trail/tombstones/keep-out.ts';
import { makeKeys } from '../../src/trail/tombstones/keys.ts';
import { verify } from '../../src/trail/verify.ts';
import { write } from '../../src/trail/write.ts';
import { exampleThought } from '../record/example-thought.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';
import { type Caller, connect } from './caller.ts';
import { commitFile, denialsOf, eventsOf, git } from './evidence.ts';

const trail_name = 'acme/api';
const SCOPE = { trail_name };
const VALUE = 'The Payments API of Acme retries every failed call 3 times within 10 ms before it gives up';
const REASON = 'Measured: it never retries';

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const carol = await connect(t.session('carol', { operator: true }));
  const lift = async (tombstone: string) =>
    value(await carol.session.operations().lift({ tombstone, reason: 'It does retry since 2.0' }));
  return { t, alice, carol, lift, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** A withdraws as false what B had saved; the id of the tombstone. */
async function keepOut({ alice, carol }: { alice: Caller; carol: Caller }, content = VALUE, scope = SCOPE) {
  const thought_id = await alice.save({ ...scope, content });
  const call = { ...scope, thought_id, reason: REASON, grounds: 'false' };
  const withdrawn = await carol.ok('forget', call);
  const id = /tombstone (\w{26})/.exec(String(withdrawn['message']))?.[1] ?? '';
  expect(id).toHaveLength(26);
  return { thought_id, id };
}

/** Statuses and bodies of the live thoughts of a scope that hold the text, spelt as it was. */
function living(t: TestRecord, body: string) {
  const index = t.record.repository.index.reader();
  const paths = git(t.root, 'ls-tree', '-r', '--name-only', 'main', 'trails').toString().trim().split('\n');
  return paths.flatMap((path) => {
    const row = index.thoughtByPath(path);
    const isOut = row === null || !row.held || ['rejected', 'tombstoned'].includes(row.thought.validation_status);
    return isOut || row.thought.body !== body ? [] : [`${row.scope} ${row.thought.validation_status}`];
  });
}

const SPELLINGS = {
  'in other letter case': VALUE.toUpperCase(),
  're-punctuated': `"${VALUE.replaceAll(' API ', ' - API, ')}!"`,
  'with other white space': VALUE.replaceAll(' ', ' \u00a0\n'),
  'with zero-width characters': VALUE.replaceAll('e', 'e\u200b').replaceAll('P', '\u2060P\u00ad'),
  'with bidi controls, tags and variation selectors': `\u202e${VALUE}\u202c\u{e0041}\ufe0f`,
  'in Cyrillic and Greek look-alikes': VALUE.replaceAll('a', 'а')
    .replaceAll('e', 'е')
    .replaceAll('P', 'Ρ')
    .replace('A', 'Α'),
  'full-width': [...VALUE]
    .map((c) => (c === ' ' ? '\u3000' : String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0)))
    .join(''),
  'with more invisible characters than are digested under the lock': VALUE + '\u200b'.repeat(70_000),
  'with combining marks': VALUE.replaceAll('r', 'r\u0323').replaceAll('o', 'o\u0336'),
};

test('reject A, supersede with B, restate A: every spelling of A is refused, with id, reason and date', async () => {
  await using s = await setUp();
  const first = await s.alice.save({ ...SCOPE, content: 'The Payments API retries' });
  await s.carol.ok('propose_truth', { ...SCOPE, thought_id: first, approval: 'human' });
  const a = await s.alice.thought('supersede', { ...SCOPE, thought_id: first, content: VALUE, reason: 'more exact' });
  const call = { ...SCOPE, thought_id: a.thought_id, reason: REASON, grounds: 'false' };
  await s.carol.ok('forget', call);
  const b = { ...SCOPE, thought_id: first, content: 'The Payments API gives up at once', reason: 'measured' };
  const { thought_id } = await s.alice.thought('supersede', b);
  await s.carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  const head = git(s.t.root, 'rev-parse', 'main').toString();
  const today = new Date().toISOString().slice(0, 10);
  for (const [how, content] of Object.entries({ 'as it was': VALUE, ...SPELLINGS })) {
    const refusal = await s.alice.refused('save_thought', { ...SCOPE, content });
    expect(refusal, how).toMatchObject({ code: 'conflict', rule: 'tombstone', scope: trail_name });
    expect(refusal.message).toBe(`A person keeps this value out since ${today}: ${REASON}`);
    expect(refusal.next).toContain(`waymark lift ${String(refusal['tombstone'])}`);
  }
  await s.alice.session.close();
  const denials = denialsOf(s.t.root);
  expect(denials.map(({ rule, verb, count }) => [rule, verb, count])).toEqual([
    ['tombstone', 'save', 1],
    ['tombstone', 'save', Object.keys(SPELLINGS).length],
  ]);
  const added = git(s.t.root, 'diff', '--name-only', head.trim(), 'main').toString().trim().split('\n');
  expect(added.filter((path) => !path.startsWith('ledger/'))).toEqual([]);
  expect(await s.alice.recall(SCOPE)).toEqual([thought_id]);
});

const NEAR = {
  'reworded lightly': 'The Payments API of Acme retries each failed call 3 times within 10 ms, and then it gives up',
  'one number changed': VALUE.replace('3 times', '4 times'),
  'a negation added': VALUE.replace('retries', 'never retries'),
  'part of a longer text': `${VALUE}. So callers need no retry of their own, and the queue in front of it can go away for good`,
};
const FREE = {
  'a neighbouring value': 'The Payments API of Globex answers within 20 ms',
  /** Not covered: nobody but a reader sees that it is the same claim. */
  'a paraphrase': 'When a request to Payments fails, Acme sends it again up to 3 times, 10 ms being the limit',
};

test('what comes near is saved for a person alone to decide, a neighbour and a free paraphrase pass unmarked', async () => {
  await using s = await setUp();
  const { id } = await keepOut(s);
  for (const [how, content] of Object.entries(NEAR)) {
    const saved = await s.alice.ok('save_thought', { ...SCOPE, content });
    const notice = { tombstone: id, scope: trail_name, reason: REASON };
    expect(saved['near_tombstone'], how).toMatchObject([notice]);
    expect(saved.thought?.validation_status).toBe('draft');
    expect(eventsOf(s.t.root).at(-1)?._local).toMatchObject({ verb: 'save', near_tombstone: [id] });
    const thought_id = saved.thought?.thought_id ?? '';
    const approved = await s.carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
    expect(approved.thought?.validation_status, how).toBe('approved');
  }
  for (const [how, content] of Object.entries(FREE)) {
    const saved = await s.alice.ok('save_thought', { ...SCOPE, content });
    expect(saved, how).not.toHaveProperty('near_tombstone');
    expect(eventsOf(s.t.root).at(-1)?._local).not.toHaveProperty('near_tombstone');
  }
  expect(await s.alice.recall(SCOPE)).toHaveLength(4);
});

/** Session operations that bring no text in. A new one stands here, or among the writers below, or the test fails. */
const NO_WRITERS = [
  ...['get', 'recall', 'recallSession', 'listScopes', 'diff', 'start', 'sync', 'conflicts', 'trace', 'tracePath'],
  ...['summarize', 'deny', 'accept', 'forget', 'erase', 'lift', 'tombstones', 'rotateTombstoneKey'],
  ...['ask', 'quarantine', 'duplicates', 'resolveDuplicate', 'mayDecide', 'readProposal', 'readQueue', 'readThought'],
];

/** Each writer, and how it would state a text; `true` when it was refused by rule. */
async function waysIn(s: Awaited<ReturnType<typeof setUp>>, content: string) {
  const [mine, persons] = [s.alice.session.operations(), s.carol.session.operations()];
  const isRefused = (outcome: Outcome<unknown>) => !outcome.ok && outcome.rule === 'tombstone';
  const draft = async (scope: string, text: string) =>
    value(await mine.save({ trail_name: scope, content: text })).thought.thought_id;
  // Before the value is rejected, as drafts of it that wait.
  const [waiting, offered, other] = [
    await draft(trail_name, content),
    await draft(trail_name, content),
    await draft(trail_name, 'x y'),
  ];
  value(await mine.propose({ ...SCOPE, thought_id: offered }));
  const [replaced, elsewhere] = [
    await draft(trail_name, 'an older text'),
    await draft('acme/web', 'another older text'),
  ];
  const rolledBack = await draft(trail_name, content);
  const point = git(s.t.root, 'rev-parse', 'main').toString().trim();
  const reason = 'r';
  return {
    rolledBack,
    ways: {
      save: async () => isRefused(await mine.save({ ...SCOPE, content })),
      update: async () => isRefused(await mine.update({ ...SCOPE, thought_id: other, content })),
      propose: async () => isRefused(await mine.propose({ ...SCOPE, thought_id: waiting })),
      decide: async () => isRefused(await persons.decide({ ...SCOPE, thought_id: offered, verdict: 'approve' })),
      supersede: async () => isRefused(await mine.supersede({ ...SCOPE, thought_id: replaced, content, reason })),
      changeScope: async () =>
        isRefused(
          await mine.changeScope({
            ...{ trail_name: 'acme/web', thought_id: elsewhere, target_trail_name: trail_name },
            ...{ content, reason },
          }),
        ),
      learnPreference: async () => isRefused(await persons.learnPreference({ ...SCOPE, content })),
      rollback: async () => {
        const { changes } = value(await persons.rollback({ ...SCOPE, op_id: point }));
        return changes.some(({ thought_id, action }) => thought_id === rolledBack && action === 'leave');
      },
      import: async () => {
        const items = [{ name: 'note.md', input: ok({ ...SCOPE, content: `${content}!` }) }];
        const options = { session: s.alice.session, scope: trail_name, progress: () => undefined };
        const dry = value(await importItems(asyncOf(items), { ...options, dryRun: true }));
        const done = value(await importItems(asyncOf(items), { ...options, dryRun: false }));
        return [...dry, ...done].every((item) => item.outcome === 'refused' && item.code === 'conflict');
      },
      adopt: async () => {
        const [alike, neighbour] = [exampleId(1), exampleId(2)];
        commitFile(s.t.root, pathOf(alike), thoughtFile(alike, `${content.toUpperCase()}\n`));
        commitFile(s.t.root, pathOf(neighbour), thoughtFile(neighbour, 'Nobody rejected this\n'));
        const isNamed = ({ records }: AdoptReport) =>
          records.some(
            ({ path, becomes, why }) => path === pathOf(alike) && becomes === 'skipped' && /^tombstone: /.test(why),
          ) && records.some(({ path, becomes }) => path === pathOf(neighbour) && becomes === 'governed');
        const named = [
          isNamed(await adoptHere(s.t, { dryRun: true })),
          isNamed(await adoptHere(s.t, { dryRun: false })),
        ];
        const { repository } = s.t.record;
        const held = async (id: string) =>
          (await repository.read((index) => index.thoughtByPath(pathOf(id))?.held)).value;
        return named.every(Boolean) && (await held(alike)) === false && (await held(neighbour)) === true;
      },
    },
  };
}

test('no writer of the registry, nor adoption or import, brings a rejected value in; each brings another in', async () => {
  await using s = await setUp();
  const registry = Object.keys(s.alice.session.operations());
  const { rolledBack, ways } = await waysIn(s, VALUE);
  expect(registry.filter((name) => !NO_WRITERS.includes(name)).sort()).toEqual(
    Object.keys(ways)
      .filter((name) => name !== 'adopt' && name !== 'import')
      .sort(),
  );
  const call = { ...SCOPE, thought_id: rolledBack, reason: REASON, grounds: 'harmful' };
  await s.carol.ok('forget', call);
  // The two that were there before stay drafts and proposals, and go no further.
  const before = living(s.t, VALUE);
  for (const [name, isKeptOut] of Object.entries(ways)) expect(await isKeptOut(), name).toBe(true);
  expect(living(s.t, VALUE)).toEqual(before);

  await using free = await setUp();
  const open = await waysIn(free, VALUE);
  await free.carol.ok('forget', { ...SCOPE, thought_id: open.rolledBack, reason: REASON, grounds: 'unclear' });
  // Adoption has its control beside it: the neighbour that comes in.
  const { adopt: _, ...others } = open.ways;
  for (const [name, isKeptOut] of Object.entries(others)) expect(await isKeptOut(), name).toBe(false);
});

function asyncOf<T>(items: readonly T[]): AsyncIterable<T> {
  return (async function* () {
    yield* items;
  })();
}

function exampleId(at: number): string {
  return `01KD2Q8W5N7YJ3V9T4B6RCXEM${at}`;
}

function pathOf(id: string): string {
  return `trails/${trail_name}/thoughts/observations/${id}.md`;
}

function thoughtFile(thought_id: string, body: string): string {
  return encodeThought(exampleThought({ thought_id, source_type: 'observation', validation_status: 'approved', body }));
}

async function adoptHere(t: TestRecord, { dryRun }: { readonly dryRun: boolean }): Promise<AdoptReport> {
  const found = readRecord(t.root);
  if (found === null) throw new Error('No record');
  const open = {
    environment: value(readEnvironment(t.env)),
    env: t.env,
    producer: 'waymark/test',
    warn: () => undefined,
  };
  const options = { open, dryRun, eol: false, person: () => 'carol', report: () => undefined };
  return value(await adopt(value(found), options));
}

test('it survives a rebuilt index, a file put back, a clone and other keys, and holds below its scope, not beside it', async () => {
  await using s = await setUp();
  const { id } = await keepOut(s);
  const path = `trails/${trail_name}/tombstones/${id}.yaml`;
  const isRefused = async (where = trail_name, content = VALUE) => {
    const outcome = await s.alice.session.operations().save({ trail_name: where, content });
    return outcome.ok ? false : outcome.rule === 'tombstone';
  };
  expect([await isRefused(), await isRefused('acme/api/v2/deep')]).toEqual([true, true]);
  expect([await isRefused('acme/web'), await isRefused('acme')]).toEqual([false, false]);

  // Somebody removes the file, or puts another in its place: the signed version stays in force.
  const signed = git(s.t.root, 'show', `main:${path}`).toString();
  for (const text of [null, signed.replace(/digest: "../, 'digest: "ff'), signed]) {
    commitFile(s.t.root, path, text);
    expect(await isRefused()).toBe(true);
    if (text === null) await s.t.record.repository.reindex();
    expect(await isRefused()).toBe(true);
  }

  const rotated = value(await s.carol.session.operations().rotateTombstoneKey({ reason: 'yearly' }));
  expect(rotated.version).toBe(2);
  expect(await isRefused()).toBe(true);
  const second = await keepOut(s, 'Deploys are frozen on Fridays');
  expect(git(s.t.root, 'show', `main:trails/${trail_name}/tombstones/${second.id}.yaml`).toString()).toContain(
    'key: 2',
  );
  expect([await isRefused(), await isRefused(trail_name, 'Deploys are frozen on FRIDAYS!')]).toEqual([true, true]);

  await using clone = await cloneOf(s.t);
  const theirs = await clone
    .session('dave')
    .operations()
    .save({ ...SCOPE, content: VALUE.toLowerCase() });
  expect(theirs).toMatchObject({ ok: false, rule: 'tombstone' });
  expect(
    value(
      await clone
        .session('dave')
        .operations()
        .save({ ...SCOPE, content: 'Something else entirely' }),
    ),
  ).toBeDefined();

  await s.lift(id);
  expect([await isRefused(), await isRefused(trail_name, 'Deploys are frozen on Fridays')]).toEqual([false, true]);
});

async function cloneOf(t: TestRecord) {
  const home = mkdtempSync(join(tmpdir(), 'waymark-clone-'));
  const root = join(home, 'data');
  execFileSync('git', ['clone', '-q', t.root, root], { env: { PATH: process.env['PATH'] } });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const located = readRecord(root);
  if (located === null) throw new Error('No record');
  const options = { environment: value(readEnvironment(env)), env, producer: 'waymark/test', warn: () => undefined };
  const record = value(await openRecord(value(located), options));
  return {
    session: (agentId: string) => new Session(record, { via: 'library', agentId, wantsOperator: false, env: {} }),
    async [Symbol.asyncDispose]() {
      await record.repository.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

test('short values count exactly; grounds and keep_out say whether a value is kept out; nothing else is', async () => {
  await using s = await setUp();
  const dates = { trail_name: 'acme/dates' };
  const first = await keepOut(s, '2026-11-30', dates);
  expect(await s.alice.refused('save_thought', { ...dates, content: ' 2026–11–30. ' })).toMatchObject({
    rule: 'tombstone',
  });
  for (const content of ['2026-11-29', '2026.11.30', '20261130', '-5', 'on 2026-11-30']) {
    expect(await s.alice.ok('save_thought', { ...dates, content }), content).not.toHaveProperty('near_tombstone');
  }
  const cases = [
    [{ grounds: 'harmful' }, true],
    [{ grounds: 'false', keep_out: false }, false],
    [{ grounds: 'duplicate', keep_out: true }, true],
    [{ keep_out: true }, true],
    [{ grounds: 'outdated' }, false],
    [{}, false],
  ] as const;
  for (const [at, [args, isKept]] of cases.entries()) {
    const content = `Claim number ${at} is about the cache`;
    const thought_id = await s.alice.save({ ...dates, content });
    await s.carol.ok('forget', { ...dates, thought_id, reason: 'r', ...args });
    const again = await s.alice.raw('save_thought', { ...dates, content });
    expect(again.isError === true, JSON.stringify(args)).toBe(isKept);
  }
  const empty = await s.alice.save({ ...dates, content: '?!' });
  const withdraw = { ...dates, thought_id: empty, reason: 'r' };
  expect(await s.carol.refused('forget', { ...withdraw, grounds: 'false' })).toMatchObject({ field: 'keep_out' });
  await s.carol.ok('forget', { ...withdraw, grounds: 'false', keep_out: false });
  expect(await s.carol.session.operations().tombstones({})).toMatchObject({
    value: { tombstones: [{ tombstone: first.id, by: 'carol', grounds: 'false', reason: REASON }, {}, {}, {}] },
  });
});

test('an approval that ends a quarantine is asked of the tombstones too', async () => {
  await using s = await setUp();
  const [kept, other] = [
    await s.alice.save({ ...SCOPE, content: VALUE }),
    await s.alice.save({ ...SCOPE, content: 'A neighbour' }),
  ];
  for (const thought_id of [kept, other]) {
    await s.carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  }
  await keepOut(s);
  const carol = s.carol.session.operations();
  value(await carol.quarantine({ agent_id: 'alice', since: '2020-01-01T00:00:00Z', reason: 'Taken over' }));
  const approve = (thought_id: string) => carol.decide({ ...SCOPE, thought_id, verdict: 'approve' });
  expect(await approve(kept)).toMatchObject({ ok: false, rule: 'tombstone' });
  expect(await approve(other)).toMatchObject({ ok: true });
});

test('both verifiers accept what was kept out and lifted, and the index is the same grown and built anew', async () => {
  await using s = await setUp();
  using auditor = makeAuditor();
  const { id } = await keepOut(s);
  const kept = await keepOut(s, 'Deploys are frozen on Fridays');
  await s.alice.save({ ...SCOPE, content: NEAR['reworded lightly'] });
  await s.lift(id);
  const { repository } = s.t.record;
  const governed = async () =>
    (await repository.read((index) => index.governedPaths().map((path) => index.governed(path)))).value;
  const grown = await governed();
  expect(grown).toContainEqual(expect.objectContaining({ path: expect.stringContaining(kept.id), state: 'signed' }));
  await repository.reindex();
  expect(await governed()).toEqual(grown);
  const sound = await verify(s.t.record);
  expect([sound.ok, sound.findings]).toEqual([true, []]);
  expect(await auditor.verifyOnThread([auditor.clone(s.t.root)])).toMatchObject({ ok: true });
  for (const path of [`trails/${trail_name}/tombstones/${kept.id}.yaml`, 'tombstone-keys.yaml']) {
    const text = git(s.t.root, 'show', `main:${path}`).toString();
    commitFile(s.t.root, path, null);
    const [ours, theirs] = [await verify(s.t.record), await auditor.verifyOnThread([auditor.clone(s.t.root)])];
    for (const { findings } of [ours, theirs]) {
      expect(findings.map(({ verdict, path }) => [verdict, path])).toEqual([['unrecorded_change', path]]);
    }
    commitFile(s.t.root, path, text);
  }
});

test('an agent neither keeps out nor lifts: not by a tool, nor by a file or an event of its own', async () => {
  await using s = await setUp();
  const { id } = await keepOut(s);
  const path = `trails/${trail_name}/tombstones/${id}.yaml`;
  const operations = s.alice.session.operations();
  for (const outcome of [
    await operations.lift({ tombstone: id, reason: 'I say so' }),
    await operations.rotateTombstoneKey({ reason: 'I say so' }),
    await operations.tombstones({}),
  ]) {
    expect(outcome).toMatchObject({ ok: false, rule: 'needs_operator' });
  }
  const { tools } = await s.alice.client.listTools();
  expect(tools.filter(({ name }) => /lift|tombstone/.test(name))).toEqual([]);
  // Signed by the agent's own key, past every check.
  const signed = git(s.t.root, 'show', `main:${path}`);
  const context = await s.alice.session.context();
  const forged = write<null>(context, { verb: 'lift', input: {}, idempotencyKey: undefined }, async () =>
    ok({
      events: [
        { verb: 'lift', informed_by: [], local: { tombstone: id }, files: [{ path, before: signed, after: null }] },
      ],
      answer: null,
    }),
  );
  await expect(forged).rejects.toThrow('wrong_role');
  expect(await s.alice.refused('save_thought', { ...SCOPE, content: VALUE })).toMatchObject({ rule: 'tombstone' });
  expect(await s.carol.session.operations().accept({ paths: [path] })).toMatchObject({ ok: false, code: 'invalid' });
  expect(await s.carol.session.operations().lift({ tombstone: id, reason: ' ' })).toMatchObject({ field: 'reason' });
  await s.lift(id);
  expect(eventsOf(s.t.root).at(-1)?._local).toMatchObject({ verb: 'lift', tombstone: id, reason: expect.any(String) });
  expect(await s.alice.save({ ...SCOPE, content: VALUE })).toHaveLength(26);
});

test('no model approves what comes near, and a lost tombstone is near to everything until it is lifted', async () => {
  await using s = await setUp();
  const { id } = await keepOut(s);
  const path = `trails/${trail_name}/tombstones/${id}.yaml`;
  expect(readFileSync(join(s.t.root, path), 'utf8')).not.toMatch(/payments|acme of|gives up/i);
  const free = FREE['a neighbouring value'];
  expect(await approveAsModel(s, NEAR['reworded lightly'])).toMatchObject({ ok: false, rule: 'near_tombstone' });
  expect(await approveAsModel(s, free)).toMatchObject({ ok: true });

  // A history that never held the file.
  commitFile(s.t.root, path, null);
  const author = { GIT_AUTHOR_NAME: 'p', GIT_AUTHOR_EMAIL: 'p@example.com' };
  const env = { PATH: process.env['PATH'], ...author, GIT_COMMITTER_NAME: 'p', GIT_COMMITTER_EMAIL: 'p@example.com' };
  const squash = ['commit-tree', 'main^{tree}', '-m', 'Squashed'];
  const commit = execFileSync('git', squash, { cwd: s.t.root, env }).toString().trim();
  git(s.t.root, 'update-ref', 'refs/heads/main', commit);
  await s.t.record.repository.reindex();
  const listed = await s.carol.session.operations().tombstones({});
  expect(listed).toMatchObject({ value: { tombstones: [{ tombstone: id, check: 'unreadable' }] } });
  expect(await approveAsModel(s, `${free} too`)).toMatchObject({ ok: false, rule: 'near_tombstone' });
  const saved = await s.alice.ok('save_thought', { ...SCOPE, content: 'Lunch is at noon' });
  expect(saved['near_tombstone']).toMatchObject([{ tombstone: id }]);
  await s.lift(id);
  expect(await approveAsModel(s, `${free} as well`)).toMatchObject({ ok: true });
});

/** An approval as a reviewing model's would be written. */
async function approveAsModel({ alice, carol }: { alice: Caller; carol: Caller }, content: string) {
  const thought_id = await alice.save({ ...SCOPE, content });
  const call = { verb: 'approve', input: {}, idempotencyKey: undefined };
  return write<null>(await carol.session.context(), call, async (draft) => {
    const row = draft.index.thoughtById(thought_id)[0];
    const annotates = claimEventOf(draft.index, thought_id);
    if (row === undefined || annotates === null) throw new Error('Not saved');
    const files = await replaceFile(draft, { row, thought: { ...row.thought, validation_status: 'approved' } });
    const local = { scope: trail_name, thought_id, status: 'approved', kind: 'llm_advisory' } as const;
    const event = { verb: 'approve', annotates, informed_by: [], local, files: value(files) } as const;
    return ok({ events: [event], answer: null });
  });
}

test('an erased value is kept out by a slow digest alone, which takes the place of every quick one', async () => {
  await using s = await setUp();
  const { id, thought_id } = await keepOut(s);
  const above = await keepOut(s, VALUE, { trail_name: 'acme/web' });
  const call = { verb: 'erase', input: {}, idempotencyKey: undefined };
  const context = await s.carol.session.context();
  const erasing = { scope: trail_name, thought_id, body: VALUE.toUpperCase(), reason: 'A request to erase', context };
  const newKeys = makeKeys();
  const written = await write<null>(context, call, async (draft, tombstones) =>
    ok({
      events: value(await keepOutErased(draft, { ...erasing, keep_out: true, tombstones, newKeys })),
      answer: null,
    }),
  );
  value(written);
  const listed = value(await s.carol.session.operations().tombstones({})).tombstones;
  expect(listed.map(({ scope, check }) => `${scope} ${check}`).sort()).toEqual(['acme/api scrypt', 'acme/web scrypt']);
  expect(listed.map(({ tombstone }) => tombstone)).not.toContain(id);
  for (const gone of [id, above.id]) expect(git(s.t.root, 'ls-tree', '-r', 'main').toString()).not.toContain(gone);
  const [, spelling = ''] = Object.entries(SPELLINGS)[5] ?? [];
  for (const content of [VALUE, spelling]) {
    const refusal = await s.alice.refused('save_thought', { ...SCOPE, content });
    expect(refusal).toMatchObject({ rule: 'tombstone', scope: trail_name });
  }
  // Asked for equality alone: what can be compared can be guessed.
  const near = await s.alice.ok('save_thought', { ...SCOPE, content: NEAR['reworded lightly'] });
  expect(near).not.toHaveProperty('near_tombstone');
  for (const { tombstone } of listed) await s.lift(tombstone);
  expect(await s.alice.save({ ...SCOPE, content: VALUE })).toHaveLength(26);
});
