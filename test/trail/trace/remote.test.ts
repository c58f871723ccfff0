/** Records that are elsewhere: what a log and an archive may add to a walk, and what they may not. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { contentIdOf } from '../../../src/ledger/content-id.ts';
import { genesisChainRoot, recordHash, signRecord } from '../../../src/ledger/index.ts';
import type { AtribRecord, Hash } from '../../../src/ledger/types.ts';
import { memorySource } from '../../../src/trail/trace/memory-source.ts';
import { REMOTE_LIMITS, type RemoteLimits } from '../../../src/trail/trace/remote/remote-call.ts';
import { RemoteRecords } from '../../../src/trail/trace/remote/remote-records.ts';
import type { TraceSource } from '../../../src/trail/trace/source.ts';
import { Walk, type WalkPage } from '../../../src/trail/trace/walk.ts';
import {
  endless,
  type FakeAtrib,
  json,
  type Respond,
  raw,
  redirect,
  stalled,
  startAtrib,
} from '../../fakes/atrib-log.ts';
import { CONTEXT, NOW, testSigner } from '../../ledger/support.ts';

const SIGNER = testSigner(7);
/** Only what stalls takes it: a slow machine answers within. */
const QUICK: RemoteLimits = { ...REMOTE_LIMITS, eachMs: 1_500, allMs: 5_000 };

function recordWith(causes: readonly Hash[], timestamp = NOW - 1): AtribRecord {
  return signRecord(
    {
      spec_version: 'atrib/1.0',
      content_id: contentIdOf({ verb: 'save' }),
      creator_key: SIGNER.publicKey,
      chain_root: genesisChainRoot(CONTEXT),
      event_type: 'https://atrib.dev/v1/types/observation',
      context_id: CONTEXT,
      timestamp,
      ...(causes.length > 0 && { informed_by: [...causes].sort() }),
    },
    SIGNER,
  );
}

const hashes = (count: number): readonly Hash[] =>
  Array.from({ length: count }, () => `sha256:${randomBytes(32).toString('hex')}`);

/** A local source of one record with these causes, and its hash. */
function localWith(causes: readonly Hash[]) {
  const local = memorySource();
  const record = recordWith(causes, NOW);
  const start = recordHash(record);
  local.add({ hash: start, record, local: null, source: 'here' });
  return { local, start };
}

interface Asking {
  readonly fake?: FakeAtrib;
  readonly services?: { readonly log: string | null; readonly archive: string | null };
  readonly local: TraceSource;
  readonly start: Hash;
  readonly depth?: number;
  readonly limits?: RemoteLimits;
}

async function ask({ fake, services, local, start, depth = 3, limits = QUICK }: Asking) {
  const both = { log: fake?.url ?? null, archive: fake?.url ?? null };
  const remote = new RemoteRecords({ services: () => services ?? both, now: () => NOW, limits });
  const walk = (fetched: TraceSource): WalkPage => {
    const source: TraceSource = {
      read: (hash) => local.read(hash) ?? fetched.read(hash),
      has: (hash) => local.has(hash) || fetched.has(hash),
      statedLog: () => null,
      children: () => [],
      byPrefix: () => [],
      ofContext: () => [],
      warnings: () => [],
    };
    const options = { start, direction: 'backward' as const, follow: ['informed_by' as const], depth };
    return new Walk(options).page(source, { maxNodes: 100 });
  };
  const missingOf = (page: WalkPage) => [...page.dangling.keys()];
  return remote.extend({ walk, missingOf, rounds: depth + 1 });
}

const visited = (page: WalkPage) => page.visits.map(({ hash }) => hash);

const facts = {
  creator_key: SIGNER.publicKey,
  context_id: CONTEXT,
  timestamp_ms: 5,
};

