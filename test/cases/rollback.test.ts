/** Rollback through MCP: decisions of today that take one scope back, with history before and after. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { recordHash } from '../../src/ledger/index.ts';
import { ok } from '../../src/record/outcome.ts';
import { replaceFile } from '../../src/trail/replace-file.ts';
import type { Session } from '../../src/trail/session.ts';
import { write } from '../../src/trail/write.ts';
import { acceptFile } from '../support/accept.ts';
import { inShort } from '../support/long.ts';
import { makeRecord, type TestRecordOptions, value } from '../support/record.ts';
import { type Arguments, connect } from './caller.ts';
import { commitBlobs, commitFile, denialsOf, eventsOf, git, recorded } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };
const WEB = { trail_name: 'acme/web' };

const changesSchema = z.array(
  z.looseObject({
    thought_id: z.string(),
    scope: z.string(),
    action: z.string(),
    from: z.string().optional(),
    to: z.string().optional(),
    why: z.string(),
    new_thought_id: z.string().optional(),
  }),
);

const rollbackSchema = z.looseObject({
  message: z.string(),
  changes: changesSchema,
  dry_run: z.boolean(),
  partners: changesSchema.optional(),
});

async function setUp(options: TestRecordOptions = {}) {
  const t = await makeRecord(options);
  const alice = await connect(t.session('alice'));
  const carol = await connect(t.session('carol', { operator: true }));
  const approve = (thought_id: string, scope = SCOPE) =>
    carol.thought('propose_truth', { ...scope, thought_id, approval: 'human' });
  const approved = async (content: string, scope = SCOPE) => {
    const id = await alice.save({ ...scope, content });
    await approve(id, scope);
    return id;
  };
  const replaced = async (thought_id: string, content: string) => {
    const args = { ...SCOPE, thought_id, content, reason: 'measured' };
    const id = (await alice.thought('supersede', args)).thought_id;
    await approve(id);
    return id;
  };
  /** Status of every thought of the scope, by id, as an operator sees them. */
  const history = async (scope = SCOPE) => {
    const args = { ...scope, mode: 'history', include_superseded: true, limit: 100 };
    const { thoughts = [] } = await carol.ok('recall', args);
    return Object.fromEntries(thoughts.map((thought) => [thought.thought_id, thought.validation_status]));
  };
  const back = async (args: Arguments) => {
    const answer = await carol.ok('rollback', { ...SCOPE, ...args });
    return { ...answer, ...rollbackSchema.parse(answer) };
  };
  const governed = (scope = SCOPE) => alice.recall({ ...scope, limit: 100 });
  const head = () => git(t.root, 'rev-parse', 'main').toString().trim();
  const show = (path: string) => git(t.root, 'show', `main:${path}`).toString();
  return {
    ...{ t, alice, carol, approve, approved, replaced, history, back, governed, head, show },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

function hashOfNewest(root: string): string {
  const event = eventsOf(root).findLast(({ _local: local }) => local?.verb === 'approve');
  if (event === undefined) throw new Error('No event');
  return recordHash(event.record);
}

/** Edits a draft as a version of Waymark could have done that did not know this form of secret. */
async function plant(session: Session, id: string, body: string): Promise<void> {
  const call = { verb: 'update', input: {}, idempotencyKey: undefined };
  const written = await write<null>(await session.context(), call, async (draft) => {
    const row = draft.index.thoughtById(id)[0];
    if (row === undefined) throw new Error('No such thought');
    const files = value(await replaceFile(draft, { row, thought: { ...row.thought, body } }));
    const local = { scope: row.scope, thought_id: id, status: 'draft' as const };
    return ok({ events: [{ verb: 'update', informed_by: [], local, files }], answer: null });
  });
  value(written);
}

const short = (changes: z.output<typeof changesSchema>) =>
  Object.fromEntries(changes.map(({ thought_id, action, from, to }) => [thought_id, `${action}: ${from} -> ${to}`]));

test('what was approved since is withdrawn and what it replaced is current again, shown first by a dry run', async () => {
  await using s = await setUp();
  const first = await s.approved('retry twice');
  const point = s.head();
  const second = await s.replaced(first, 'retry once');
  const draft = await s.alice.save({ ...SCOPE, content: 'a thought in work' });
  expect(await s.governed()).toEqual([second]);
  const before = await s.history();
  const expected = {
    [first]: 'reinstate: superseded -> approved',
    [second]: 'withdraw: approved -> tombstoned',
    [draft]: 'withdraw: draft -> tombstoned',
  };
  const head = s.head();
  const dry = await s.back({ op_id: point, dry_run: true });
  expect([short(dry.changes), dry.dry_run]).toEqual([expected, true]);
  expect([s.head(), await s.history(), await s.governed()]).toEqual([head, before, [second]]);

  const done = await s.back({ op_id: point });
  expect([short(done.changes), done.dry_run]).toEqual([expected, false]);
  expect(await s.history()).toEqual({ [first]: 'approved', [second]: 'tombstoned', [draft]: 'tombstoned' });
  expect(await s.governed()).toEqual([first]);
  expect(s.show(`trails/acme/api/thoughts/observations/${first}.md`)).not.toContain('superseded_by');
  const file = s.show(`trails/acme/api/thoughts/observations/${second}.md`);
  expect(file).toContain(`Rolled back to ${point.slice(0, 12)}`);
  expect(file.endsWith('retry once')).toBe(true);
  const events = eventsOf(s.t.root).filter(({ _local: local }) => local?.verb === 'rollback');
  expect(events.map(({ _local: local }) => local?.thought_id).sort()).toEqual([first, second, draft].sort());
  expect(git(s.t.root, 'rev-list', '--count', `${head}..main`).toString().trim()).toBe('1');
  // Once more to the same point: nothing is left to do.
  const again = await s.back({ op_id: point });
  expect(again.changes).toEqual([]);
  expect(again.message).toContain('Nothing to change');
});

test('rolling back a rollback brings back what it withdrew and retires again what it had made current', async () => {
  await using s = await setUp();
  const first = await s.approved('retry twice');
  const point = s.head();
  const second = await s.replaced(first, 'retry once');
  const other = await s.approved('log every retry');
  const later = s.head();
  const before = [await s.history(), await s.governed()];
  await s.back({ op_id: point });
  expect(await s.governed()).toEqual([first]);
  const forward = await s.back({ op_id: later });
  expect(short(forward.changes)).toEqual({
    [first]: 'retire: approved -> superseded',
    [second]: 'return: tombstoned -> approved',
    [other]: 'return: tombstoned -> approved',
  });
  expect([await s.history(), await s.governed()]).toEqual(before);
  // Retired for good, as by the approval: it stays so without its replacement.
  await s.carol.ok('forget', { ...SCOPE, thought_id: second, reason: 'wrong' });
  expect(await s.governed()).toEqual([other]);
  const shown = await s.alice.thought('get_thought', { ...SCOPE, thought_id: other });
  expect(shown.metadata?.extra?.['approval']).toMatchObject({ actor: 'human:carol' });
});

test('an edited draft keeps its text, and the text of then comes back as a draft of the operator that can go on', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'first wording', metadata: { tags: ['t'] } });
  const point = s.head();
  await s.alice.ok('update_thought', { ...SCOPE, thought_id: id, content: 'second wording' });
  await s.alice.ok('propose_truth', { ...SCOPE, thought_id: id });
  const dry = await s.back({ op_id: point, dry_run: true });
  expect(dry.changes.map(({ action, new_thought_id }) => [action, new_thought_id])).toEqual([
    ['return', undefined],
    ['redraft', undefined],
  ]);
  const { changes } = await s.back({ op_id: point });
  const draft = changes.find(({ action }) => action === 'redraft')?.new_thought_id ?? '';
  const present = await s.alice.thought('get_thought', { ...SCOPE, thought_id: id });
  expect([present.content, present.validation_status]).toEqual(['second wording', 'draft']);
  const back = await s.carol.thought('get_thought', { ...SCOPE, thought_id: draft });
  expect(back).toMatchObject({ content: 'first wording', agent_id: 'carol', parent_id: id, metadata: { tags: ['t'] } });
  expect(back['reason']).toContain(`Rolled back to ${point.slice(0, 12)}`);
  // The draft is kept when the same point is asked for again.
  expect((await s.back({ op_id: point })).changes).toEqual([]);
  await s.approve(draft);
  expect(await s.governed()).toEqual([draft]);
});

