/** Deciding on the desk: what a proposal's page shows, and what its form is held to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proposal } from '../../../src/trail/proposal.ts';
import { tombstones } from '../../../src/trail/tombstones/list.ts';
import type { SaveInput } from '../../../src/trail/types.ts';
import { acceptFile } from '../../support/accept.ts';
import { type Browser, type Desk, type Fields, hiddenOf, openDesk } from '../../support/desk.ts';
import { operators } from '../../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

let time = Date.UTC(2026, 0, 5);
let t: TestRecord;
let desk: Desk;
let rita: Browser;

beforeAll(async () => {
  t = await makeRecord({ now: () => (time += 1000) });
  const { carol } = await operators(t, ['carol', 'dave']);
  const editing = { root: t.root, operations: carol.operations() };
  const rules = {
    'acme/two': 'trust_gate_policy: quorum\nquorum: 2\nseparation: required\n',
    'acme/signed': 'decisions: signed\n',
    'acme/sure': 'confirm: required\n',
  };
  for (const [scope, text] of Object.entries(rules))
    await acceptFile(editing, `trails/${scope}/.fava-trails.yaml`, text);
  desk = openDesk(t);
  rita = await desk.byToken({ agentId: 'rita', grants: ['acme/**:read,decide'] });
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await t[Symbol.asyncDispose]();
});

async function put(content: string, input: Partial<SaveInput> & { readonly author?: string } = {}): Promise<string> {
  const { author = 'alice', ...rest } = input;
  const operations = t.session(author).operations();
  const trail_name = input.trail_name ?? 'acme';
  const { thought_id } = value(await operations.save({ ...rest, trail_name, content })).thought;
  value(await operations.propose({ trail_name, thought_id }));
  return thought_id;
}

const pathOf = (id: string) => `/desk/${id}`;

async function formOf(browser: Browser, id: string) {
  return hiddenOf(await browser.get(pathOf(id)), pathOf(id));
}

function statusOf(id: string): string | undefined {
  return t.record.repository.index.reader().thoughtById(id)[0]?.thought.validation_status;
}

function lastEvent(id: string) {
  return t.record.repository.index.reader().eventsOfThought(id).at(-1)?.envelope._local;
}

test('an approval is attested, told once, named on the page after, and sent twice it is one', async () => {
  const id = await put('Deploys need two approvals');
  const form = { ...(await formOf(rita, id)), verdict: 'approve', reason: 'Agreed in March' };
  const sent = await Promise.all([rita.post(pathOf(id), form), rita.post(pathOf(id), form)]);
  expect(sent.map(({ status, location }) => [status, location])).toEqual([
    [303, '/desk'],
    [303, '/desk'],
  ]);
  expect(statusOf(id)).toBe('approved');
  const events = t.record.repository.index.reader().eventsOfThought(id);
  expect(events.filter(({ envelope }) => envelope._local?.verb === 'approve')).toHaveLength(1);
  expect(lastEvent(id)).toMatchObject({
    agent_id: 'desk',
    attested: { agent_id: 'rita', method: 'token' },
    via: 'http',
  });
  expect((await rita.get('/desk')).text).toContain('part of the record now');
  expect((await rita.get('/desk')).text).not.toContain('part of the record now');
  const decided = await rita.get(pathOf(id));
  expect(decided.text).toContain('Approved by <b>rita</b>, attested by <code>desk</code>');
  expect(decided.text).toContain('Agreed in March');
  expect(decided.text).not.toContain('<form method="post" action="/desk');
});

test('a rejection needs a reason, which is asked for with what was typed kept, and keeps the value out', async () => {
  const id = await put('The moon is made of cheese');
  const form = await formOf(rita, id);
  const without = await rita.post(pathOf(id), { ...form, verdict: 'reject', grounds: 'false' });
  expect(without).toMatchObject({ status: 400 });
  expect(without.text).toContain('value="false" selected');
  const reject = {
    ...hiddenOf(without, pathOf(id)),
    verdict: 'reject',
    grounds: 'false',
    keep_out: '',
    reason: 'It is rock',
  };
  expect(await rita.post(pathOf(id), reject)).toMatchObject({ status: 303 });
  expect(statusOf(id)).toBe('rejected');
  const carol = await t.session('carol', { operator: true }).context();
  expect(value(await tombstones(carol, {})).tombstones).toMatchObject([{ reason: 'It is rock' }]);
  const again = await put('The moon is made of nice cheese', { trail_name: 'acme' });
  const page = await rita.get(pathOf(again));
  expect(page.text).toContain('near rejected value');
  expect(page.text).toContain('It is rock');
  expect(page.text).not.toContain('made of cheese');
});

test('keep out is the person’s choice: "no" leaves a false value writable', async () => {
  const id = await put('Water boils at 90 degrees in our lab');
  const fields = { verdict: 'reject', grounds: 'false', keep_out: 'no', reason: 'Measured again' };
  expect(await rita.post(pathOf(id), { ...(await formOf(rita, id)), ...fields })).toMatchObject({ status: 303 });
  const carol = await t.session('carol', { operator: true }).context();
  const reasons = value(await tombstones(carol, {})).tombstones.map(({ reason }) => reason);
  expect(reasons).not.toContain('Measured again');
});

test('a stale form is refused with what changed, the reason kept, and nothing decided', async () => {
  const id = await put('The limit is 10 requests', { metadata: { tags: ['limits'] } });
  const form = { ...(await formOf(rita, id)), verdict: 'approve', reason: 'I checked the limit' };
  const alice = t.session('alice').operations();
  value(await alice.update({ trail_name: 'acme', thought_id: id, content: 'The limit is 9999 requests' }));
  value(await alice.propose({ trail_name: 'acme', thought_id: id }));
  const stale = await rita.post(pathOf(id), form);
  expect(stale.status).toBe(409);
  expect(stale.text).toMatch(/<del>(?:<span[^>]*>removed: <\/span>)10</);
  expect(stale.text).toMatch(/<ins>(?:<span[^>]*>added: <\/span>)9999</);
  expect(stale.text).toContain('I checked the limit</textarea>');
  expect(stale.text).not.toMatch(/value="approve" required checked/);
  expect(statusOf(id)).toBe('proposed');
  const now = { ...hiddenOf(stale, pathOf(id)), verdict: 'approve', reason: 'I checked the limit' };
  expect(await rita.post(pathOf(id), now)).toMatchObject({ status: 303 });
  expect(statusOf(id)).toBe('approved');
});

test('of a claim that never waited here no text is shown', async () => {
  const id = await put('A claim of its own');
  const form = { ...(await formOf(rita, id)), claim: '0'.repeat(64), verdict: 'approve' };
  const stale = await rita.post(pathOf(id), form);
  expect(stale.status).toBe(409);
  expect(stale.text).toContain('cannot be had any more');
  expect(stale.text).not.toContain('<del>');
});

test('a form without the token of its session, or from elsewhere, is refused and keeps what was typed', async () => {
  const id = await put('Forms are bound to their session');
  const form: Fields = { ...(await formOf(rita, id)), verdict: 'approve', reason: 'Typed with care' };
  const sam = await desk.byToken({ agentId: 'sam', grants: ['acme/**:read,decide'] });
  const foreign = await formOf(sam, id);
  for (const csrf of ['', 'x', `${form['csrf']}x`, foreign['csrf'] ?? '']) {
    const refused = await rita.post(pathOf(id), { ...form, csrf });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Typed with care</textarea>');
  }
  expect(await rita.post(pathOf(id), form, { origin: 'http://evil.example' })).toMatchObject({ status: 403 });
  for (const origin of ['null', '']) {
    expect(await rita.post(pathOf(id), form, { origin })).toMatchObject({ status: 403 });
  }
  expect(statusOf(id)).toBe('proposed');
  expect(await rita.post(pathOf(id), form)).toMatchObject({ status: 303 });
  expect(statusOf(id)).toBe('approved');
});

test('a form that is not whole, or no form, is refused and decides nothing', async () => {
  const id = await put('Forms are whole');
  const form = { ...(await formOf(rita, id)), verdict: 'approve' };
  for (const over of [
    { claim: '' },
    { claim: 'x' },
    { scope: '' },
    { key: '' },
    { verdict: 'accept' },
    { verdict: '' },
  ]) {
    expect((await rita.post(pathOf(id), { ...form, ...over })).status, JSON.stringify(over)).toBe(400);
  }
  expect((await rita.post(pathOf(id), form, { 'content-type': 'text/plain' })).status).toBe(403);
  expect((await rita.post(pathOf(id), { ...form, scope: 'other' })).status).toBe(403);
  expect(statusOf(id)).toBe('proposed');
  expect(await rita.post(pathOf(id), form)).toMatchObject({ status: 303 });
});

describe('what the scope asks for is seen before anybody decides', () => {
  test('two people: one approval, "yours" that does not count, and then the record', async () => {
    const id = await put('Quorum decides this', { trail_name: 'acme/two' });
    expect((await rita.get(pathOf(id))).text).toContain('Approvals: 0 of 2');
    const approve = async (browser: Browser) =>
      browser.post(pathOf(id), { ...(await formOf(browser, id)), verdict: 'approve' });
    expect(await approve(rita)).toMatchObject({ status: 303 });
    expect((await rita.get('/desk')).text).toContain('1 of 2 approvals');
    expect((await rita.get(pathOf(id))).text).toContain('1 of 2; yours does not count: you approved it already');
    expect(statusOf(id)).toBe('proposed');
    const own = await desk.byToken({ agentId: 'alice', grants: ['acme/**:read,decide'] });
    const page = await own.get(pathOf(id));
    expect(page.text).toContain('1 of 2; yours does not count: you are the author');
    expect(page.text).not.toContain(`<form method="post" action="${pathOf(id)}"`);
    const carol = await desk.byLink('carol');
    expect(await approve(carol)).toMatchObject({ status: 303 });
    expect(statusOf(id)).toBe('approved');
    expect(lastEvent(id)).toMatchObject({ attested: { agent_id: 'carol', role: 'operator', method: 'link' } });
  });

  test('a scope of signed decisions points to the command, and a form made by hand is refused', async () => {
    const id = await put('Only keys decide this', { trail_name: 'acme/signed' });
    const page = await rita.get(pathOf(id));
    expect(page.text).toContain('waymark review --scope acme/signed');
    expect(page.text).not.toContain(`<form method="post" action="${pathOf(id)}"`);
    const open = await formOf(rita, await put('Any other'));
    const claim = value(
      await proposal(await t.session('carol', { operator: true }).context(), { scope: 'acme/signed', thought_id: id }),
    )?.claim;
    const forged = { ...open, scope: 'acme/signed', claim: claim ?? '', verdict: 'approve' };
    expect(await rita.post(pathOf(id), forged)).toMatchObject({ status: 403 });
    expect(statusOf(id)).toBe('proposed');
  });

  test('a scope that wants confirmation asks once more, with the whole text', async () => {
    const id = await put('Sure is sure', { trail_name: 'acme/sure' });
    const asked = await rita.post(pathOf(id), { ...(await formOf(rita, id)), verdict: 'approve', reason: 'Yes' });
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('Sure is sure');
    expect(statusOf(id)).toBe('proposed');
    expect(await rita.post(pathOf(id), hiddenOf(asked, pathOf(id)))).toMatchObject({ status: 303 });
    expect(statusOf(id)).toBe('approved');
    expect(lastEvent(id)).toMatchObject({ reason: 'Yes' });
  });
});

test('a page shows the text whole and its source, the difference, the contradiction, the causes, nothing folded', async () => {
  const first = await put('The pager rotates every 7 days among the five engineers of the team');
  expect(await rita.post(pathOf(first), { ...(await formOf(rita, first)), verdict: 'approve' })).toMatchObject({
    status: 303,
  });
  const alice = t.session('alice').operations();
  const other = await put('The pager rotates every 14 days among the five engineers of the team');
  const page = await rita.get(pathOf(other));
  expect(page.text).toContain('<span>contradicts 01');
  expect(page.text).toContain('The pager rotates every 7 days among the five engineers of the team');
  expect(page.text).toContain('Contradiction: another number');
  expect(page.text).not.toContain('<details');

  const long = `# Title\n\n**Bold** ${'word '.repeat(2000)}the very end`;
  const replacing = value(
    await alice.supersede({ trail_name: 'acme', thought_id: first, content: long, reason: 'More of it' }),
  ).new_thought.thought_id;
  value(await alice.propose({ trail_name: 'acme', thought_id: replacing }));
  const whole = await rita.get(pathOf(replacing));
  expect(whole.text).toContain('<strong>Bold</strong>');
  expect(whole.text).toContain('# Title\n\n**Bold** word');
  expect(whole.text.split('the very end')).toHaveLength(4);
  expect(whole.text).toMatch(/<del>[\s\S]*pager[\s\S]*<\/del>/);
  expect(whole.text).toContain(`/t/${first}`);
  expect(whole.text).toContain(`/t/${replacing}/trace`);
  for (const care of [`replaces ${first}`, 'large: ']) expect(whole.text).toContain(`<span>${care}`);
});

test('hostile text is inert, and what cannot be seen is shown', async () => {
  const hostile = [
    '<script>alert(1)</script><img src=x onerror=alert(1)>',
    '![pixel](https://evil.example/p.png) [go](javascript:alert(1))',
    '</textarea></pre></main><form action="https://evil.example"><input name=csrf>',
    'left \u202Eright\u202C zero\u200Bwidth',
    '<b data-control="shown as text">',
  ].join('\n\n');
  const id = await put(hostile, { metadata: { project: '<svg onload=alert(1)>', tags: ['"><script>'] } });
  for (const path of [pathOf(id), '/desk', '/desk/batch']) {
    const { text } = await rita.get(path);
    expect(text).not.toMatch(
      /<script(?! type="module" src="\/assets)|<img|<svg onload|<b data|href="javascript|action="https/,
    );
    expect(text).not.toMatch(/[\u202E\u202C\u200B]/);
  }
  const { text } = await rita.get(pathOf(id));
  expect(text).toContain('&lt;b data-control=');
  expect(text).toContain('&lt;U+202E&gt;');
});

test('a text too long to be rendered is shown whole', async () => {
  const id = await put(`${'long line of text that goes on. '.repeat(3_000)}the last words`);
  const page = await rita.get(pathOf(id));
  expect(page.status).toBe(200);
  expect(page.text.split('the last words')).toHaveLength(3);
});

test('what a reviewer may not decide is answered as what does not exist', async () => {
  const hidden = await put('Secret plans of another team', { trail_name: 'other' });
  const shown = await put('Open plans');
  const absent = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const [one, other] = [await rita.get(pathOf(hidden)), await rita.get(pathOf(absent))];
  expect(one.status).toBe(404);
  expect(one.text).toBe(other.text);
  expect((await rita.get(pathOf(shown))).status).toBe(200);
  const form = { ...(await formOf(rita, shown)), verdict: 'approve', scope: 'other' };
  const [posted, missing] = [await rita.post(pathOf(hidden), form), await rita.post(pathOf(absent), form)];
  expect(posted.status).toBe(404);
  expect(posted.text).toBe(missing.text);
  expect(statusOf(hidden)).toBe('proposed');
});
