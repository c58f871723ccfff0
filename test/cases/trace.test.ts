/** "Why is this so?" over the shipped handler: what an agent sees of causes, and what nobody learns of what is withheld. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { recordHash } from '../../src/ledger/index.ts';
import { Session } from '../../src/trail/session.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord } from '../support/record.ts';
import { casesOf, recordsOf } from '../trail/trace/fixtures.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { commitFile, denialsOf, eventsOf } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

const traceSchema = z.looseObject({
  start_hash: z.string(),
  depth_reached: z.number(),
  visited: z.array(
    z.looseObject({
      record_hash: z.string(),
      source: z.string(),
      depth: z.number(),
      parent_hashes: z.array(z.string()),
      next_informed_by: z.array(z.string()),
      next_resolved: z.array(z.string()),
      next_dangling: z.array(z.string()),
      verification: z.looseObject({ status: z.string(), reason: z.string().optional() }).optional(),
      thought: z.looseObject({ thought_id: z.string(), status: z.string(), superseded: z.boolean() }).optional(),
      sidecar_summary: z.looseObject({ verb: z.string().optional(), agent_id: z.string().optional() }).optional(),
      content_matches: z.boolean().optional(),
    }),
  ),
  dangling: z.array(z.string()),
  truncated_by_depth: z.boolean(),
  truncated_by_cap: z.boolean(),
  warnings: z.array(z.string()),
  dangling_details: z.array(z.looseObject({ record_hash: z.string(), reason: z.string() })),
  cursor: z.string().optional(),
});
type Traced = z.output<typeof traceSchema>;

async function traced(caller: Caller, args: Arguments, tool = 'trace'): Promise<Traced> {
  const answer = await caller.raw(tool, args);
  if (answer.isError === true) throw new Error(answer.content[0].text);
  return traceSchema.parse(answer.structuredContent);
}

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const approve = async (thought_id: string) => {
    await carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
    return thought_id;
  };
  const observe = async (content: string, over: Arguments = {}) =>
    approve(await alice.save({ ...SCOPE, content, ...over }));
  return { t, alice, bob, carol, approve, observe, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** What was done to which thought, in the order of the walk. */
function steps({ visited }: Traced) {
  return visited.map(({ sidecar_summary: said, thought }) => [said?.verb, thought?.thought_id]);
}

/** Three observations, a decision from them, approved, replaced, and the replacement approved. */
async function story(s: Awaited<ReturnType<typeof setUp>>) {
  const observations: string[] = [];
  for (const content of ['the old queue loses messages', 'retries hide it', 'the new queue keeps them']) {
    observations.push(await s.observe(content));
  }
  const relationships = observations.slice(1).map((target_id) => ({ type: 'DEPENDS_ON', target_id }));
  const decision = await s.approve(
    await s.alice.save({
      ...SCOPE,
      content: 'use the new queue',
      source_type: 'decision',
      parent_id: observations[0],
      relationships,
    }),
  );
  const replacement = await s.alice.thought('supersede', {
    ...SCOPE,
    thought_id: decision,
    content: 'use the new queue, with retries off',
    reason: 'retries hide losses',
  });
  return { observations, decision, replacement: await s.approve(replacement.thought_id) };
}

test('an ordinary agent sees why a decision came about: every step verified, superseded ones marked', async () => {
  await using s = await setUp();
  const { observations, decision, replacement } = await story(s);
  const answer = await traced(s.bob, { record_hash: replacement, depth: 10 });
  expect(new Set(answer.visited.map(({ thought }) => thought?.thought_id))).toEqual(
    new Set([...observations, decision, replacement]),
  );
  expect(steps(answer)[0]).toEqual(['approve', replacement]);
  for (const visit of answer.visited) {
    expect(visit.verification).toEqual({ status: 'valid' });
    expect(visit.content_matches).toBe(true);
    expect(visit.thought).toMatchObject({
      status: 'approved',
      scope: 'acme/api',
      superseded: visit.thought?.thought_id === decision,
    });
    expect(visit.next_dangling).toEqual([]);
  }
  expect([answer.dangling, answer.warnings, answer.truncated_by_depth]).toEqual([[], [], false]);
  const forward = await traced(s.bob, { record_hash: observations[0], depth: 10 }, 'trace_forward');
  expect(steps(forward)).toContainEqual(['approve', replacement]);
  expect(await traced(s.bob, { record_hash: observations[0], depth: 10, direction: 'forward' })).toEqual(forward);
});

