/** start_thought, learn_preference, sync, conflicts, get_usage_guide and the start of a session (fava.md 2; issue 3). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { USAGE_GUIDE } from '../../src/mcp/usage-guide.ts';
import { makeRecord } from '../support/record.ts';
import { connect } from './caller.ts';
import { commitFile, denialsOf, eventsOf, git, recorded } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const approve = (thought_id: string) => carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  /** Context of the event that last named the thought. */
  const contextOf = (id: string) =>
    eventsOf(t.root).findLast(({ _local: local }) => local?.thought_id === id)?.record.context_id;
  return { t, alice, bob, carol, approve, contextOf, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test('start_thought gives the caller alone a context for later writes, until the next one, and a traceparent wins', async () => {
  await using s = await setUp();
  const before = await s.alice.save({ ...SCOPE, content: 'before' });
  const first = await s.alice.ok('start_thought', { ...SCOPE, description: 'Look into retries' });
  expect(first).toMatchObject({ status: 'ok', description: 'Look into retries' });
  expect(first['change_id']).toMatch(/^[0-9a-f]{32}$/);
  const during = await s.alice.save({ ...SCOPE, content: 'during' });
  const others = await s.bob.save({ ...SCOPE, content: 'of bob' });
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await s.alice.client.callTool({
    name: 'propose_truth',
    arguments: { ...SCOPE, thought_id: before },
    _meta: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
  });
  const second = await s.alice.ok('start_thought', { ...SCOPE, description: 'Look into limits' });
  const after = await s.alice.save({ ...SCOPE, content: 'after' });
  expect(s.contextOf(before)).toBe(trace);
  expect(s.contextOf(during)).toBe(first['change_id']);
  expect(s.contextOf(after)).toBe(second['change_id']);
  expect(new Set([first, second].map((value) => value['change_id'])).size).toBe(2);
  expect([first['change_id'], second['change_id']]).not.toContain(s.contextOf(others));
  const started = eventsOf(s.t.root).filter(({ _local: local }) => local?.verb === 'start');
  expect(started.map(({ record, _local: local }) => [record.event_type, record.context_id, local])).toMatchObject([
    ['urn:waymark:event:start', first['change_id'], { scope: 'acme/api', reason: 'Look into retries', role: 'agent' }],
    ['urn:waymark:event:start', second['change_id'], { scope: 'acme/api', reason: 'Look into limits' }],
  ]);
});

test('start_thought works for an operator and in a scope that does not exist, and creates no scope', async () => {
  await using s = await setUp();
  await s.carol.ok('start_thought', { trail_name: 'acme/new', description: 'x' });
  expect((await s.carol.ok('list_scopes', {})).scopes).toEqual([]);
  expect(existsSync(join(s.t.root, 'trails', 'acme'))).toBe(false);
  await s.carol.save({ trail_name: 'acme/new', content: 'x' });
  expect(existsSync(join(s.t.root, 'trails', 'acme', 'new'))).toBe(true);
});

test('start_thought with the same idempotency key is one event and the same context, also after a reindex', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, description: 'Look into retries', idempotency_key: 'k' };
  const first = await s.alice.ok('start_thought', call);
  const other = await s.alice.ok('start_thought', { ...SCOPE, description: 'between' });
  expect(await s.alice.ok('start_thought', call)).toEqual(first);
  const id = await s.alice.save({ ...SCOPE, content: 'again' });
  expect(s.contextOf(id)).toBe(first['change_id']);
  await s.t.record.repository.reindex();
  expect(await s.alice.ok('start_thought', call)).toEqual(first);
  expect(await s.alice.refused('start_thought', { ...call, description: 'other' })).toMatchObject({
    code: 'idempotency',
  });
  const started = eventsOf(s.t.root).filter(({ _local: local }) => local?.verb === 'start');
  expect(started.map(({ record }) => record.context_id)).toEqual([first['change_id'], other['change_id']]);
});