test('what was proposed, rejected or withdrawn since has its earlier status again', async () => {
  await using s = await setUp();
  const [open, refused] = [
    await s.alice.save({ ...SCOPE, content: 'a' }),
    await s.alice.save({ ...SCOPE, content: 'b' }),
  ];
  await s.alice.ok('propose_truth', { ...SCOPE, thought_id: refused });
  const kept = await s.approved('c');
  const point = s.head();
  await s.alice.ok('propose_truth', { ...SCOPE, thought_id: open });
  const decide = s.carol.session.operations().decide;
  await decide({ ...SCOPE, thought_id: refused, verdict: 'reject', reason: 'no' });
  await s.carol.ok('forget', { ...SCOPE, thought_id: kept, reason: 'old' });
  expect(await s.history()).toEqual({ [open]: 'proposed', [refused]: 'rejected', [kept]: 'tombstoned' });
  expect(short((await s.back({ op_id: point })).changes)).toEqual({
    [open]: 'return: proposed -> draft',
    [refused]: 'return: rejected -> proposed',
    [kept]: 'return: tombstoned -> approved',
  });
  expect(await s.history()).toEqual({ [open]: 'draft', [refused]: 'proposed', [kept]: 'approved' });
  // They are worked on as before.
  await s.alice.ok('update_thought', { ...SCOPE, thought_id: open, content: 'edited' });
  await s.approve(refused);
  expect(new Set(await s.governed())).toEqual(new Set([refused, kept]));
});