test('an event file that somebody deleted is named by trace and by verify', async () => {
  await using s = await setUp();
  const { replacement } = await story(s);
  const before = await traced(s.bob, { record_hash: replacement, depth: 10 });
  const lost = before.visited.find(({ sidecar_summary: said }) => said?.verb === 'save');
  if (lost === undefined) throw new Error('The trace holds no save');
  expect((await verify(s.t.record)).ok).toBe(true);
  commitFile(s.t.root, lost.source, null);
  await s.t.record.repository.settleIndex();
  const after = await traced(s.bob, { record_hash: before.start_hash, depth: 10 });
  expect(after.dangling).toContain(lost.record_hash);
  expect(after.dangling_details).toContainEqual({ record_hash: lost.record_hash, reason: 'missing' });
  expect(after.visited.map(({ record_hash }) => record_hash)).not.toContain(lost.record_hash);
  const report = await verify(s.t.record);
  expect(report.ok).toBe(false);
  expect(JSON.stringify(report.findings)).toContain(lost.source.split('/')[1]);
});

test('what is withheld answers byte for byte as what never existed', async () => {
  await using s = await setUp();
  const secretDraft = await s.alice.save({ ...SCOPE, content: 'nobody else may know' });
  const seen = await s.observe('known to all', { parent_id: secretDraft });
  const events = eventsOf(s.t.root).map(({ record, _local: local }) => ({ hash: recordHash(record), local }));
  const hidden = events.find(({ local }) => local?.thought_id === secretDraft)?.hash ?? '';
  const nothing = `sha256:${'0'.repeat(64)}`;
  const text = async (caller: Caller, args: Arguments) =>
    JSON.stringify((await caller.raw('trace', args)).structuredContent);
  for (const args of [
    {},
    { direction: 'forward' },
    { compact: false },
    { depth: 0 },
    { direction: 'both', max_nodes: 1 },
  ]) {
    const withheld = await text(s.bob, { record_hash: hidden, ...args });
    expect(withheld.replaceAll(hidden, nothing)).toBe(await text(s.bob, { record_hash: nothing, ...args }));
  }
  const causes = await traced(s.bob, { record_hash: seen, follow: ['informed_by', 'annotates'] });
  expect(causes.dangling_details).toEqual([{ record_hash: hidden, reason: 'missing' }]);
  const own = await traced(s.alice, { record_hash: seen, follow: ['informed_by', 'annotates'] });
  expect(own.visited.map(({ record_hash }) => record_hash)).toContain(hidden);
  expect(own.dangling).toEqual([]);
  // A withheld child is neither shown nor counted, and cuts nothing off.
  const child = await s.alice.save({ ...SCOPE, content: 'follows in secret', parent_id: seen });
  const forward = { record_hash: seen, direction: 'forward', depth: 0 };
  expect(await traced(s.bob, forward)).toMatchObject({
    truncated_by_depth: false,
    visited: [{ next_informed_by: [] }],
  });
  const alices = await traced(s.alice, forward);
  expect(alices).toMatchObject({ truncated_by_depth: true, visited: [{ next_resolved: [expect.any(String)] }] });
  expect((await traced(s.bob, { ...forward, depth: 3, max_nodes: 1 })).cursor).toBeUndefined();
  expect((await traced(s.alice, { ...forward, depth: 3, max_nodes: 1 })).cursor).toBeDefined();
  expect(await s.bob.refused('trace', { record_hash: child })).toMatchObject({
    code: 'not_found',
    field: 'record_hash',
  });
  expect(denialsOf(s.t.root)).toEqual([]);
});

