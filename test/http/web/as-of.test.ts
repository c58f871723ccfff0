/** The time that pages read: the same sets as recall's, said on the page, kept by links, and refused kindly. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/trail/session.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { seedThought } from '../../support/seed.ts';
import { website } from './support.ts';

const trail_name = 'acme/tariff';
const PATH = `/s/${trail_name}`;
let now = Date.parse('2026-03-02T09:00:00.000Z');
let t: TestRecord;
let browse: ReturnType<typeof website>;
let alice: Session;
let carol: Session;
let year: string;
let moment: string;

beforeAll(async () => {
  t = await makeRecord({ now: () => now });
  browse = website(t);
  [alice, carol] = [t.session('alice'), t.session('carol', { operator: true })];
  const seed = (content: string, more: object = {}) =>
    seedThought({ author: alice, operator: carol, status: 'approved', input: { trail_name, content, ...more } });
  year = await seed('of the year', { valid_from: '2026-01-01', valid_to: '2027-01-01' });
  await seed('of June', { valid_from: '2026-06-01', valid_to: '2026-07-01' });
  moment = new Date(now).toISOString();
  now += 60_000;
  await seed('always');
  const input = { trail_name, thought_id: year, content: 'of the year, mended', reason: 'A typing error' };
  const { thought_id } = value(await alice.operations().supersede(input)).new_thought;
  value(await carol.operations().decide({ trail_name, thought_id, verdict: 'approve' }));
});

afterAll(() => t[Symbol.asyncDispose]());

function shown(text: string): readonly string[] {
  const list = text.slice(text.indexOf('id="results"'));
  return [...new Set([...list.matchAll(/href="\/t\/([0-9A-Z]{26})/g)].map(([, id = '']) => id))].toSorted();
}

async function recalled(session: Session, times: object): Promise<readonly string[]> {
  const { thoughts } = value(await session.operations().recall({ trail_name, ...times }));
  return thoughts.map(({ thought_id }) => thought_id).toSorted();
}

test('a list at a time holds what recall holds at that time, by either clock', async () => {
  const sets = new Set<string>();
  for (const times of [
    {},
    { valid_at: '2026-06-15' },
    { valid_at: '2027-02-01T10:00' },
    { known_at: moment },
    { known_at: moment, valid_at: '2026-06-15' },
  ]) {
    const { status, text } = await browse(carol).get(`${PATH}?${new URLSearchParams({ ...times })}`);
    expect(status).toBe(200);
    const wanted = await recalled(carol, times);
    expect(shown(text)).toEqual(wanted);
    sets.add(wanted.join());
  }
  expect(sets.size).toBeGreaterThan(2);
});

test('a page says which time it reads, links keep it, and one leads back to now', async () => {
  const times = `valid_at=2026-06-15&known_at=${encodeURIComponent(moment)}`;
  for (const path of [PATH, '/search', `/t/${year}`]) {
    const { status, text } = await browse(carol).get(`${path}?${times}`);
    expect(status).toBe(200);
    expect(text).toMatch(
      /<strong>As of<\/strong> true in the world at .*2026-06-15 00:00 UTC.*, known to the record at .*2026-03-02 09:00 UTC/,
    );
    expect(text).toContain(`<a href="${path}">Back to now</a>`);
    expect(text).toContain('<label for="valid_at">True in the world at (UTC)</label>');
    expect(text).toMatch(
      /<input id="valid_at" name="valid_at" type="datetime-local" step="any" value="2026-06-15T00:00:00.000">/,
    );
    const links = [...text.matchAll(/href="(\/(?:t|s|search)[^"]*)"/g)].map(([, href = '']) => href);
    const kept = links.filter((href) => href.includes('valid_at=2026-06-15&amp;known_at='));
    expect(kept.length).toBeGreaterThan(2);
  }
  const present = await browse(carol).get(PATH);
  expect(present.text).not.toContain('<strong>As of</strong>');
  expect(present.text).toContain('<summary>As of another time</summary>');
});

test('the form keeps what else the address asks, but no cursor', async () => {
  const { text } = await browse(carol).get(`${PATH}?q=year&tag=%22%3E%3Cscript%3E&valid_at=2026-06-15`);
  const form = /<form class="as-of".*?<\/form>/s.exec(text)?.[0] ?? '';
  expect(form).toContain('<input type="hidden" name="q" value="year">');
  expect(form).toContain('<input type="hidden" name="tag" value="&quot;&gt;&lt;script&gt;">');
  expect(form.match(/name="valid_at"/g)).toHaveLength(1);
  const next = await browse(carol).get(`${PATH}?cursor=abc`);
  expect(/<form class="as-of".*?<\/form>/s.exec(next.text)?.[0]).not.toContain('cursor');
});

test('a time that is none and a time that is not open are refused in words, with the control beside them', async () => {
  const wrong = await browse(carol).get(`${PATH}?valid_at=yesterday`);
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('is no ISO 8601 time')]);
  expect(wrong.text).toContain('name="valid_at"');
  const closed = await browse(alice).get(`${PATH}?known_at=${encodeURIComponent(moment)}`);
  expect([closed.status, closed.text]).toEqual([403, expect.stringContaining('needs an operator')]);
  expect(closed.text).toContain('for operators, and in scopes whose settings open it');
  const hostile = await browse(carol).get(`/ledger?known_at=${encodeURIComponent('"><script>')}`);
  expect(hostile.text).toContain('&quot;&gt;&lt;script&gt;');
});

test('where another time has no meaning the page says so, and only when one is asked for', async () => {
  for (const path of ['/', '/ledger', '/ledger/verify', `/t/${year}/trace`]) {
    const [then, today] = [await browse(carol).get(`${path}?valid_at=2026-06-15`), await browse(carol).get(path)];
    expect([path, then.text.includes('has no meaning here')]).toEqual([path, true]);
    expect([path, today.text.includes('has no meaning here')]).toEqual([path, false]);
  }
});