/** Settings are brought in by carol. */
function accepting({ t }: Awaited<ReturnType<typeof setUp>>) {
  return { root: t.root, operations: t.session('carol', { operator: true }).operations() };
}

test('what a value tombstone keeps out is not revived, what none keeps out is', async () => {
  await using s = await setUp();
  const [barred, free] = [await s.approved('the poison text'), await s.approved('another text')];
  const edited = await s.alice.save({ ...SCOPE, content: 'poison in a draft' });
  const point = s.head();
  await s.alice.ok('update_thought', { ...SCOPE, thought_id: edited, content: 'cleaned' });
  await s.carol.ok('forget', { ...SCOPE, thought_id: barred, reason: 'false', grounds: 'false' });
  await s.carol.ok('forget', { ...SCOPE, thought_id: free, reason: 'outdated' });
  const poison = { trail_name: 'acme', content: 'Poison in a draft!' };
  const thought_id = await s.alice.save(poison);
  await s.carol.ok('forget', { trail_name: 'acme', thought_id, reason: 'false', grounds: 'harmful' });
  const { changes } = await s.back({ op_id: point });
  expect(short(changes)).toEqual({
    [free]: 'return: tombstoned -> approved',
    [barred]: 'leave: tombstoned -> tombstoned',
    [edited]: 'leave: draft -> draft',
  });
  expect(
    changes
      .filter(({ action }) => action === 'leave')
      .map(({ why }) => why)
      .join(),
  ).toMatch(/tombstone.*tombstone/);
  expect(await s.governed()).toEqual([free]);
  expect(await s.carol.recall({ ...SCOPE, mode: 'history', query: 'poison draft' })).toEqual([]);
});