test('start_thought refuses a secret, text over the limit and a malformed scope, and leaves the context alone (B47)', async () => {
  await using s = await setUp();
  const started = await s.alice.ok('start_thought', { ...SCOPE, description: 'x'.repeat(4_096) });
  const secret = `AK${'IA'}QWERTYUIOP234567`;
  const refusal = await s.alice.refused('start_thought', { ...SCOPE, description: `use ${secret}` });
  expect(refusal).toMatchObject({ code: 'secret', field: 'description' });
  expect(JSON.stringify(refusal)).not.toContain(secret);
  const tooLong = await s.alice.refused('start_thought', { ...SCOPE, description: 'x'.repeat(4_097) });
  expect(tooLong).toMatchObject({ code: 'invalid', field: 'description' });
  expect(await s.alice.refused('start_thought', { trail_name: '../x', description: 'x' })).toMatchObject({
    code: 'invalid',
    field: 'trail_name',
  });
  const id = await s.alice.save({ ...SCOPE, content: 'after' });
  expect(s.contextOf(id)).toBe(started['change_id']);
});

test('learn_preference is denied to agents and recorded; an operator saves a draft that keeps its folder when approved', async () => {
  await using s = await setUp();
  await s.carol.ok('list_scopes', {});
  const call = { ...SCOPE, content: 'Plain words, no jargon' };
  const refusal = await s.alice.refused('learn_preference', call);
  expect(refusal).toMatchObject({ code: 'authority', rule: 'needs_operator' });
  await recorded(() => denialsOf(s.t.root)).toEqual([
    { agent_id: 'alice', verb: 'learn_preference', rule: 'needs_operator', count: 1 },
  ]);
  expect(existsSync(join(s.t.root, 'trails', 'acme'))).toBe(false);

  const firm = await s.carol.thought('learn_preference', { ...call, metadata: { tags: ['tone'] } });
  const client = await s.carol.thought('learn_preference', { ...call, preference_type: 'client' });
  expect(firm).toMatchObject({ validation_status: 'draft', source_type: 'user_input', metadata: { tags: ['tone'] } });
  const file = (type: string, id: string) => join(s.t.root, `trails/acme/api/thoughts/preferences/${type}/${id}.md`);
  expect(readFileSync(file('firm', firm.thought_id), 'utf8')).toContain('validation_status: draft');
  await s.approve(client.thought_id);
  expect(readFileSync(file('client', client.thought_id), 'utf8')).toContain('validation_status: approved');
  expect(await s.bob.recall(SCOPE)).toEqual([client.thought_id]);
});

test('learn_preference passes the checks of save and repeats the answer of its idempotency key', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, content: 'Plain words', idempotency_key: 'k' };
  const first = await s.carol.thought('learn_preference', call);
  expect(await s.carol.thought('learn_preference', call)).toEqual(first);
  expect(await s.carol.refused('learn_preference', { ...call, preference_type: 'client' })).toMatchObject({
    code: 'idempotency',
  });
  expect(await s.carol.refused('learn_preference', { ...SCOPE, content: `AK${'IA'}QWERTYUIOP234567` })).toMatchObject({
    code: 'secret',
  });
  const owned = { ...SCOPE, content: 'x', metadata: { extra: { approval: {} } } };
  expect(await s.carol.refused('learn_preference', owned)).toMatchObject({ rule: 'owned_extra_key' });
  expect(await s.carol.refused('learn_preference', { ...SCOPE, content: 'x', agent_id: 'bob' })).toMatchObject({
    rule: 'agent_id_mismatch',
  });
  expect(await s.carol.recall({ ...SCOPE, mode: 'authoring' })).toEqual([first.thought_id]);
});

