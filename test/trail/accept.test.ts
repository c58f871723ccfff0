import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inForce } from '../../src/trail/settings.ts';
import { denialsOf, git, recorded } from '../cases/evidence.ts';
import { editFile } from '../support/accept.ts';
import { makeRecord, value } from '../support/record.ts';

const FILE = 'trails/acme/.fava-trails.yaml';
const PROMPT = 'trails/trust-gate-prompt.md';

async function setUp() {
  const t = await makeRecord();
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.listScopes({}));
  const head = () => git(t.root, 'rev-parse', 'main').toString();
  return { t, carol, head, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test('accept by an agent is refused and recorded as a denial, and by an operator it holds', async () => {
  await using s = await setUp();
  editFile(s.t.root, FILE, 'separation: required\n');
  const refused = await s.t
    .session('alice')
    .operations()
    .accept({ paths: [FILE] });
  expect(refused).toMatchObject({ ok: false, code: 'authority', rule: 'needs_operator' });
  await recorded(() => denialsOf(s.t.root)).toMatchObject([{ agent_id: 'alice', verb: 'accept' }]);
  expect(value(await s.carol.accept({ paths: [FILE] })).files).toMatchObject([{ path: FILE, changed: true }]);
});

test.for([
  ['separation: off\n', { field: 'separation', message: /separation.*expected "required"/ }],
  ['a: [\n', { message: /line \d/ }],
  [Buffer.from([0x61, 0x3a, 0xff, 0x0a]), { message: /not UTF-8/ }],
  [`x: ${'['.repeat(2000)}\n`, { message: /nested too deeply/ }],
] as const)(
  'a malformed file is refused by name, with line or key, and nothing changes: %j',
  async ([text, wanted]) => {
    await using s = await setUp();
    const before = s.head();
    editFile(s.t.root, FILE, text as string);
    editFile(s.t.root, PROMPT, 'Fine\n');
    const refused = await s.carol.accept({ paths: [PROMPT, FILE] });
    expect(refused).toMatchObject({ ok: false, code: 'invalid', next: expect.stringContaining(FILE) });
    if (refused.ok) throw new Error('Accepted');
    expect(refused.message).toContain(FILE);
    expect(refused.message).toMatch(wanted.message);
    if ('field' in wanted) expect(refused.field).toBe(wanted.field);
    expect(s.head()).toBe(before);
    expect(value(await s.carol.accept({ paths: [PROMPT] })).files).toMatchObject([{ changed: true }]);
  },
);

test('config.yaml: a bad entry of trails, another owner, id or branch, and its absence are refused', async () => {
  await using s = await setUp();
  const config = readFileSync(join(s.t.root, 'config.yaml'), 'utf8');
  const id = /id: "(\w+)"/.exec(config)?.[1] ?? '';
  for (const [text, field] of [
    [`${config}trails: { acme: { separation: off } }\n`, 'trails.acme.separation'],
    [`${config}trust_gate_timeout_secs: -1\n`, 'trust_gate_timeout_secs'],
    [config.replace(id, 'abcdefgh'), 'waymark.id'],
    [config.replace(/owner: "[\w-]{3}/, 'owner: "AAA'), 'waymark.owner'],
    [config.replace('branch: "main"', 'branch: "other"'), 'waymark.branch'],
    ['push_strategy: manual\n', 'waymark.id'],
    [null, 'paths'],
  ] as const) {
    expect(text).not.toBe(config);
    editFile(s.t.root, 'config.yaml', text);
    expect(await s.carol.accept({ paths: ['config.yaml'] }), field).toMatchObject({
      ok: false,
      code: 'invalid',
      field,
    });
  }
  editFile(s.t.root, 'config.yaml', `${config}trails: { acme: { separation: required } }\n`);
  expect(value(await s.carol.accept({ paths: ['config.yaml'] })).files).toMatchObject([{ changed: true }]);
});

test('what is not governed, not there, or no file is refused with what is', async () => {
  await using s = await setUp();
  const id = value(await s.carol.save({ trail_name: 'acme', content: 'x' })).thought.thought_id;
  const thought = `trails/acme/thoughts/drafts/${id}.md`;
  for (const path of ['README.md', thought, '../config.yaml', 'hooks/../config.yaml', '', '/etc/passwd']) {
    const refused = await s.carol.accept({ paths: [path] });
    expect(refused, path).toMatchObject({ ok: false, code: 'invalid', next: expect.stringContaining('keys.yaml') });
  }
  expect(await s.carol.accept({ paths: [] })).toMatchObject({ ok: false, code: 'invalid' });
  expect(await s.carol.accept({ paths: [PROMPT] })).toMatchObject({ ok: false, code: 'not_found' });
  symlinkSync('/etc/passwd', join(s.t.root, PROMPT));
  expect(await s.carol.accept({ paths: [PROMPT] })).toMatchObject({ ok: false, code: 'invalid' });
  editFile(s.t.root, 'hooks/large', 'x'.repeat(1024 * 1024 + 1));
  expect(await s.carol.accept({ paths: ['hooks/large'] })).toMatchObject({ ok: false, code: 'invalid' });
  editFile(s.t.root, 'hooks/small', 'x'.repeat(1024 * 1024));
  value(await s.carol.accept({ paths: ['hooks/small'] }));
});

test('a secret in a file is refused under its rule and reaches neither git nor the answer', async () => {
  await using s = await setUp();
  const secret = `AK${'IA'}QWERTYUIOP234567`;
  for (const path of [PROMPT, FILE, 'hooks/check.py']) {
    editFile(s.t.root, path, `note: ${secret}\n`);
    const refused = await s.carol.accept({ paths: [path] });
    expect(refused).toMatchObject({ ok: false, code: 'secret', rule: 'aws_access_key_id', field: path });
    expect(JSON.stringify(refused)).not.toContain(secret);
  }
  const objects = () => git(s.t.root, 'cat-file', '--batch', '--batch-all-objects').toString('latin1');
  expect(objects()).not.toContain(secret);
  editFile(s.t.root, PROMPT, 'note: control-words\n');
  value(await s.carol.accept({ paths: [PROMPT] }));
  expect(objects()).toContain('control-words');
});

test('an accepted removal is in force too, and what git checked out with CRLF is no change', async () => {
  await using s = await setUp();
  const bytesInForce = () => inForce(s.t.record.repository.index.reader(), FILE);
  editFile(s.t.root, FILE, 'separation: required\n');
  value(await s.carol.accept({ paths: [FILE] }));
  editFile(s.t.root, FILE, 'separation: required\r\n');
  expect(value(await s.carol.accept({ paths: [FILE] })).files).toMatchObject([{ changed: false }]);
  expect(Buffer.from(bytesInForce() ?? '').toString()).toBe('separation: required\n');
  editFile(s.t.root, FILE, null);
  expect(value(await s.carol.accept({ paths: [FILE] })).files).toMatchObject([{ changed: true, after: null }]);
  expect(bytesInForce()).toBeNull();
  expect(git(s.t.root, 'ls-tree', '-r', '--name-only', 'main').toString()).not.toContain(FILE);
  expect(value(await s.carol.accept({ paths: [FILE] })).files).toMatchObject([{ changed: false }]);
});