test('a text of then that holds a secret does not come back, the rest does', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'innocent' });
  const secret = `AK${'IA'}QWERTYUIOP234567`;
  await plant(s.carol.session, id, `key ${secret}`);
  const point = s.head();
  await s.alice.ok('update_thought', { ...SCOPE, thought_id: id, content: 'cleaned' });
  await s.alice.ok('propose_truth', { ...SCOPE, thought_id: id });
  const answer = await s.back({ op_id: point });
  expect(answer.changes.map(({ action, why }) => [action, why])).toEqual([
    ['return', 'it was draft then'],
    ['leave', 'its text of then holds a secret'],
  ]);
  expect(JSON.stringify(answer)).not.toContain(secret);
});

test('another scope is not touched: its thoughts are partners, refused until each is named', async () => {
  await using s = await setUp();
  const first = await s.approved('kept in api');
  const elsewhere = await s.approved('of web alone', WEB);
  const point = s.head();
  const moved = (
    await s.alice.thought('change_scope', {
      ...SCOPE,
      thought_id: first,
      content: 'moved to web',
      reason: 'belongs there',
      target_trail_name: 'acme/web',
    })
  ).thought_id;
  await s.approve(moved, WEB);
  const own = await s.approved('later in api');
  const web = await s.history(WEB);
  const refusal = await s.carol.refused('rollback', { ...SCOPE, op_id: point });
  const partner = { thought_id: moved, scope: 'acme/web', action: 'withdraw', from: 'approved', to: 'tombstoned' };
  expect(refusal).toMatchObject({
    code: 'conflict',
    rule: 'partner_in_other_scope',
    field: 'also',
    partners: [partner],
  });
  expect(refusal.next).toContain(moved);
  expect([await s.governed(), await s.history(WEB)]).toEqual([[own], web]);
  const dry = await s.back({ op_id: point, dry_run: true });
  expect(dry.partners).toMatchObject([partner]);
  for (const also of [[elsewhere], [elsewhere, moved], [own]]) {
    expect(await s.carol.refused('rollback', { ...SCOPE, op_id: point, also })).toMatchObject({
      code: 'invalid',
      field: 'also',
    });
  }
  expect(await s.history(WEB)).toEqual(web);
  await s.back({ op_id: point, also: [moved.slice(0, 26)] });
  expect(await s.governed()).toEqual([first]);
  expect(await s.history(WEB)).toEqual({ ...web, [moved]: 'tombstoned' });
  expect(await s.governed(WEB)).toEqual([elsewhere]);
});

test('a predecessor in another scope is a partner of the replacement that goes, and again when it comes back', async () => {
  await using s = await setUp();
  const first = await s.approved('of web', WEB);
  const point = s.head();
  const args = { ...WEB, thought_id: first, content: 'of api', reason: 'r', target_trail_name: 'acme/api' };
  const second = (await s.alice.thought('change_scope', args)).thought_id;
  await s.approve(second);
  const later = s.head();
  const partners = (refusal: object) => JSON.stringify(refusal);
  expect(partners(await s.carol.refused('rollback', { ...SCOPE, op_id: point }))).toContain(first);
  await s.back({ op_id: point, also: [first] });
  expect([await s.governed(), await s.governed(WEB)]).toEqual([[], [first]]);
  expect(partners(await s.carol.refused('rollback', { ...SCOPE, op_id: later }))).toContain(first);
  await s.back({ op_id: later, also: [first] });
  expect([await s.governed(), await s.governed(WEB)]).toEqual([[second], []]);
  // The same from the other side.
  expect(partners(await s.carol.refused('rollback', { ...WEB, op_id: point }))).toContain(second);
  await s.carol.ok('rollback', { ...WEB, op_id: point, also: [second] });
  expect([await s.governed(), await s.governed(WEB)]).toEqual([[], [first]]);
});