test('a record of the archive extends the walk, bare or in an envelope, and its own causes are asked for', async () => {
  await using fake = await startAtrib();
  const [gone = ''] = hashes(1);
  const oldest = recordWith([gone]);
  const middle = recordWith([recordHash(oldest)]);
  const { local, start } = localWith([recordHash(middle)]);
  fake.answer('record', recordHash(middle), json(middle));
  fake.answer('record', recordHash(oldest), json({ record_hash: 'sha256:lie', record: oldest, log_proofs: [] }));
  fake.answer('record', gone, json({ error: 'retention expired' }, 410));
  const extended = await ask({ fake, local, start });
  expect(visited(extended.walked)).toEqual([start, recordHash(middle), recordHash(oldest)]);
  expect(extended.walked.visits.map(({ found }) => found.source)).toEqual(['here', 'archive', 'archive']);
  expect([...extended.walked.dangling.keys()]).toEqual([gone]);
  expect(extended.warnings).toEqual([]);
  // Three of the archive, then the log about what is left.
  expect(extended.egress).toEqual({ hosts: [new URL(fake.url).host], requests: 4 });
  expect(fake.asked.at(-1)).toBe(`/v1/lookup/${gone.slice(7)}`);
});

test('the start itself may come from the archive, and no more rounds are made than asked for', async () => {
  await using fake = await startAtrib();
  const first = recordWith([]);
  const second = recordWith([recordHash(first)]);
  for (const record of [first, second]) fake.answer('record', recordHash(record), json(record));
  const local = memorySource();
  const whole = await ask({ fake, local, start: recordHash(second), depth: 1 });
  expect(visited(whole.walked)).toEqual([recordHash(second), recordHash(first)]);
  const services = { log: null, archive: fake.url };
  const one = await ask({ services, local, start: recordHash(second), depth: 0 });
  expect(visited(one.walked)).toEqual([recordHash(second)]);
  expect(one.egress?.requests).toBe(1);
});

test('a log reclassifies what is missing, in the shape of the specification and in that of the reference', async () => {
  await using fake = await startAtrib();
  const [uri = '', label = '', extension = '', absent = ''] = hashes(4);
  const { local, start } = localWith([uri, label, extension, absent]);
  const event_type = 'https://atrib.dev/v1/types/annotation';
  fake.answer('lookup', uri, json({ ...facts, log_index: 4, record_hash: uri, event_type, event_type_byte: 5 }));
  fake.answer('lookup', label, json({ ...facts, index: 0, record_hash: label.slice(7), event_type: 'observation' }));
  fake.answer('lookup', extension, json({ ...facts, index: 9, event_type: 'extension' }));
  const { logged, warnings, walked } = await ask({ services: { log: fake.url, archive: null }, local, start });
  const { timestamp_ms: timestamp, ...rest } = facts;
  expect(Object.fromEntries(logged)).toEqual({
    [uri]: { ...rest, timestamp, log_index: 4, event_type },
    [label]: { ...rest, timestamp, log_index: 0, event_type: 'https://atrib.dev/v1/types/observation' },
    [extension]: { ...rest, timestamp, log_index: 9, event_type: 'extension' },
  });
  expect([...walked.dangling.keys()].sort()).toEqual([uri, label, extension, absent].sort());
  expect(warnings).toEqual([]);
});

const other = recordWith([], 77);
const forged: AtribRecord = { ...recordWith([], 78), timestamp: 79 };
interface Bad {
  readonly name: string;
  readonly respond: Respond;
  readonly why: string;
  readonly hash?: Hash;
}

const bad: readonly Bad[] = [
  { name: 'a server error', respond: json({ error: 'x' }, 500), why: 'status 500' },
  { name: 'no content', respond: raw('', 204), why: 'status 204' },
  { name: 'a page', respond: raw('<html>Sign in</html>'), why: 'not an' },
  { name: 'another record', respond: json(other), why: 'another record' },
  {
    name: 'a bad signature',
    respond: json(forged),
    why: 'does not verify (signature_invalid)',
    hash: recordHash(forged),
  },
  { name: 'deep nesting', respond: raw(`{"record":${'['.repeat(9_000)}${']'.repeat(9_000)}}`), why: 'not an' },
  { name: 'text that is no UTF-8', respond: raw(Uint8Array.of(0x7b, 0xff, 0x7d)), why: 'not an' },
  { name: 'a body without end', respond: endless, why: 'too_large' },
  { name: 'a body that stalls', respond: stalled, why: 'timed_out' },
  { name: 'silence', respond: () => {}, why: 'timed_out' },
  { name: 'a closed connection', respond: (response) => void response.destroy(), why: 'unreachable' },
];

