/** The queue in a browser: what it lists, batches, the feed; each viewer sees what they may decide and no more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queue } from '../../../src/trail/queue.ts';
import { OPERATOR, tokenFor } from '../../support/access.ts';
import { type Browser, type Desk, type Fields, hiddenOf, openDesk } from '../../support/desk.ts';
import { operators } from '../../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

const DAY = 86_400_000;
// The library that reads bearer tokens has a clock of its own.
let time = Date.UTC(2099, 0, 5);
let t: TestRecord;
let desk: Desk;
let rita: Browser;
let otto: Browser;
const ids: Record<string, string> = {};

beforeAll(async () => {
  t = await makeRecord({ now: () => time });
  await operators(t, ['carol']);
  desk = openDesk(t);
  await put('old', { author: 'alice', content: 'Oldneedle waits longest' });
  time += 10 * DAY;
  await put('bob', { author: 'bob', content: 'Bobneedle is younger' });
  await put('long', { author: 'alice', content: `Longneedle ${'word '.repeat(1000)}` });
  await put('ops', { author: 'alice', content: 'Opsneedle of another team', trail_name: 'ops' });
  rita = await desk.byToken({ agentId: 'rita', grants: ['acme/**:read,decide'] });
  otto = await desk.byToken({ agentId: 'otto', grants: ['ops:read,decide'] });
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await t[Symbol.asyncDispose]();
});

async function put(
  name: string,
  { author, content, trail_name = 'acme/eng' }: { author: string; content: string; trail_name?: string },
): Promise<void> {
  time += 1000;
  const operations = t.session(author).operations();
  const { thought_id } = value(await operations.save({ trail_name, content })).thought;
  value(await operations.propose({ trail_name, thought_id }));
  ids[name] = thought_id;
}

function idOf(name: string): string {
  return ids[name] ?? expect.fail(`No "${name}"`);
}

/** Which of ours a page shows, in its order. */
function shownIn(text: string): readonly string[] {
  return [...text.matchAll(/\/desk\/([0-9A-Z]{26})"/g)].map(([, id]) => {
    return Object.keys(ids).find((name) => ids[name] === id) ?? '?';
  });
}

function statusOf(name: string): string | undefined {
  return t.record.repository.index.reader().thoughtById(idOf(name))[0]?.thought.validation_status;
}

test('the queue lists the longest waiting first, of the scopes the viewer decides in, with ages and counts of those', async () => {
  const { text } = await rita.get('/desk');
  expect(shownIn(text)).toEqual(['old', 'bob', 'long']);
  expect(text).toContain('3 proposals wait');
  expect(text).toContain('waits for 10 days');
  expect(text).toContain('href="/desk/feed.atom"');
  expect(text).not.toMatch(/Opsneedle|>ops</);
  const other = await otto.get('/desk');
  expect(shownIn(other.text)).toEqual(['ops']);
  expect(other.text).toContain('1 proposal waits');
  expect(other.text).not.toMatch(/Oldneedle|acme/);
});

test.each([
  ['scope=acme/eng', ['old', 'bob', 'long']],
  ['scope=acme/**&author=bob', ['bob']],
  ['scope=ops', []],
  ['author=alice', ['old', 'long']],
  ['care=large', ['long']],
  ['care=contradicts', []],
  ['waiting=7', ['old']],
  ['advice=approve', []],
  ['care=nonsense&waiting=x&advice=y', ['old', 'bob', 'long']],
])('the filter %s shows %j', async (query, expected) => {
  const { status, text } = await rita.get(`/desk?${query}`);
  expect(status).toBe(200);
  expect(shownIn(text)).toEqual(expected);
});

test('a malformed filter is refused in words, and the form stays', async () => {
  const { status, text } = await rita.get('/desk?scope=..%20no');
  expect(status).toBe(400);
  expect(text).toContain('role="alert"');
  expect(text).toContain('name="scope" value=".. no"');
  expect((await rita.get('/desk?after=nonsense')).status).toBe(400);
});

test('an empty queue says so', async () => {
  const nobody = await desk.byToken({ agentId: 'nora', grants: ['none:read,decide'] });
  expect((await nobody.get('/desk')).text).toContain('Nothing waits for your decision');
  expect((await rita.get('/desk?author=nobody')).text).toContain('Nothing that waits matches');
});

test('the feed has ids, scopes and times and no text, for a bearer and for a browser', async () => {
  const { text: token } = await tokenFor(t, { agentId: 'feedreader', role: 'reviewer', grants: ['acme/**:decide'] });
  const byToken = await desk.served.ask('/desk/feed.atom', { token });
  expect(byToken.headers.get('content-type')).toContain('application/atom+xml');
  const feed = await byToken.text();
  for (const name of ['old', 'bob', 'long']) expect(feed).toContain(`/desk/${idOf(name)}"`);
  expect(feed).not.toContain(idOf('ops'));
  expect(feed).toContain('<subtitle>3 proposals wait</subtitle>');
  expect(feed).toContain('<summary>Waits for 10 days</summary>');
  expect(feed.match(/<id>urn:uuid:[0-9a-f-]{36}<\/id>/g)).toHaveLength(3);
  expect(feed).not.toMatch(/needle/i);
  expect((await rita.get('/desk')).text).toMatch(/Oldneedle/);
  expect((await rita.get('/desk/feed.atom')).text).toBe(feed);
  expect((await desk.served.ask('/desk/feed.atom', {})).status).toBe(401);
});