test('sync answers not_configured as a normal result, writes nothing, creates no scope, and refuses a malformed one', async () => {
  await using s = await setUp();
  const head = git(s.t.root, 'rev-parse', 'main').toString();
  const answer = await s.alice.ok('sync', { trail_name: 'acme/new' });
  expect(answer).toMatchObject({ status: 'not_configured' });
  expect(String(answer['message'])).toContain('git push');
  expect(await s.alice.refused('sync', { trail_name: 'a/../b' })).toMatchObject({
    code: 'invalid',
    field: 'trail_name',
  });
  expect(git(s.t.root, 'rev-parse', 'main').toString()).toBe(head);
  expect(existsSync(join(s.t.root, 'trails', 'acme'))).toBe(false);
});

const SIDES = '\n<<<<<<< ours\nmine\n=======\ntheirs\n>>>>>>> theirs\n';

test('conflicts is denied to agents and names what holds markers in body or frontmatter, not what quotes them (B51)', async () => {
  await using s = await setUp();
  await s.carol.ok('list_scopes', {});
  expect(await s.alice.refused('conflicts', SCOPE)).toMatchObject({ code: 'authority', rule: 'needs_operator' });
  await recorded(() => denialsOf(s.t.root)).toMatchObject([{ agent_id: 'alice', verb: 'conflicts' }]);

  const ids = await Promise.all(['a', 'b', 'c'].map((content) => s.alice.save({ ...SCOPE, content })));
  const quoting = await s.alice.save({ ...SCOPE, content: SIDES });
  const elsewhere = await s.alice.save({ trail_name: 'acme/api/below', content: 'd' });
  expect(await s.carol.ok('conflicts', SCOPE)).toEqual({
    status: 'ok',
    has_conflicts: false,
    message: 'No conflicts in this scope',
  });
  const path = (id = '', scope = 'acme/api') => `trails/${scope}/thoughts/drafts/${id}.md`;
  const text = (id = '', scope?: string) => readFileSync(join(s.t.root, path(id, scope)), 'utf8');
  const [inBody, inHead, untouched] = ids;
  commitFile(s.t.root, path(inBody), text(inBody) + SIDES);
  commitFile(s.t.root, path(inHead), text(inHead).replace('confidence: 0.5\n', SIDES.trimStart()));
  commitFile(s.t.root, path(elsewhere, 'acme/api/below'), text(elsewhere, 'acme/api/below') + SIDES);
  const found = await s.carol.ok('conflicts', SCOPE);
  expect(found).toMatchObject({ status: 'conflict', has_conflicts: true, count: 2 });
  const files = (value: object) => JSON.stringify('conflicts' in value ? value.conflicts : []);
  for (const id of [inBody, inHead]) expect(files(found)).toContain(path(id));
  for (const id of [untouched, quoting, elsewhere]) expect(files(found)).not.toContain(path(id));
  expect(await s.carol.ok('conflicts', { trail_name: 'acme/api/below' })).toMatchObject({ count: 1 });
  // A conflict in one thought does not stop the others (B53).
  await s.alice.save({ ...SCOPE, content: 'goes on' });
});

test('conflicts names a branch on a conflicted jj commit and the thoughts both sides changed, until it is resolved', async () => {
  await using s = await setUp();
  await s.carol.ok('list_scopes', {});
  const id = await s.alice.save({ ...SCOPE, content: 'a' });
  const good = git(s.t.root, 'rev-parse', 'main').toString().trim();
  const path = `trails/acme/api/thoughts/drafts/${id}.md`;
  for (const [tree, text] of [
    ['base-0', 'a'],
    ['side-0', 'b'],
    ['side-1', 'c'],
  ] as const) {
    commitFile(s.t.root, `.jjconflict-${tree}/${path}`, text);
    commitFile(s.t.root, `.jjconflict-${tree}/trails/acme/web/thoughts/drafts/${id}.md`, text);
    commitFile(s.t.root, `.jjconflict-${tree}/trails/acme/api/thoughts/drafts/${'0'.repeat(26)}.md`, 'same');
  }
  const found = await s.carol.ok('conflicts', SCOPE);
  expect(found).toMatchObject({
    status: 'conflict',
    count: 2,
    conflicts: [{ file: 'refs/heads/main' }, { file: path }],
  });
  expect(await s.alice.refused('save_thought', { ...SCOPE, content: 'x' })).toMatchObject({ code: 'repository' });
  expect(await s.alice.recall({ ...SCOPE, mode: 'authoring' })).toEqual([id]);
  git(s.t.root, 'update-ref', 'refs/heads/main', good);
  expect(await s.carol.ok('conflicts', SCOPE)).toMatchObject({ status: 'ok', has_conflicts: false });
  await s.alice.save({ ...SCOPE, content: 'x' });
});

