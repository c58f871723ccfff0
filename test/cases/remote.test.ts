/** Causes that are elsewhere, through the tools: who is asked, what is shown, and what never leaves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { contentIdOf } from '../../src/ledger/content-id.ts';
import { genesisChainRoot, recordHash, signRecord } from '../../src/ledger/index.ts';
import { Session } from '../../src/trail/session.ts';
import { type FakeAtrib, json, startAtrib } from '../fakes/atrib-log.ts';
import { CONTEXT, testSigner } from '../ledger/support.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { type Caller, connect } from './caller.ts';
import { commitFile, eventsOf } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };
const UNKNOWN = `sha256:${'cd'.repeat(32)}`;

const traceSchema = z.looseObject({
  visited: z.array(z.looseObject({ record_hash: z.string(), source: z.string(), verification: z.unknown() })),
  dangling: z.array(z.string()),
  dangling_details: z.array(z.looseObject({ record_hash: z.string(), reason: z.string() })),
  warnings: z.array(z.string()),
  egress: z.looseObject({ hosts: z.array(z.string()), requests: z.number() }).optional(),
});

function configure(t: TestRecord, fake: FakeAtrib, text = ''): void {
  const folder = join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), `atrib_log_url: "${fake.url}"\natrib_archive_url: "${fake.url}"\n${text}`);
}

async function traceOf(caller: Caller, record_hash: string) {
  return traceSchema.parse((await caller.raw('trace', { record_hash })).structuredContent);
}

/** A record of somebody else, from a minute ago. */
function foreignRecord() {
  const signer = testSigner(3);
  const unsigned = {
    spec_version: 'atrib/1.0' as const,
    content_id: contentIdOf({ verb: 'save' }),
    creator_key: signer.publicKey,
    chain_root: genesisChainRoot(CONTEXT),
    event_type: 'https://atrib.dev/v1/types/observation',
    context_id: CONTEXT,
    timestamp: Date.now() - 60_000,
  };
  return signRecord(unsigned, signer);
}

test('a cause from an archive extends the trace and one that a log knows says so; the answer names who was asked', async () => {
  await using fake = await startAtrib();
  await using t = await makeRecord();
  configure(t, fake);
  const record = foreignRecord();
  fake.answer('record', recordHash(record), json({ record }));
  const facts = { creator_key: record.creator_key, context_id: CONTEXT, timestamp_ms: 5, event_type: 'observation' };
  fake.answer('lookup', UNKNOWN, json({ ...facts, index: 3 }));
  const alice = await connect(t.session('alice'));
  const informed_by = [recordHash(record), UNKNOWN];
  const id = await alice.save({ ...SCOPE, content: 'follows from elsewhere', informed_by });
  // A save asks nobody.
  expect(fake.asked).toEqual([]);
  const traced = await traceOf(alice, id);
  expect(traced.visited.map(({ record_hash }) => record_hash)).toContain(recordHash(record));
  expect(traced.visited.at(-1)).toMatchObject({ source: 'archive', verification: { status: 'valid' } });
  expect(traced.dangling).toEqual([UNKNOWN]);
  expect(traced.dangling_details).toMatchObject([
    { record_hash: UNKNOWN, reason: 'logged_elsewhere', logged: { log_index: 3, context_id: CONTEXT } },
  ]);
  expect(traced.egress).toEqual({ hosts: [new URL(fake.url).host], requests: 3 });
  // What was fetched is kept; what is nowhere is asked for again.
  expect((await traceOf(alice, id)).egress?.requests).toBe(2);
});

test('what is withheld here is asked about and answered as what is nowhere, also by services that lie', async () => {
  await using fake = await startAtrib();
  await using t = await makeRecord();
  configure(t, fake);
  const [alice, bob] = [await connect(t.session('alice')), await connect(t.session('bob'))];
  const hidden = await bob.save({ ...SCOPE, content: 'not yours' });
  const event = eventsOf(t.root).at(-1);
  if (event === undefined) throw new Error('No event');
  const hash = recordHash(event.record);
  const askedFor = async (of: string) => {
    const before = fake.asked.length;
    const answer = JSON.stringify(await traceOf(alice, of));
    return JSON.stringify([answer, fake.asked.slice(before)]).replaceAll(of.slice(7), 'HASH');
  };
  const same = async () => {
    const withheld = await askedFor(hash);
    expect(withheld).toBe(await askedFor(UNKNOWN));
    return withheld;
  };
  expect(await same()).toContain('missing');
  const facts = { creator_key: event.record.creator_key, context_id: CONTEXT, timestamp_ms: 5, event_type: 'x:y' };
  for (const of of [hash, UNKNOWN]) {
    fake.answer('record', of, json({ not: 'a record' }));
    fake.answer('lookup', of, json({ ...facts, index: 1 }));
  }
  expect(await same()).toMatch(/logged_elsewhere.*not an atrib record/);
  // An archive that really has it does not show it to those who may not see it here.
  fake.answer('record', hash, json(event));
  expect((await traceOf(alice, hash)).visited).toEqual([]);
  expect((await traceOf(bob, hidden)).visited.map(({ record_hash }) => record_hash)).toContain(hash);
});

test("nobody is asked without the machine's word: not by a repository, not by atrib's variables, not over HTTP", async () => {
  await using fake = await startAtrib();
  await using t = await makeRecord();
  const env = { ATRIB_LOG_ENDPOINT: fake.url, ATRIB_ARCHIVE_ENDPOINT: fake.url };
  commitFile(t.root, 'trails/acme/.fava-trails.yaml', `atrib_log_url: "${fake.url}"\n`);
  const asked = async (via: string) => {
    const session = new Session(t.record, { via, agentId: 'alice', wantsOperator: false, env });
    const caller = await connect(session);
    const traced = await traceOf(caller, UNKNOWN);
    await session.close();
    return [traced.dangling_details[0]?.reason, traced.egress?.requests];
  };
  expect(await asked('library')).toEqual(['missing', undefined]);
  configure(t, fake, 'atrib_log: "a key that is none"\n');
  expect(await asked('library')).toEqual(['missing', undefined]);
  configure(t, fake);
  expect(await asked('http')).toEqual(['missing', undefined]);
  expect(fake.asked).toEqual([]);
  expect(await asked('library')).toEqual(['missing', 2]);
});