test('a file that is unverified now, or was at the point, is named and left alone', async () => {
  await using s = await setUp();
  const [now, then, gone] = [await s.approved('a'), await s.approved('b'), await s.approved('c')];
  const path = (id: string) => `trails/acme/api/thoughts/observations/${id}.md`;
  const [textOfNow, textOfThen] = [s.show(path(now)), s.show(path(then))];
  commitFile(s.t.root, path(then), textOfThen.replace(/b$/, 'by hand'));
  const point = s.head();
  commitFile(s.t.root, path(then), textOfThen);
  commitFile(s.t.root, path(gone), null);
  const fresh = await s.approved('d');
  commitFile(s.t.root, path(now), textOfNow.replace(/a$/, 'by hand'));
  const { changes } = await s.back({ op_id: point });
  expect(short(changes)).toEqual({
    [fresh]: 'withdraw: approved -> tombstoned',
    [now]: 'leave: approved -> approved',
    [then]: 'leave: approved -> approved',
    [gone]: 'leave: undefined -> undefined',
  });
  const why = Object.fromEntries(changes.map((change) => [change.thought_id, change.why]));
  expect(why[now]).toContain('changed_since_event');
  expect(why[then]).toBe('no signed event proves what it was');
  expect(why[gone]).toBe('its file is gone or cannot be read');
  expect(s.show(path(now)).endsWith('by hand')).toBe(true);
  expect(await s.governed()).toEqual([then]);
});

test('a thought whose replacement cannot be withdrawn is not made current beside it', async () => {
  await using s = await setUp();
  const first = await s.approved('retry twice');
  const point = s.head();
  const second = await s.replaced(first, 'retry once');
  const path = `trails/acme/api/thoughts/observations/${second}.md`;
  const text = s.show(path);
  commitFile(s.t.root, path, `${text} by hand`);
  const { changes } = await s.back({ op_id: point });
  expect(changes.map(({ action }) => action)).toEqual(['leave', 'leave']);
  commitFile(s.t.root, path, text);
  expect(await s.governed()).toEqual([second]);
  await s.back({ op_id: point });
  expect(await s.governed()).toEqual([first]);
});

test('a thought whose replacement was not provably another thing then is left retired', async () => {
  await using s = await setUp();
  const first = await s.approved('retry twice');
  const args = { ...SCOPE, thought_id: first, content: 'retry once', reason: 'r' };
  const second = (await s.alice.thought('supersede', args)).thought_id;
  const path = `trails/acme/api/thoughts/drafts/${second}.md`;
  const text = s.show(path);
  commitFile(s.t.root, path, `${text} by hand`);
  const unproved = s.head();
  commitFile(s.t.root, path, text);
  const proved = s.head();
  await s.approve(second);
  const { changes } = await s.back({ op_id: unproved });
  expect(new Set(changes.map(({ action, why }) => `${action}: ${why}`))).toEqual(
    new Set(['leave: no signed event proves what it was', `leave: its replacement "${second}" stays approved`]),
  );
  expect(await s.governed()).toEqual([second]);
  await s.back({ op_id: proved });
  expect(await s.governed()).toEqual([first]);
});

test('a replacement comes back only beside a predecessor that provably stays retired', async () => {
  await using s = await setUp();
  const first = await s.approved('retry twice');
  const second = await s.replaced(first, 'retry once');
  const point = s.head();
  await s.carol.ok('forget', { ...SCOPE, thought_id: second, reason: 'r' });
  const path = `trails/acme/api/thoughts/observations/${first}.md`;
  const text = s.show(path);
  commitFile(s.t.root, path, `${text} by hand`);
  const { changes } = await s.back({ op_id: point });
  expect(changes).toMatchObject([{ action: 'leave' }, { action: 'leave' }]);
  expect(new Set(changes.map(({ why }) => why))).toContain(`what it replaced, "${first}", is unverified or gone`);
  expect(await s.governed()).toEqual([]);
  commitFile(s.t.root, path, text);
  await s.back({ op_id: point });
  expect(await s.governed()).toEqual([second]);
});