test('events about no thought: keys are seen by all, starts and denials by their own agent and operators', async () => {
  await using s = await setUp();
  await s.observe('something');
  await s.alice.ok('start_thought', { ...SCOPE, description: 'what alice is about' });
  await s.alice.refused('recall', { ...SCOPE, mode: 'history' });
  await s.alice.session.close();
  const byVerb = new Map(eventsOf(s.t.root).map(({ record, _local: local }) => [local?.verb, recordHash(record)]));
  const sees = async (caller: Caller, verb: 'init' | 'enrol' | 'start' | 'deny') =>
    (await traced(caller, { record_hash: byVerb.get(verb) })).visited.length === 1;
  for (const caller of [s.alice, s.bob, s.carol]) {
    expect([await sees(caller, 'init'), await sees(caller, 'enrol')]).toEqual([true, true]);
    expect([await sees(caller, 'start'), await sees(caller, 'deny')]).toEqual(
      caller === s.bob ? [false, false] : [true, true],
    );
  }
});

test('pages go on where they ended, for the same caller and the same call alone', async () => {
  await using s = await setUp();
  const { replacement } = await story(s);
  const call = { record_hash: replacement, depth: 10 };
  const whole = await traced(s.bob, call);
  const pages: Traced[] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; cursor = pages.at(-1)?.cursor) {
    pages.push(await traced(s.bob, { ...call, max_nodes: 2, ...(cursor === undefined ? {} : { cursor }) }));
  }
  expect(pages.flatMap(({ visited }) => visited.map((visit) => visit.record_hash))).toEqual(
    whole.visited.map((visit) => visit.record_hash),
  );
  expect(pages.map((page) => page.truncated_by_cap)).toEqual(pages.map((_, at) => at < pages.length - 1));
  const cursor = pages[0]?.cursor ?? '';
  // Another process has not this walk any more.
  const anew = await connect(s.t.session('bob'));
  expect(await traced(anew, { ...call, max_nodes: 2, cursor })).toEqual(pages[1]);
  for (const [caller, over] of [
    [s.alice, {}],
    [s.bob, { depth: 9 }],
    [s.bob, { direction: 'forward' }],
    [s.bob, { follow: ['chain'] }],
    [s.bob, { record_hash: whole.visited[1]?.record_hash }],
    [s.bob, { cursor: 'x' }],
  ] as const) {
    expect(await caller.refused('trace', { ...call, cursor, ...over })).toMatchObject({
      code: 'invalid',
      field: 'cursor',
    });
  }
});