test('get_usage_guide answers Markdown as its text and the same in its structure', async () => {
  await using s = await setUp();
  const { content, structuredContent } = await s.alice.raw('get_usage_guide', {});
  expect(content).toEqual([{ type: 'text', text: USAGE_GUIDE }]);
  expect(structuredContent).toEqual({ status: 'ok', content: USAGE_GUIDE });
});

interface Entry {
  readonly thought_id: string;
  readonly preview: string;
}

test('recall with order session gives a few of each group, the newest first, each once, and nothing that is withheld', async () => {
  await using s = await setUp();
  const saved: string[] = [];
  const save = async (content: string, more: object = {}) => {
    const id = await s.alice.save({ ...SCOPE, content, ...more });
    saved.push(id);
    await s.approve(id);
    return id;
  };
  const decision = await save('# Retry only\n\n idempotent charges', { source_type: 'decision' });
  const gotcha = await save('\n\n  The   sandbox\tcaps bursts ', { metadata: { tags: ['gotcha'] } });
  const statuses: string[] = [];
  for (const n of [1, 2, 3]) statuses.push(await save(`Status ${n} of the decision`));
  const { thought_id: preference } = await s.carol.thought('learn_preference', { ...SCOPE, content: 'Plain words' });
  await s.approve(preference);
  const elsewhere = await s.alice.save({ trail_name: 'acme/web', content: 'Status of the web, a gotcha' });
  await s.carol.ok('propose_truth', { trail_name: 'acme/web', thought_id: elsewhere, approval: 'human' });
  const drafted = await s.bob.save({ ...SCOPE, content: 'Status of a draft, a gotcha' });
  const proposed = await s.bob.save({ ...SCOPE, content: 'Status of a proposal' });
  await s.bob.ok('propose_truth', { ...SCOPE, thought_id: proposed });

  const start = await s.alice.ok('recall', { ...SCOPE, order: 'session', query: '' });
  const entry = (thought_id: string | undefined, preview: string): Entry => ({ thought_id: thought_id ?? '', preview });
  expect(start).toEqual({
    status: 'ok',
    session: {
      status: [2, 1].map((n) => entry(statuses[n], `Status ${n + 1} of the decision`)),
      decisions: [entry(statuses[0], 'Status 1 of the decision'), entry(decision, 'Retry only')],
      gotchas: [entry(gotcha, 'The sandbox caps bursts')],
      preferences: [entry(preference, 'Plain words')],
    },
    own_drafts: 0,
    proposals: 0,
  });
  expect(await s.bob.ok('recall', { ...SCOPE, order: 'session' })).toMatchObject({ own_drafts: 1, proposals: 1 });
  expect(await s.carol.ok('recall', { ...SCOPE, order: 'session' })).toMatchObject({ own_drafts: 0, proposals: 1 });
  for (const caller of [s.alice, s.bob, s.carol]) {
    const { content } = await caller.raw('recall', { ...SCOPE, order: 'session' });
    for (const id of [elsewhere, drafted, proposed]) expect(content[0].text).not.toContain(id);
    expect(content[0].text).toContain(gotcha);
  }
  // A replaced thought leaves the start with the approval of its successor.
  const { thought_id: next } = await s.alice.thought('supersede', {
    ...SCOPE,
    thought_id: gotcha,
    content: 'n',
    reason: 'r',
  });
  await s.approve(next);
  const { session } = await s.alice.ok('recall', { ...SCOPE, order: 'session' });
  expect(session).toMatchObject({ gotchas: [entry(next, 'n')] });
});