test('a replacement does not come back beside another one that took its place meanwhile: that one is a partner and goes', async () => {
  await using s = await setUp();
  const first = await s.approved('of web', WEB);
  const before = s.head();
  const move = async (target_trail_name: string) => {
    const args = { ...WEB, thought_id: first, content: `of ${target_trail_name}`, reason: 'r', target_trail_name };
    const id = (await s.alice.thought('change_scope', args)).thought_id;
    await s.approve(id, { trail_name: target_trail_name });
    return id;
  };
  const second = await move('acme/api');
  const point = s.head();
  await s.back({ op_id: before, also: [first] });
  const rival = await move('acme/ops');
  for (const also of [[], [first]]) {
    const refusal = await s.carol.refused('rollback', { ...SCOPE, op_id: point, also });
    expect(refusal).toMatchObject({ rule: 'partner_in_other_scope' });
  }
  expect(await s.governed({ trail_name: 'acme/ops' })).toEqual([rival]);
  const { changes } = await s.back({ op_id: point, also: [first, rival] });
  expect(changes.map(({ action, thought_id }) => [thought_id, action]).sort()).toEqual(
    [
      [first, 'retire'],
      [second, 'return'],
      [rival, 'withdraw'],
    ].sort(),
  );
  expect([await s.governed(), await s.governed(WEB), await s.governed({ trail_name: 'acme/ops' })]).toEqual([
    [second],
    [],
    [],
  ]);
});

test('an approval is brought back only by an operator who could have approved it', async () => {
  await using s = await setUp();
  const own = await s.carol.save({ ...SCOPE, content: 'of carol' });
  await s.approve(own);
  const point = s.head();
  await s.carol.ok('forget', { ...SCOPE, thought_id: own, reason: 'r' });
  const settings = 'trails/acme/api/.fava-trails.yaml';
  const text = s.show(settings);
  const at = accepting(s);
  await acceptFile(at, settings, 'separation: required\n');
  const refusal = await s.carol.refused('rollback', { ...SCOPE, op_id: point });
  expect(refusal).toMatchObject({ code: 'authority', rule: 'separation_required' });
  await acceptFile(at, settings, text);
  await s.back({ op_id: point });
  expect(await s.governed()).toEqual([own]);
});

test('a point is a commit, an event or a time, by prefix too; another answer offers ten', async () => {
  let now = Date.parse('2026-11-30T09:00:00Z');
  await using s = await setUp({ now: () => now });
  const first = await s.alice.save({ ...SCOPE, content: 'retry twice' });
  now += 5_000;
  await s.approve(first);
  const commit = s.head();
  const hash = hashOfNewest(s.t.root);
  const time = new Date(now).toISOString();
  now += 5_000;
  const second = await s.approved('log retries');
  const plan = { [second]: 'withdraw: approved -> tombstoned' };
  for (const op_id of [commit, commit.slice(0, 8), commit.slice(0, 8).toUpperCase(), hash, hash.slice(0, 19), time]) {
    expect(short((await s.back({ op_id, dry_run: true })).changes), op_id).toEqual(plan);
  }
  for (const op_id of [
    undefined,
    '',
    'yesterday',
    '0'.repeat(40),
    'sha256:00000000',
    '1999-01-01',
    hash.slice(0, 10),
  ]) {
    const refusal = await s.carol.refused('rollback', { ...SCOPE, op_id });
    expect(refusal, op_id).toMatchObject({ code: op_id ? 'not_found' : 'invalid', field: 'op_id' });
    expect(refusal['points']).toMatchObject([
      { verb: 'approve', thought_id: second, commit: s.head().slice(0, 12) },
      { verb: 'save', thought_id: second },
      { verb: 'approve', thought_id: first, event: hash, commit: commit.slice(0, 12), time: time.replace('Z', '000Z') },
      { verb: 'save', thought_id: first },
    ]);
  }
  const nowhere = await s.carol.refused('rollback', { trail_name: 'no/such' });
  expect([nowhere['points'], nowhere.next]).toEqual([[], expect.stringContaining('list_scopes')]);
});

