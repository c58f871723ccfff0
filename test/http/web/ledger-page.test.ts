/** The ledger as pages: numbers and faults for operators, and nothing for others that tells of what they do not see. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCheckpointExport } from '../../../src/ledger/index.ts';
import type { Session } from '../../../src/trail/session.ts';
import { commitFile, eventsOf } from '../../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { seedThought } from '../../support/seed.ts';
import { type Browser, reader, website } from './support.ts';

const SCOPE = { trail_name: 'acme/api' };
let now = Date.parse('2026-03-02T09:00:00.000Z');
let t: TestRecord;
let browse: ReturnType<typeof website>;
let alice: Session;
let bob: Session;
let carol: Session;
let approved: string;

beforeAll(async () => {
  t = await makeRecord({ now: () => now });
  browse = website(t);
  [alice, bob, carol] = [t.session('alice'), t.session('bob'), t.session('carol', { operator: true })];
  approved = await seedThought({
    author: alice,
    operator: carol,
    status: 'approved',
    input: { ...SCOPE, content: 'seen' },
  });
  value(await bob.operations().save({ ...SCOPE, content: 'a zebrafinch plan' }));
});

afterAll(() => t[Symbol.asyncDispose]());

function logOf(agent: string): string {
  const event = eventsOf(t.root).find(({ _local }) => _local?.agent_id === agent);
  return event?.record.waymark?.log ?? '';
}

/** Every page of a writer's events, from the newest on. */
async function pagesOf(as: Browser, log: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let path: string | undefined = `/ledger/${log}`; path !== undefined; ) {
    const { text } = await as.get(path);
    texts.push(text);
    path = /<a rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return texts;
}

test('an operator sees size, checkpoint and memory of each log, and every event of it in pages', async () => {
  // At once, so that they share transactions.
  const drafts = Array.from({ length: 60 }, (_, at) => bob.operations().save({ ...SCOPE, content: `draft ${at}` }));
  for (const saved of await Promise.all(drafts)) value(saved);
  const as = browse(carol);
  const { text } = await as.get('/ledger');
  const size = eventsOf(t.root).filter(({ record }) => record.waymark?.log === logOf('bob')).length;
  expect(size).toBeGreaterThan(60);
  expect(text).toMatch(
    new RegExp(
      `<th scope="row">bob</th><td><a href="/ledger/${logOf('bob')}">.*?<td class="number">${size}</td><td>✓ as remembered`,
      's',
    ),
  );
  const pages = await pagesOf(as, logOf('bob'));
  expect(pages.length).toBe(2);
  const hashes = pages.flatMap((page) =>
    [...page.matchAll(/<td><a href="\/trace\/([0-9a-f]{64})"/g)].map(([, hex]) => hex),
  );
  expect(new Set(hashes).size).toBe(size);
  expect(pages[0]).toContain(`\n${size}\n`);
  expect(pages[0]).toContain('✓ yes');
});

test('others learn no number, no checkpoint and no event of what they do not see, however much of it there is', async () => {
  const as = browse(alice);
  const [overview, own] = [await as.get('/ledger'), await as.get(`/ledger/${logOf('alice')}`)];
  expect(own.status).toBe(200);
  expect(own.text).toContain(approved);
  expect(own.text).not.toContain('Checkpoint</h2>');
  expect(overview.text).toContain('<th scope="row">alice</th>');
  expect(overview.text).not.toMatch(/class="number"|as remembered|checkpoints"/);
  const before = [overview.text, ...(await pagesOf(as, logOf('bob')))];
  const operatorBefore = (await browse(carol).get('/ledger')).text;
  now += 60_000;
  value(await bob.operations().save({ ...SCOPE, content: 'another zebrafinch plan' }));
  expect([(await as.get('/ledger')).text, ...(await pagesOf(as, logOf('bob')))]).toEqual(before);
  expect(before.join()).not.toContain('zebrafinch');
  // A control: it is there, for whom it is.
  expect((await browse(carol).get('/ledger')).text).not.toBe(operatorBefore);
});

test('a log or event that is not visible is answered as one that is not there', async () => {
  const as = browse(alice);
  const hidden = eventsOf(t.root).findLast(({ _local }) => _local?.agent_id === 'bob');
  const none = await as.get(`/ledger/${'0'.repeat(16)}`);
  expect(none.status).toBe(404);
  const from = `?from=sha256:${'ab'.repeat(32)}`;
  expect((await as.get(`/ledger/${logOf('alice')}${from}`)).text).toBe(none.text);
  expect((await as.get(`/ledger/${logOf('alice')}?from=${hidden?.record.args_hash}`)).text).toBe(none.text);
  expect((await as.get('/ledger/nothing')).status).toBe(404);
});

test('the checkpoints are an operator’s to download, as verify takes them, and nobody else’s', async () => {
  const { status, text, headers } = await browse(carol).get('/ledger/checkpoints');
  expect([status, headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename="waymark-checkpoints.json"',
  ]);
  const read = parseCheckpointExport(Buffer.from(text));
  expect(read.ok && read.value.checkpoints.map(({ log }) => log)).toContain(logOf('bob'));
  expect((await browse(alice).get('/ledger/checkpoints')).status).toBe(403);
  const narrowed = browse(reader(t, { agent_id: 'dora', role: 'operator', scope: 'acme/other' }));
  expect((await narrowed.get('/ledger/checkpoints')).status).toBe(403);
  expect((await narrowed.get('/ledger')).text).not.toMatch(/class="number"|as remembered/);
});

/** Until nothing runs. */
async function finished(as: Browser): Promise<string> {
  await expect
    .poll(async () => (await as.get('/ledger/verify', { accept: 'application/json' })).text, {
      timeout: 20_000,
      interval: 100,
    })
    .toContain('"running":false');
  return (await as.get('/ledger/verify')).text;
}

test('verify now runs beside the server, once a minute, and tells an agent that there are faults and no more', async () => {
  const [as, agent] = [browse(carol), browse(alice)];
  expect((await as.get('/ledger')).text).toContain('It was not verified since this server was started');
  const started = await as.post('/ledger/verify');
  expect([started.status, started.headers.get('location')]).toEqual([303, '/ledger/verify']);
  const running = await as.get('/ledger/verify');
  expect(running.text).toMatch(/id="progress" role="status">Verifying/);
  expect(running.headers.get('refresh')).toBe('3');
  const sound = await finished(as);
  expect(sound).toContain('✓ Verified, and no fault found.');
  expect(sound).toMatch(/Events \d+, thoughts \d+, logs \d+/);
  expect((await as.get('/ledger')).text).toContain('✓ Verified');

  await commitFile(t.root, `trails/acme/api/thoughts/decisions/${approved}.md`, 'edited by hand');
  now += 10_000;
  await as.post('/ledger/verify');
  const early = await as.get('/ledger/verify');
  expect(early.text).toContain('It can be verified again in 50 seconds');
  expect(early.text).toContain('no fault found');
  now += 60_000;
  await as.post('/ledger/verify');
  const faulty = await finished(as);
  expect(faulty).toMatch(/✗ Found: .*unrecorded_change/);
  expect(faulty).toContain('trails/acme/api');

  const told = (await agent.get('/ledger/verify')).text;
  expect(told).toContain('✗ Faults were found: ask an operator.');
  expect(told).not.toMatch(/trails\/|unrecorded|Events \d/);
});