test('a batch decides exactly what its preview shows; what asks for care is chosen by itself, what changed is left out', async () => {
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    await put(name, { author: 'bo', content: `Batch ${name}`, trail_name: 'acme/batch' });
  }
  await put('big', { author: 'bo', content: `Batch big ${'word '.repeat(1000)}`, trail_name: 'acme/batch' });
  const page = await rita.get('/desk/batch?scope=acme/batch');
  const boxes = [...page.text.matchAll(/name="pick" value="([^"]+)"( checked)?/g)];
  expect(boxes).toHaveLength(6);
  const chosen = boxes.filter(([, , checked]) => checked !== undefined).map(([, pick = '']) => pick);
  expect(chosen).toHaveLength(5);
  expect(chosen.join()).not.toContain(idOf('big'));

  // Of the six the person leaves out "five"; "two" changes while they look.
  const pick = chosen.filter((one) => !one.startsWith(idOf('five')));
  const bo = t.session('bo').operations();
  value(await bo.update({ trail_name: 'acme/batch', thought_id: idOf('two'), content: 'Batch two, changed' }));
  value(await bo.propose({ trail_name: 'acme/batch', thought_id: idOf('two') }));
  const typed: Fields = { ...hiddenOf(page, '/desk/batch'), verdict: 'approve', reason: '', grounds: '', keep_out: '' };
  const preview = await rita.post('/desk/batch', { ...typed, pick });
  expect(preview.status).toBe(200);
  expect(preview.text).toContain('Approve: 3 proposals');
  expect(preview.text).toContain('it changed since it was listed');
  expect(['one', 'two', 'three', 'four'].map(statusOf)).toEqual(Array(4).fill('proposed'));

  const confirmed = hiddenOf(preview, '/desk/batch');
  const result = await rita.post('/desk/batch', confirmed);
  expect(result.text).toContain('3 of 3 done');
  const states = ['one', 'two', 'three', 'four', 'five', 'big'].map((name) => [name, statusOf(name)]);
  expect(states).toEqual([
    ['one', 'approved'],
    ['two', 'proposed'],
    ['three', 'approved'],
    ['four', 'approved'],
    ['five', 'proposed'],
    ['big', 'proposed'],
  ]);
  const index = t.record.repository.index.reader();
  const before = index.eventsOfThought(idOf('one')).length;
  expect((await rita.post('/desk/batch', confirmed)).text).toContain('3 of 3 done');
  expect(index.eventsOfThought(idOf('one'))).toHaveLength(before);
});

test('a batch is bounded, whole, of this session, and reaches nothing the viewer may not decide', async () => {
  const page = await rita.get('/desk/batch?scope=acme/eng');
  const [mine = ''] = [...page.text.matchAll(/name="pick" value="([^"]+)"/g)].map(([, pick]) => pick);
  const [theirs = ''] = [...(await otto.get('/desk/batch')).text.matchAll(/name="pick" value="([^"]+)"/g)].map(
    ([, pick]) => pick,
  );
  const typed: Fields = { ...hiddenOf(page, '/desk/batch'), verdict: 'reject', reason: 'By rule', confirmed: 'yes' };
  const many = Array.from({ length: 101 }, (_, at) =>
    mine.replace(/^.{26}/, (id) => id.slice(0, 23) + String(100 + at)),
  );
  const send = async (over: Fields) => (await rita.post('/desk/batch', { ...typed, ...over })).status;
  expect(await send({ pick: [] })).toBe(400);
  expect(await send({ pick: many })).toBe(400);
  expect(await send({ pick: [`${mine} more`] })).toBe(400);
  expect(await send({ pick: [mine], reason: '' })).toBe(400);
  expect(await send({ pick: [mine], csrf: 'x' })).toBe(403);
  const result = await rita.post('/desk/batch', { ...typed, pick: [theirs] });
  expect(result.text).toContain('0 of 1 done');
  expect(result.text).not.toContain('Opsneedle');
  expect(statusOf('ops')).toBe('proposed');
  expect(statusOf('old')).toBe('proposed');
  expect((await rita.post('/desk/batch', { ...typed, pick: [mine] })).text).toContain('1 of 1 done');
  expect(statusOf('old')).toBe('rejected');
});

test('a page of the queue goes on where the last ended', async () => {
  const context = await desk.served.anyone.context();
  const { next = '' } = value(await queue({ ...context, principal: OPERATOR }, { scope: 'acme/eng', limit: 1 }));
  const all = shownIn((await rita.get('/desk?scope=acme/eng')).text);
  const { text } = await rita.get(`/desk?scope=acme/eng&after=${encodeURIComponent(next)}`);
  expect(all.length).toBeGreaterThan(1);
  expect(shownIn(text)).toEqual(all.slice(1));
  expect(text).toContain('href="/desk?scope=acme%2Feng">First page</a>');
});
