/** `summarize` through the tools: what an ordinary agent is told of a decision, and by whom. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { recordHash } from '../../src/ledger/index.ts';
import { Session } from '../../src/trail/session.ts';
import { says, startChat } from '../fakes/chat-server.ts';
import { makeRecord } from '../support/record.ts';
import { type Caller, connect } from './caller.ts';
import { eventsOf } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

const step = z.looseObject({ record_hash: z.string(), text: z.string() });
const summarySchema = z.looseObject({
  narrative: z.string(),
  narrative_by: z.string(),
  steps: z.array(step),
  decisions: z.array(step),
  turning_points: z.array(step),
  open_ends: z.array(step),
  records_summarized: z.number(),
  records_skipped: z.number(),
  warnings: z.array(z.string()),
  egress: z.looseObject({ requests: z.number() }).optional(),
});

async function summarize(caller: Caller, args: object) {
  return summarySchema.parse((await caller.raw('summarize', { ...args })).structuredContent);
}

/** Two observations, a decision from them that is approved, and its approved replacement. */
async function setUp() {
  const t = await makeRecord();
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const alice = await connect(t.session('alice'));
  const approve = (thought_id: string) => carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  const causes = [];
  for (const content of ['latency is high', 'the cache is cold']) causes.push(await bob.save({ ...SCOPE, content }));
  for (const id of causes) await approve(id);
  const decision = await bob.save({
    ...SCOPE,
    content: 'warm the cache',
    source_type: 'decision',
    informed_by: causes,
  });
  await approve(decision);
  const replacing = { ...SCOPE, thought_id: decision, content: 'drop the cache', reason: 'it was stale' };
  const successor = (await bob.thought('supersede', replacing)).thought_id;
  await approve(successor);
  return { t, alice, bob, carol, decision, successor, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test('an agent is told how an approved decision came about, and nothing of what is withheld', async () => {
  await using s = await setUp();
  const hidden = await s.bob.save({ ...SCOPE, content: 'secret plan', parent_id: s.successor });
  const told = await summarize(s.alice, { from: s.successor });
  for (const text of ['latency is high', 'the cache is cold', 'warm the cache', 'drop the cache', 'it was stale']) {
    expect(told.narrative).toContain(text);
  }
  expect(JSON.stringify(told)).not.toContain('secret plan');
  expect(JSON.stringify(told)).not.toContain(hidden);
  expect(told.decisions.map(({ text }) => text).join()).toContain('carol approved');
  expect(told.turning_points.length).toBeGreaterThan(0);
  expect(told).toMatchObject({ narrative_by: 'waymark', records_skipped: 0, warnings: [], open_ends: [] });
  // Named by its hash, a withheld record counts as one that is nowhere.
  const event = eventsOf(s.t.root).at(-1);
  if (event === undefined) throw new Error('No event');
  const shapeOf = async (hash: string) =>
    JSON.stringify(await summarize(s.alice, { record_hashes: [hash] })).replaceAll(hash, 'HASH');
  expect(await shapeOf(recordHash(event.record))).toBe(await shapeOf(`sha256:${'ab'.repeat(32)}`));
  const own = await summarize(s.bob, { from: hidden });
  expect(own.narrative).toContain('secret plan');
  expect(own.open_ends.map(({ text }) => text).join()).toContain(hidden);
  expect(await s.alice.refused('summarize', { from: hidden })).toMatchObject({ code: 'not_found', field: 'from' });
});

test('the model of this machine tells it when asked, and not over HTTP', async () => {
  await using s = await setUp();
  await using fake = await startChat();
  fake.respond = says('They dropped the cache.');
  const folder = join(s.t.env['XDG_CONFIG_HOME'] ?? '', 'waymark');
  mkdirSync(folder, { recursive: true });
  const text = `trust_gate_model: "m/x"\ntrust_gate_api_base: "${fake.url}/"\ntrust_gate_api_key_env: "MY_KEY"\n`;
  writeFileSync(join(folder, 'config.yaml'), text);
  const ask = async (via: string, env: Readonly<Record<string, string>>) => {
    const session = new Session(s.t.record, { via, agentId: 'alice', wantsOperator: false, env });
    const caller = await connect(session);
    const told = await summarize(caller, { from: s.successor, model: true });
    await session.close();
    expect(caller.logged()).not.toContain('the-key');
    return told;
  };
  const keyless = await ask('library', {});
  expect([keyless.narrative_by, keyless.egress]).toEqual(['waymark', undefined]);
  expect(keyless.warnings.join()).toContain('MY_KEY');
  const remote = await ask('http', { MY_KEY: 'the-key' });
  expect([remote.narrative_by, remote.egress]).toEqual(['waymark', undefined]);
  expect(fake.requests).toEqual([]);
  const told = await ask('library', { MY_KEY: 'the-key' });
  expect(told).toMatchObject({
    narrative: 'They dropped the cache.',
    narrative_by: 'model m/x',
    egress: { requests: 1 },
  });
  expect(fake.requests[0]?.headers['authorization']).toBe('Bearer the-key');
  expect(JSON.stringify(fake.requests[0]?.messages)).toContain('warm the cache');
});