test('bad input is refused with the bound that it broke, and the answer is fenced', async () => {
  await using s = await setUp();
  const seen = await s.observe('something');
  for (const [args, field, bound] of [
    [{ record_hash: 'sha256:12' }, 'record_hash', '64 lower-case hex digits'],
    [{ record_hash: `sha256:${'A'.repeat(64)}` }, 'record_hash', '64 lower-case hex digits'],
    [{ depth: 11 }, 'depth', '10'],
    [{ depth: -1 }, 'depth', '0'],
    [{ max_nodes: 501 }, 'max_nodes', '500'],
    [{ max_nodes: 0 }, 'max_nodes', '1'],
    [{ context_id: 'x' }, 'context_id', '32 lower-case hex digits'],
    [{ follow: [] }, 'follow', 'informed_by'],
  ] as const) {
    const refusal = await s.bob.refused('trace', { record_hash: seen, ...args });
    expect(refusal, field).toMatchObject({ code: 'invalid', field });
    expect(refusal.message).toContain(bound);
  }
  const answer = await s.bob.raw('trace', { record_hash: seen, include_content: true });
  expect(answer.content[0].text).toMatch(/^<stored-data id="/);
  expect(JSON.stringify(answer.structuredContent)).not.toMatch(/nonce|"before"|"after"/);
});

test('a thought id leads to its own last decision, a prefix too, and a draft to its newest event', async () => {
  await using s = await setUp();
  const { decision, replacement } = await story(s);
  expect(steps(await traced(s.bob, { record_hash: decision, depth: 0 }))).toEqual([['approve', decision]]);
  const prefix = replacement.slice(0, 25).toLowerCase();
  expect(steps(await traced(s.bob, { record_hash: prefix, depth: 0 }))).toEqual([['approve', replacement]]);
  const draft = await s.alice.save({ ...SCOPE, content: 'a draft' });
  await s.alice.ok('update_thought', { ...SCOPE, thought_id: draft, content: 'edited' });
  expect(steps(await traced(s.alice, { record_hash: draft, depth: 0 }))).toEqual([['update', draft]]);
});

test('every argument changes what is walked or how it is shown', async () => {
  await using s = await setUp();
  const { decision, replacement } = await story(s);
  const [start] = (await traced(s.bob, { record_hash: replacement, depth: 0 })).visited;
  const raw = async (args: Arguments) =>
    (await s.bob.raw('trace', { record_hash: replacement, ...args })).structuredContent;
  const plain = await raw({});
  for (const args of [
    { depth: 1 },
    { compact: false },
    { direction: 'both' },
    { context_id: 'f'.repeat(32) },
    { include_content: true },
    { follow: ['chain'] },
    { verify: false },
  ]) {
    expect(await raw(args), JSON.stringify(args)).not.toEqual(plain);
  }
  const scoped = await raw({ context_id: 'f'.repeat(32) });
  expect(scoped).toMatchObject({ visited: [], dangling: [], warnings: [expect.stringContaining('f'.repeat(32))] });
  const whole = await raw({ compact: false, depth: 0 });
  expect(whole).toMatchObject({
    visited: [{ record: { waymark: { log: expect.any(String) } }, source: start?.source }],
  });
  const revises = await raw({ follow: ['revises'], depth: 1 });
  expect(revises).toMatchObject({ visited: [{ revises: expect.any(String) }, { thought: { thought_id: decision } }] });
});

test('mirrors answer after the own log, never for a log that is ours, and not over HTTP', async () => {
  await using s = await setUp();
  const draft = await s.alice.save({ ...SCOPE, content: 'withheld' });
  const lines = eventsOf(s.t.root).map((envelope) => JSON.stringify(envelope));
  const hidden = eventsOf(s.t.root).find(({ _local: local }) => local?.thought_id === draft);
  const folder = join(s.t.env['HOME'] ?? '', '.atrib', 'records');
  mkdirSync(folder, { recursive: true });
  const fixture = join(recordsOf('linear'), 'atrib-emit-claude-code.jsonl');
  writeFileSync(join(folder, 'atrib-emit-claude-code.jsonl'), readFileSync(fixture));
  writeFileSync(join(folder, 'waymark-alice.jsonl'), lines.map((line) => `${line}\n`).join(''));
  const [first] = casesOf('linear');
  const foreign = first?.arguments['record_hash'];
  const found = await traced(s.bob, { record_hash: foreign });
  expect(found.visited).toHaveLength(4);
  expect(found.visited[0]).toMatchObject({ source: 'atrib-emit-claude-code.jsonl', verification: { status: 'valid' } });
  const secret = hidden === undefined ? '' : recordHash(hidden.record);
  expect(await traced(s.bob, { record_hash: secret })).toMatchObject({ visited: [], dangling: [secret] });
  const seen = await traced(s.carol, { record_hash: secret });
  expect(seen.visited[0]?.source).toMatch(/^ledger\//);
  const options = { via: 'http', agentId: 'bob', wantsOperator: false, env: {} };
  const remote = await connect(new Session(s.t.record, options));
  expect(await traced(remote, { record_hash: foreign })).toMatchObject({ visited: [], dangling: [foreign] });
  await remote.session.close();
});