test('the start of a session stays under 500 tokens whatever the texts are, also while the index lags', async () => {
  await using s = await setUp();
  const texts = ['<', '"', '\\', '\u0001', '\u2028', '🚀', '设', 'x', '\u0085', '> '];
  for (const [n, text] of texts.entries()) {
    const words = ['status', 'gotcha', 'decision'];
    const ids = await Promise.all([
      ...words.map((word) => s.alice.save({ ...SCOPE, content: `${text.repeat(5_000)} ${word} ${n}` })),
      s.carol
        .thought('learn_preference', { ...SCOPE, content: `${text}${'y'.repeat(300)}` })
        .then((of) => of.thought_id),
    ]);
    await Promise.all(ids.map(s.approve));
    await s.alice.save({ ...SCOPE, content: 'open' });
    const { content, structuredContent } = await s.alice.raw('recall', { ...SCOPE, order: 'session' });
    expect(content[0].text.length / 4, text).toBeLessThan(500 - 45);
    const { session } = structuredContent;
    const groups = typeof session === 'object' && session !== null ? Object.values(session) : [];
    expect(groups.flat().length, text).toBe(Math.min(2, n + 1) * 4);
  }
}, 60_000);

test('the start of a session stays under 500 tokens as a tokenizer counts them too, for prose in any script', async () => {
  await using s = await setUp();
  const prose = [
    'Retry a charge that timed out at most three times, after 1, 5 and 25 seconds, and only with its idempotency key',
    'Eine Abbuchung wird höchstens dreimal wiederholt, und nur mit Idempotenzschlüssel; sonst fragen wir nach',
    'POST /v1/charges?expand[]=customer answers 409 when an Idempotency-Key (uuid v4) comes with another body_hash',
    '退款必须由第二个人批准，除非金额低于五百欧元，并且客户在三十天内没有其他退款请求，否则一律拒绝处理，请务必遵守这一规定',
    'Списание повторяется не более трёх раз и только с ключом идемпотентности, иначе мы спрашиваем шлюз о его состоянии',
  ];
  for (const text of prose) {
    const words = ['status', 'gotcha', 'decision'].flatMap((word) => [`${word} 1`, `${word} 2`]);
    const ids = await Promise.all([
      ...words.map((word) => s.alice.save({ ...SCOPE, content: `${text}\n\n${word}` })),
      ...[1, 2].map(async (n) => {
        const call = { ...SCOPE, content: `${text}\n\n${n}` };
        return (await s.carol.thought('learn_preference', call)).thought_id;
      }),
    ]);
    await Promise.all(ids.map(s.approve));
    const { content } = await s.alice.raw('recall', { ...SCOPE, order: 'session' });
    expect(content[0].text.match(/thought_id/g), text).toHaveLength(8);
    expect(countTokens(content[0].text), text).toBeLessThan(500);
  }
}, 60_000);

test('order session refuses every other argument by name, and a scope that holds nothing starts empty', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, order: 'session' };
  const others = { query: 'x', cursor: 'x', limit: 3, namespace: 'drafts', mode: 'authoring', trail_names: ['**'] };
  for (const [field, value] of Object.entries(others)) {
    expect(await s.alice.refused('recall', { ...call, [field]: value })).toMatchObject({ code: 'invalid', field });
  }
  expect(await s.alice.refused('recall', { ...call, trail_name: '' })).toMatchObject({ field: 'trail_name' });
  expect(await s.alice.ok('recall', { trail_name: 'no/such', order: 'session', query: ' ' })).toEqual({
    status: 'ok',
    session: { status: [], decisions: [], gotchas: [], preferences: [] },
    own_drafts: 0,
    proposals: 0,
  });
});