test.each(bad)('$name of log and archive counts for nothing and is named once', async ({ respond, why, hash }) => {
  await using fake = await startAtrib();
  const [random = '', sound = ''] = hashes(2);
  const asked = hash ?? random;
  const good = recordWith([], 80);
  const { local, start } = localWith([asked, recordHash(good), sound]);
  fake.answer('record', recordHash(good), json(good));
  fake.answer('lookup', sound, json({ ...facts, index: 1, event_type: 'observation' }));
  fake.answer('record', asked, respond);
  fake.answer('lookup', asked, respond);
  const extended = await ask({ fake, local, start });
  // The others are found beside it.
  expect(visited(extended.walked)).toEqual([start, recordHash(good)]);
  expect([...extended.logged.keys()]).toEqual([sound]);
  expect([...extended.walked.dangling.keys()].sort()).toEqual([asked, sound].sort());
  expect(extended.warnings).toEqual([expect.stringContaining('The archive'), expect.stringContaining('The log')]);
  expect(extended.warnings[0]).toContain(why);
});

test('an answer of the log about another record, or with a malformed member, says nothing', async () => {
  await using fake = await startAtrib();
  const [first = '', second = '', third = ''] = hashes(3);
  const { local, start } = localWith([first, second, third]);
  const good = { ...facts, index: 1, event_type: 'observation' };
  fake.answer('lookup', first, json({ ...good, record_hash: second }));
  fake.answer('lookup', second, json({ ...good, creator_key: 'someone\u001b[2J' }));
  fake.answer('lookup', third, json({ ...good, index: undefined }));
  const services = { log: fake.url, archive: null };
  const extended = await ask({ services, local, start });
  expect(extended.logged.size).toBe(0);
  expect(extended.warnings).toHaveLength(1);
  fake.answer('lookup', first, json(good));
  expect([...(await ask({ services, local, start })).logged.keys()]).toEqual([first]);
});

test('a redirect is not followed: the other host hears nothing', async () => {
  await using fake = await startAtrib();
  await using elsewhere = await startAtrib();
  const [hash = ''] = hashes(1);
  const { local, start } = localWith([hash]);
  for (const what of ['record', 'lookup'] as const) fake.answer(what, hash, redirect(`${elsewhere.url}/here`));
  const { warnings, egress } = await ask({ fake, local, start });
  expect(warnings.join()).toContain('redirected');
  expect(egress?.hosts).toEqual([new URL(fake.url).host]);
  expect(fake.asked).toHaveLength(2);
  expect(elsewhere.asked).toEqual([]);
});

test('a call sends at most 20 requests, 4 at once, without cookies or credentials, and says what it left out', async () => {
  await using fake = await startAtrib();
  const missing = hashes(23);
  const { local, start } = localWith(missing);
  const held: ServerResponse[] = [];
  const answerFour: Respond = (response) => {
    if (held.push(response) === 4) for (const each of held.splice(0)) json({}, 404)(each);
  };
  for (const hash of missing) fake.answer('record', hash, answerFour);
  const { egress, warnings } = await ask({ fake, local, start, limits: REMOTE_LIMITS });
  expect(fake.asked).toHaveLength(20);
  expect(egress?.requests).toBe(20);
  expect(fake.mostAtOnce()).toBe(4);
  // Three of the archive and all of the log.
  expect(warnings.join()).toContain('not sent: 26');
  for (const headers of fake.headers) {
    for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  }
});

test('time for all requests ends too: what stalls is not asked again and again', async () => {
  await using fake = await startAtrib();
  const missing = hashes(12);
  const { local, start } = localWith(missing);
  for (const hash of missing) fake.answer('record', hash, stalled);
  const limits = { ...REMOTE_LIMITS, eachMs: 400, allMs: 600 };
  const { warnings } = await ask({ services: { log: null, archive: fake.url }, local, start, limits });
  expect(fake.asked.length).toBeLessThanOrEqual(8);
  expect(warnings.join()).toContain('not sent');
});

test('nothing is sent when nothing is configured or nothing is missing', async () => {
  await using fake = await startAtrib();
  const { local, start } = localWith(hashes(2));
  const unconfigured = await ask({ services: { log: null, archive: null }, local, start });
  expect(unconfigured).not.toHaveProperty('egress');
  expect(unconfigured.walked.dangling.size).toBe(2);
  const complete = await ask({ fake, ...localWith([]) });
  expect(complete).not.toHaveProperty('egress');
  expect(fake.asked).toEqual([]);
  expect((await ask({ fake, local, start })).egress?.requests).toBe(4);
});
