/** Why a thought is so, as a page: what each viewer sees of it, and what nobody learns of what is withheld. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hash } from '../../../src/ledger/index.ts';
import { recordHash } from '../../../src/ledger/index.ts';
import type { Session } from '../../../src/trail/session.ts';
import { eventsOf } from '../../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { seedThought } from '../../support/seed.ts';
import { website } from './support.ts';

const UNKNOWN: Hash = `sha256:${'cd'.repeat(32)}`;
const SCOPE = { trail_name: 'acme/api' };
const HOSTILE = '</title><script>alert(1)</script> "q" \u202e';

let t: TestRecord;
let browse: ReturnType<typeof website>;
let alice: Session;
let bob: Session;
let carol: Session;
const ids = { fact: '', old: '', decision: '', withheld: '' };

beforeAll(async () => {
  t = await makeRecord();
  browse = website(t);
  [alice, bob, carol] = [t.session('alice'), t.session('bob'), t.session('carol', { operator: true })];
  const seed = (author: Session, content: string, more: object = {}) =>
    seedThought({ author, operator: carol, status: 'approved', input: { ...SCOPE, content, ...more } });
  ids.fact = await seed(alice, `A fact. ${HOSTILE}`);
  ids.withheld = value(await bob.operations().save({ ...SCOPE, content: 'a zebrafinch plan' })).thought.thought_id;
  ids.old = await seed(alice, 'We retry five times', { parent_id: ids.fact });
  const input = { ...SCOPE, thought_id: ids.old, content: 'We retry three times', reason: 'Measured' };
  const informed_by = [UNKNOWN, hashOf(ids.withheld)];
  ids.decision = value(await alice.operations().supersede({ ...input, informed_by })).new_thought.thought_id;
  value(await carol.operations().decide({ ...SCOPE, thought_id: ids.decision, verdict: 'approve' }));
});

afterAll(() => t[Symbol.asyncDispose]());

/** Of the first event about a thought. */
function hashOf(id: string): Hash {
  const event = eventsOf(t.root).find(({ _local }) => _local?.thought_id === id);
  if (event === undefined) throw new Error(`No event about ${id}`);
  return recordHash(event.record);
}

function boxes(text: string): readonly string[] {
  return [...text.matchAll(/<a href="[^"]*" class="box" data-state="(\w+)"/g)].map(([, state = '']) => state);
}

test('picture and list show the same records with who, when and mark, the start in both', async () => {
  const { status, text } = await browse(alice).get(`/t/${ids.decision}/trace?depth=10`);
  expect(status).toBe(200);
  const listed = [...text.matchAll(/<li id="list-([0-9a-f]{64})" data-state="(\w+)"/g)];
  expect(listed.length).toBeGreaterThan(5);
  expect(listed.map(([, , state]) => state).toSorted()).toEqual([...boxes(text)].toSorted());
  for (const [, hex = ''] of listed) expect(text.split(hex).length).toBeGreaterThan(2);
  expect(text).toContain('alice · ');
  expect(text.match(/id="start" aria-current="true"/g)).toHaveLength(1);
  expect(text.match(/>this one</g)).toHaveLength(1);
  expect(text).toMatch(/✓ verified · superseded<\/text>/);
  expect(text).toMatch(/data-status="superseded">superseded</);
  expect(text).toContain(`href="/t/${ids.old}"`);
});

test('what is not here is dashed with its reason, and what is withheld looks the same', async () => {
  const page = await browse(alice).get(`/t/${ids.decision}/trace`);
  expect(boxes(page.text).filter((state) => state === 'absent')).toHaveLength(2);
  const [unknown, withheld] = [UNKNOWN, hashOf(ids.withheld)].map((hash) =>
    new RegExp(`<li id="list-${hash.slice(7)}" data-state="absent">.*?</li>`, 's')
      .exec(page.text)?.[0]
      .replaceAll(hash, 'HASH')
      .replaceAll(hash.slice(7), 'HASH'),
  );
  expect(unknown).toContain('missing');
  expect(withheld).toBe(unknown);
  for (const word of ['zebrafinch', ids.withheld, 'bob']) expect(page.text).not.toContain(word);
  // A control: whose it is sees it.
  const own = await browse(bob).get(`/t/${ids.decision}/trace`);
  expect(own.text).toContain('zebrafinch');
  expect(boxes(own.text).filter((state) => state === 'absent')).toHaveLength(1);
});

test('a trace of what is withheld is answered byte for byte as one of what never was', async () => {
  const as = browse(alice);
  const never = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const [one, two] = [await as.get(`/t/${ids.withheld}/trace`), await as.get(`/t/${never}/trace`)];
  expect([one.status, one.text]).toEqual([404, two.text]);
  const path = (hash: Hash) => `/trace/${hash.slice(7)}`;
  const [hash, none] = [await as.get(path(hashOf(ids.withheld))), await as.get(path(UNKNOWN))];
  expect([hash.status, hash.text]).toEqual([404, none.text]);
  expect((await browse(bob).get(path(hashOf(ids.withheld)))).status).toBe(200);
  expect((await as.get(path(hashOf(ids.fact)))).status).toBe(200);
});

test('stored text is inert in titles, boxes and entries', async () => {
  const { text } = await browse(alice).get(`/t/${ids.fact}/trace`);
  expect(text).toContain('A fact. &lt;/title&gt;&lt;script&gt;alert(1)');
  expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)|\u202e/);
});

