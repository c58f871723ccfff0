import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyoneIs } from '../../../src/http/authenticate.ts';
import type { Session } from '../../../src/trail/session.ts';
import { createApp, createDoor, PORT } from '../../support/mcp-clients.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { seedThought } from '../../support/seed.ts';

const MARK = 'zebrafinch';
const HOSTILE = '<script>alert("x")</script> & "quoted" \u202e';

let t: TestRecord;
let operator: Session;
let author: Session;
let agent: Session;
const ids: Record<'first' | 'second' | 'child' | 'draft' | 'other' | 'rejected', string> = {
  first: '',
  second: '',
  child: '',
  draft: '',
  other: '',
  rejected: '',
};

beforeAll(async () => {
  let now = Date.parse('2026-03-01T12:00:00Z');
  // Each event a minute after the one before, so that orders are exact.
  t = await makeRecord({ now: () => (now += 60_000) });
  operator = t.session('carol', { operator: true });
  author = t.session('writer');
  agent = t.session('stranger');
  const seed = { author, operator };
  const save = { trail_name: 'acme/pay', source_type: 'decision' as const };
  ids.first = await seedThought({
    ...seed,
    status: 'approved',
    input: {
      ...save,
      content: `# Retry five times\n\nThe ${MARK} gateway is asked five times.`,
      valid_from: '2026-01-01',
      metadata: { tags: ['retries', HOSTILE], project: 'pay' },
    },
  });
  const replacement = value(
    await author.operations().supersede({
      trail_name: 'acme/pay',
      thought_id: ids.first,
      content: `# Retry three times\n\nThe ${MARK} gateway is asked three times.`,
      reason: 'Five charged twice',
    }),
  );
  ids.second = replacement.new_thought.thought_id;
  const second = { trail_name: 'acme/pay', thought_id: ids.second };
  value(await operator.operations().decide({ ...second, verdict: 'approve', reason: 'Measured' }));
  ids.draft = await seedThought({
    ...seed,
    status: 'draft',
    input: { ...save, trail_name: 'acme/hidden', content: `A ${MARK} secret plan` },
  });
  ids.child = await seedThought({
    ...seed,
    status: 'approved',
    input: {
      trail_name: 'acme/pay/cards',
      content: `Cards follow. ${HOSTILE} ${MARK}`,
      relationships: [
        { type: 'DEPENDS_ON', target_id: ids.second },
        { type: 'REFERENCES', target_id: ids.draft },
        { type: 'REFERENCES', target_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
      ],
    },
  });
  ids.rejected = await seedThought({ ...seed, status: 'rejected', input: { ...save, content: `No ${MARK} at all` } });
  ids.other = await seedThought({
    ...seed,
    status: 'proposed',
    input: { ...save, content: `Proposed ${MARK}`, relationships: [{ type: 'DEPENDS_ON', target_id: ids.second }] },
  });
});

afterAll(() => t[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function get(session: Session, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const door = createDoor();
  const web = {
    record: t.record,
    log: door.factory.log,
    version: '1.2.3',
    endpoint: `http://127.0.0.1:${PORT}/mcp`,
    now: t.record.now,
  };
  const { app } = createApp(door, { authenticate: everyoneIs(session), web });
  const response = await app.request(path, { headers: { host: `127.0.0.1:${PORT}`, accept: 'text/html', ...headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

test('every page is a whole document in one frame, without inline script or style, and small', async () => {
  for (const path of ['/', '/search', '/s/acme/pay', `/t/${ids.second}`, '/nowhere', '/t/NOTANID']) {
    const { text } = await get(operator, path);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toContain('<a class="skip" href="#main">');
    expect(text).toContain('<main id="main"');
    expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)|<style|\sstyle=|\son\w+=|<img/i);
    expect(gzipSync(text).length).toBeLessThan(60 * 1024);
  }
});

test('style and scripts are served under their digest for good, and without it are asked about again', async () => {
  const { text } = await get(agent, '/search');
  const names = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(names.length).toBe(3);
  let size = gzipSync(text).length;
  for (const path of names) {
    const asset = await get(agent, path);
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await get(agent, path.replace(/\?.*/, ''))).headers.get('cache-control')).toBe('no-cache');
    size += gzipSync(asset.text).length;
  }
  expect(size).toBeLessThan(60 * 1024);
  expect((await get(agent, '/assets/other.css')).status).toBe(404);
});

test('the overview counts and tells what its viewer may see, and no more', async () => {
  const forAgent = (await get(agent, '/')).text;
  expect(forAgent).toContain('/s/acme/pay?below=1');
  expect(forAgent).toContain('<dd class="big">2</dd>');
  expect(forAgent).toContain('claude mcp add --transport http waymark');
  expect(forAgent).toContain('waymark review');
  for (const hidden of ['acme/hidden', 'secret plan', 'No zebrafinch', ids.rejected, ids.other]) {
    expect(forAgent).not.toContain(hidden);
  }
  const forOperator = (await get(operator, '/')).text;
  for (const shown of [
    'acme/hidden',
    'secret plan',
    'Rejected by carol',
    'Superseded by carol',
    'Proposed by writer',
  ]) {
    expect(forOperator).toContain(shown);
  }
  expect(forOperator).toMatch(/Desk <span class="count">.*waiting for you: <\/span>1</);
  expect(forAgent).not.toContain('waiting for you');
});

test('a record without anything says what to do', async () => {
  await using empty = await makeRecord();
  const session = empty.session('new');
  const door = createDoor();
  const web = {
    record: empty.record,
    log: door.factory.log,
    version: '1',
    endpoint: 'http://x.example/mcp',
    now: Date.now,
  };
  const { app } = createApp(door, { authenticate: everyoneIs(session), web });
  const text = await (await app.request('/', { headers: { host: `127.0.0.1:${PORT}` } })).text();
  expect(text).toContain('Nothing you may see is in this record yet');
  expect(text).toContain('http://x.example/mcp');
});

test('a scope lists its thoughts, with those below it where asked, and its form works by itself', async () => {
  const alone = (await get(agent, '/s/acme/pay')).text;
  expect(alone).toContain('Retry three times');
  expect(alone).not.toContain('Cards follow');
  expect(alone).toMatch(/<form class="filters" method="get" action="\/s\/acme\/pay"/);
  expect(alone).toContain('<label for="q">Words</label>');
  expect(alone).toMatch(/name="below" value="1">/);
  const below = (await get(agent, '/s/acme/pay?below=1')).text;
  expect(below).toContain('Cards follow');
  expect(below).toMatch(/name="below" value="1" checked>/);
});

test('filters narrow a list: kind, author, tag, project, view and status', async () => {
  const count = async (session: Session, query: string) =>
    /data-count class="soft">(\S+) /.exec((await get(session, `/s/acme/pay?below=1&${query}`)).text)?.[1];
  expect(await count(agent, '')).toBe('2');
  expect(await count(agent, 'source=decision')).toBe('1');
  expect(await count(agent, 'source=inference')).toBe('0');
  expect(await count(agent, 'author=writer')).toBe('2');
  expect(await count(agent, 'author=stranger')).toBe('0');
  expect(await count(agent, 'tag=retries')).toBe('1');
  expect(await count(agent, 'project=pay')).toBe('1');
  expect(await count(agent, 'view=authoring')).toBe('0');
  expect(await count(author, 'view=authoring')).toBe('2');
  expect(await count(author, 'view=authoring&status=rejected')).toBe('1');
  expect(await count(author, 'view=authoring&author=stranger')).toBe('0');
  expect(await count(operator, 'view=history')).toBe('5');
  expect((await get(agent, '/s/acme/pay?view=history')).status).toBe(403);
  expect((await get(agent, '/s/acme/pay?view=everything')).status).toBe(400);
});

test('a scope of which nothing is visible is as one that does not exist, byte for byte', async () => {
  const hidden = await get(agent, '/s/acme/hidden');
  const absent = await get(agent, '/s/acme/nothing');
  expect(hidden.status).toBe(404);
  expect(absent).toEqual({ ...hidden, headers: absent.headers });
  expect((await get(operator, '/s/acme/hidden')).status).toBe(200);
});

test('the search marks its words, escaped, and tells how many there are', async () => {
  const { text } = await get(agent, `/search?q=${MARK}&scope=${encodeURIComponent('acme/**')}`);
  expect(text).toContain(`<mark>${MARK}</mark>`);
  expect(text).toContain('data-count class="soft">2 thoughts<');
  expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &quot;quoted&quot;');
  expect(text).toContain('&lt;U+202E&gt;');
  const cutting = (await get(agent, `/search?q=${encodeURIComponent('<script>')}`)).text;
  expect(cutting).toContain('<mark>&lt;script&gt;</mark>');
  expect(cutting).toContain('value="&lt;script&gt;"');
  expect((await get(agent, '/search?q=nomatchatall')).text).toContain('Nothing matches');
});

test('a script gets the results alone, the same that the page holds', async () => {
  const path = `/search?q=${MARK}`;
  const alone = await get(agent, path, { 'x-fragment': 'results' });
  expect(alone.text).not.toContain('<html');
  expect((await get(agent, path)).text).toContain(`<div id="results">${alone.text}</div>`);
  const refused = await get(agent, '/search?view=history', { 'x-fragment': 'results' });
  expect(refused.text).toContain('needs an operator');
});

test('pages follow each other by a cursor that is bound to the query', async () => {
  const scope = 'acme/pages';
  for (let n = 0; n < 21; n++) {
    await seedThought({ author, operator, status: 'draft', input: { trail_name: scope, content: `Page entry ${n}` } });
  }
  const first = (await get(author, `/s/${scope}?view=authoring`)).text;
  const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(first).toContain('Page entry 20');
  expect(first).not.toContain('Page entry 0<');
  const second = (await get(author, next)).text;
  expect(second).toContain('Page entry 0<');
  expect(second).toContain(`href="/s/${scope}?view=authoring">First page`);
  expect((await get(author, next.replace('authoring', 'governed'))).status).toBe(400);
});

test('a thought shows its text, what it is, its versions with what changed, and its events with their proof', async () => {
  const { text, status } = await get(agent, `/t/${ids.second}`);
  expect(status).toBe(200);
  expect(text).toContain('<h1>Retry three times</h1>');
  expect(text).toContain(`<p>The ${MARK} gateway is asked three times.</p>`);
  expect(text).toContain('data-status="approved">Approved');
  expect(text).toContain(`href="/t/${ids.first}"`);
  expect(text).toMatch(/<del>.*five.*<\/del>.*<ins>.*three/s);
  expect(text).toContain('Because: <q>Five charged twice</q>');
  expect(text).toContain('signed by <b>carol</b>');
  expect(text).toContain('<q>Measured</q>');
  expect(text.match(/✓ verified/g)?.length).toBe(2);
  expect(text).toContain(`waymark evidence ${ids.second}`);
  expect(text).toMatch(/event {3}sha256:[0-9a-f]{64}\nclaim {3}[0-9a-f]{64}/);
  const older = (await get(agent, `/t/${ids.first}`)).text;
  expect(older).toContain('data-status="superseded">Superseded');
  expect(older).toContain(`href="/t/${ids.second}"`);
  expect(older).toContain('True from');
  expect(older).toContain('&lt;script&gt;alert');
});

test('relationships lead out and in, and what is withheld reads like what is absent', async () => {
  const child = (await get(agent, `/t/${ids.child}`)).text;
  expect(child).toContain('<span class="soft">Depends on</span> <a href="/t/');
  const unseen = [...child.matchAll(/<code>([0-9A-Z]{26})<\/code> <span class="soft">not visible or absent<\/span>/g)];
  expect(unseen.map(([, id]) => id)).toEqual([ids.draft, '01ARZ3NDEKTSV4RRFFQ69G5FAV']);
  expect((await get(operator, `/t/${ids.child}`)).text).toContain('secret plan');
  const target = (await get(agent, `/t/${ids.second}`)).text;
  expect(target).toContain('Depended on by</span> <a href="/t/');
  expect(target).toContain(ids.child);
  expect(target).not.toContain(ids.other);
  expect((await get(author, `/t/${ids.second}`)).text).toContain(ids.other);
});

test('withheld, absent and nonsense are one page, byte for byte, and so are their files', async () => {
  const absent = await get(agent, '/t/01ARZ3NDEKTSV4RRFFQ69G5FAV');
  expect(absent.status).toBe(404);
  for (const path of [
    `/t/${ids.draft}`,
    `/t/${ids.rejected}`,
    '/t/x',
    `/t/${ids.draft}/raw`,
    `/t/${ids.draft.slice(0, 25)}`,
  ]) {
    const { status, text } = await get(agent, path);
    expect([path, status, text]).toEqual([path, 404, absent.text]);
  }
  expect((await get(author, `/t/${ids.draft}`)).status).toBe(200);
});

test('a prefix and another case lead to the stable address, and keep the time that is read', async () => {
  const lower = await get(agent, `/t/${ids.second.toLowerCase()}?valid_at=2026-02-01`);
  expect([lower.status, lower.headers.get('location')]).toEqual([302, `/t/${ids.second}?valid_at=2026-02-01`]);
  const prefix = await get(agent, `/t/${ids.second.slice(0, 25)}`);
  expect([200, 300, 302]).toContain(prefix.status);
});

test('the file is text to take away', async () => {
  const { text, headers } = await get(agent, `/t/${ids.second}/raw`);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${ids.second}.md"`);
  expect(text).toContain(`thought_id: ${ids.second}`);
});

test('links and forms keep the time that is read, and known_at shows the record of then', async () => {
  const query = 'valid_at=2026-02-01&known_at=2026-03-01T12%3A09%3A00Z';
  const kept = query.replaceAll('&', '&amp;');
  const list = (await get(operator, `/s/acme/pay?${query}`)).text;
  const links = [...list.matchAll(/href="(\/(?:t|s)\/[^"]*|\/|\/search|\/ledger)"/g)].map(([, path]) => path ?? '');
  // But the one that leads back to now.
  expect(links.filter((path) => !path.includes('valid_at'))).toEqual(['/s/acme/pay']);
  expect(list).toContain('<input type="hidden" name="valid_at" value="2026-02-01">');
  expect(list).toContain(kept);
  const thought = (await get(operator, `/t/${ids.first}?known_at=2026-03-01T12%3A20%3A00Z`)).text;
  expect(thought).toContain('<dt>Today</dt>');
  expect((await get(agent, `/t/${ids.first}?known_at=2026-03-01T12%3A20%3A00Z`)).status).toBe(403);
  expect((await get(agent, `/t/${ids.first}?valid_at=someday`)).status).toBe(400);
  expect((await get(agent, `/t/${ids.first}?valid_at=2025-01-01`)).text).toContain('It was not true in the world');
});

test('whoever asks for no page gets no page where there is none', async () => {
  const { text, status } = await get(agent, '/nowhere', { accept: 'application/json' });
  expect([status, JSON.parse(text).code]).toEqual([404, 'not_found']);
});