test('more thoughts than one rollback holds are refused with their count before anything is read of them', async () => {
  await using s = await setUp();
  const point = s.head();
  const id = await s.approved('retry twice');
  const near = s.head();
  const blob = git(s.t.root, 'rev-parse', `main:trails/acme/api/thoughts/observations/${id}.md`).toString().trim();
  const file = (n: number) => `trails/acme/api/thoughts/drafts/${String(n).padStart(26, '0')}.md`;
  commitBlobs(s.t.root, new Map(Array.from({ length: 1000 }, (_, n) => [file(n), blob])));
  const refusal = await s.carol.refused('rollback', { ...SCOPE, op_id: point });
  expect(refusal).toMatchObject({ code: 'invalid', field: 'op_id', count: 1001, limit: 1000 });
  expect(refusal.next).toContain('later point');
  expect((await s.back({ op_id: near, dry_run: true })).message).toContain('Nothing to change');
});

test('agents are refused alike for every id and point, and the refusal is recorded', async () => {
  await using s = await setUp();
  const bob = await connect(s.t.session('bob'));
  const hidden = await s.alice.save({ ...SCOPE, content: 'of alice' });
  const refusals = new Set<string>();
  for (const thought_id of [hidden, '0'.repeat(26), 'not an id']) {
    const { not_recorded: _, ...refusal } = await bob.refused('forget', { ...SCOPE, thought_id, reason: 'r' });
    refusals.add(JSON.stringify(refusal));
  }
  expect([...refusals]).toHaveLength(1);
  expect([...refusals][0]).toContain('needs_operator');
  for (const op_id of [s.head(), 'nothing', undefined]) {
    expect(await bob.refused('rollback', { ...SCOPE, op_id })).toMatchObject({ rule: 'needs_operator' });
    expect(await bob.refused('diff', { ...SCOPE, revision: op_id })).toMatchObject({ rule: 'needs_operator' });
  }
  await recorded(() => new Set(denialsOf(s.t.root).map(({ verb }) => verb))).toEqual(
    new Set(['forget', 'rollback', 'diff']),
  );
  expect(await s.history()).toEqual({ [hidden]: 'draft' });
});

test('a repeated call with its key answers the same and does nothing again', async () => {
  await using s = await setUp();
  const point = s.head();
  const id = await s.approved('retry twice');
  const call = { ...SCOPE, op_id: point, idempotency_key: 'k' };
  const first = await s.carol.ok('rollback', call);
  const head = s.head();
  expect(await s.carol.ok('rollback', call)).toEqual(first);
  expect(await s.carol.refused('rollback', { ...call, dry_run: true })).toMatchObject({ code: 'idempotency' });
  expect(s.head()).toBe(head);
  expect(await s.history()).toEqual({ [id]: 'tombstoned' });
  await s.t.record.repository.reindex();
  expect(await s.carol.ok('rollback', call)).toMatchObject({ status: 'ok', changes: [], dry_run: false });
  expect(s.head()).toBe(head);
});

test.each(inShort(['first_file', 'intent', 'objects', 'branch'] as const, 1))(
  'a rollback that breaks at "%s" is done whole or not at all',
  async (at) => {
    let armed = false;
    await using s = await setUp({
      onStep: (step) => {
        if (armed && step === at) {
          armed = false;
          throw new Error('broken');
        }
      },
    });
    const first = await s.approved('retry twice');
    const point = s.head();
    const second = await s.replaced(first, 'retry once');
    armed = true;
    await s.carol.raw('rollback', { ...SCOPE, op_id: point });
    expect(armed).toBe(false);
    await s.alice.save({ ...SCOPE, content: 'the next one finishes or drops it' });
    const { [first]: one, [second]: other } = await s.history();
    expect([
      ['approved', 'approved'],
      ['approved', 'tombstoned'],
    ]).toContainEqual([one, other]);
    expect(await s.governed()).toEqual(other === 'approved' ? [second] : [first]);
    await s.back({ op_id: point });
    expect(await s.governed()).toEqual([first]);
  },
);