test('direction, steps and kinds of links are in the address, and what the page does not take is refused', async () => {
  const as = browse(alice);
  const count = async (query: string) => boxes((await as.get(`/t/${ids.fact}/trace${query}`)).text).length;
  const [back, forward, both] = [
    await count(''),
    await count('?direction=forward&depth=10'),
    await count('?direction=both&depth=10'),
  ];
  expect(forward).toBeGreaterThan(back);
  // What followed has other causes too.
  expect(both).toBeGreaterThan(back + forward - 1);
  expect(await count('?direction=forward&depth=1')).toBeLessThan(forward);
  expect(await count('?depth=0')).toBe(1);
  expect(await count('?direction=forward&depth=10&follow=revises')).toBeLessThan(forward);
  const { text } = await as.get(`/t/${ids.fact}/trace?direction=forward&depth=1&valid_at=2026-01-01`);
  expect(text).toContain(`/t/${ids.fact}/trace?depth=2&amp;direction=forward&amp;valid_at=2026-01-01`);
  expect(text).toMatch(/more lies further away\. <a href="[^"]*depth=2/);
  for (const wrong of [
    'depth=11',
    'depth=x',
    'direction=up',
    'follow=all',
    'follow=',
    `cursor=${'x'.repeat(2_000)}`,
    'cursor=x',
  ]) {
    expect([wrong, (await as.get(`/t/${ids.fact}/trace?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test('a trace of more than a page is cut in words and goes on to the last record', async () => {
  const parent_id = ids.fact;
  // At once, so that they share transactions.
  const saved = Array.from({ length: 140 }, (_, at) =>
    alice.operations().save({ ...SCOPE, content: `follows ${at}`, parent_id }),
  );
  for (const each of await Promise.all(saved)) value(each);
  const as = browse(alice);
  const seen = new Set<string>();
  let path = `/t/${parent_id}/trace?direction=forward&follow=informed_by&follow=chain&depth=10`;
  let pages = 0;
  for (; ; pages += 1) {
    const { text, status } = await as.get(path);
    expect(status).toBe(200);
    expect(boxes(text).length).toBeLessThanOrEqual(150);
    for (const [, hex = ''] of text.matchAll(/<li id="list-([0-9a-f]{64})"/g)) seen.add(hex);
    const next = /Cut: \d+ records are shown and there are more\. <a href="([^"]+)"/.exec(text)?.[1];
    if (next === undefined) break;
    path = next.replaceAll('&amp;', '&');
  }
  const { visited } = value(
    await alice.operations().trace({
      record_hash: ids.fact,
      direction: 'forward',
      follow: ['informed_by', 'chain'],
      depth: 10,
      max_nodes: 500,
    }),
  );
  expect(seen.size).toBe(visited.length);
  expect(visited.length).toBeGreaterThan(130);
  expect(pages).toBe(1);
});
