import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { importItems } from '../../src/cli/import-run.ts';
import { encodeThought } from '../../src/record/codec/index.ts';
import { ok } from '../../src/record/outcome.ts';
import { denialsOf, eventsOf, git, placesOf } from '../cases/evidence.ts';
import { exampleThought } from '../record/example-thought.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { json, waymark } from './support.ts';

const SCOPE = 'acme/notes';
const SECRET = `AK${'IA'}QWERTYUIOP234567`;

const reportSchema = z.object({
  status: z.enum(['ok', 'refused']),
  saved: z.number(),
  refused: z.number(),
  skipped: z.number(),
  left_alone: z.number(),
  items: z.array(
    z.object({
      item: z.string(),
      outcome: z.enum(['ok', 'refused', 'skipped']),
      thought_id: z.string().optional(),
      code: z.string().optional(),
      message: z.string().optional(),
      next: z.string().optional(),
      field: z.string().optional(),
      unresolved: z.array(z.string()).optional(),
    }),
  ),
});
type Report = z.output<typeof reportSchema>;

/** Writes files below a new folder beside the record. */
function folderOf(t: TestRecord, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(dirname(t.root), 'files');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function run(
  t: TestRecord,
  path: string,
  ...flags: readonly string[]
): Promise<Report & { code: number | null }> {
  const args = ['import', path, '--scope', SCOPE, '--json', ...flags];
  const ended = await waymark(args, { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: 'alice' } });
  return { ...reportSchema.parse(json(ended)), code: ended.code };
}

function itemOf(report: Report, name: string): Report['items'][number] {
  const found = report.items.find(({ item }) => item === name);
  if (found === undefined) throw new Error(`No item "${name}" in ${JSON.stringify(report)}`);
  return found;
}

async function thoughtOf(t: TestRecord, id: string | undefined) {
  const get = { trail_name: SCOPE, thought_id: id ?? '' };
  return value(await t.session('alice').operations().get(get)).thought;
}

test('a folder of notes, thought files and lines becomes proposals of the caller, each in the report', async () => {
  await using t = await makeRecord();
  const extra = { note: 'kept', trust_gate: { verdict: 'approve' }, approval: { actor: 'human:eve' } };
  const original = exampleThought({ validation_status: 'approved', metadata: { tags: ['retries'], extra } });
  const folder = folderOf(t, {
    'plain.md': '# A note\n\nWith text.\n',
    'sub/titled.markdown':
      '---\ntitle: Governance: Core (Split: A)\ntags: [a]\n---\nA note with frontmatter of its own.\n',
    'sub/thought.md': encodeThought(original),
    'lines.jsonl': [
      JSON.stringify({ content: 'A line', source_type: 'decision', confidence: 0.9, tags: ['x'] }),
      '',
      JSON.stringify({
        content: '行',
        metadata: { project: 'p', extra: { source: 'a wiki' } },
        parent_id: original.thought_id,
      }),
    ].join('\r\n'),
    'picture.png': 'x',
    '.git/config.md': 'x',
  });
  const report = await run(t, folder);
  expect(report).toMatchObject({ status: 'ok', code: 0, saved: 5, refused: 0, skipped: 0, left_alone: 2 });
  const names = ['lines.jsonl:1', 'lines.jsonl:3', 'plain.md', 'sub/thought.md', 'sub/titled.markdown'];
  expect(report.items.map(({ item }) => item)).toEqual(names);

  const [line, second, plain, thought, titled] = await Promise.all(
    report.items.map((one) => thoughtOf(t, one.thought_id)),
  );
  for (const shown of [line, second, plain, thought, titled]) {
    expect(shown).toMatchObject({ validation_status: 'proposed', agent_id: 'alice' });
  }
  expect(plain).toMatchObject({
    content: '# A note\n\nWith text.\n',
    metadata: { extra: { source: { file: 'plain.md' } } },
  });
  expect(titled?.content).toMatch(/^---\ntitle: Governance: Core/);
  expect(line).toMatchObject({ source_type: 'decision', confidence: 0.9, metadata: { tags: ['x'] } });
  expect(line?.metadata?.extra).toMatchObject({ source: { file: 'lines.jsonl', line: 1 } });
  expect(second).toMatchObject({
    content: '行',
    parent_id: original.thought_id,
    metadata: { extra: { source: 'a wiki' } },
  });
  const { trust_gate: _gate, approval: _approval, ...kept } = original.metadata.extra;
  expect(thought).toMatchObject({
    content: original.body,
    source_type: original.source_type,
    confidence: original.confidence,
  });
  expect(thought?.thought_id).not.toBe(original.thought_id);
  expect(thought?.metadata?.tags).toEqual(original.metadata.tags);
  expect(thought?.metadata?.extra).toMatchObject({
    ...kept,
    source: { file: 'sub/thought.md', thought_id: original.thought_id },
  });
  expect(thought?.metadata?.extra).not.toHaveProperty('trust_gate');
  // Nobody else sees any of it before it is decided.
  expect(value(await t.session('bob').operations().recall({ trail_name: SCOPE })).count).toBe(0);
  expect(placesOf(dirname(t.root), t.root, t.root)).toEqual([]);
});

test('importing again saves nothing, also after an edit, a decision and a rebuilt index; what an import left as a draft is proposed', async () => {
  await using t = await makeRecord();
  const names = ['edited', 'rejected', 'approved', 'replaced', 'drafted'];
  const folder = folderOf(t, Object.fromEntries(names.map((name) => [`${name}.md`, `The ${name} one`])));
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const drafted = value(await alice.save({ trail_name: SCOPE, content: 'The drafted one' })).thought;
  const first = await run(t, folder);
  expect(first).toMatchObject({ code: 0, saved: 5, skipped: 0 });
  expect(itemOf(first, 'drafted.md').thought_id).toBe(drafted.thought_id);
  expect((await thoughtOf(t, drafted.thought_id)).validation_status).toBe('proposed');
  const it = (name: string) => ({ trail_name: SCOPE, thought_id: itemOf(first, `${name}.md`).thought_id ?? '' });
  value(await alice.update({ ...it('edited'), content: 'Other words' }));
  value(await carol.decide({ ...it('rejected'), verdict: 'reject', reason: 'r' }));
  value(await carol.decide({ ...it('drafted'), verdict: 'request_changes', reason: 'r' }));
  for (const name of ['approved', 'replaced']) value(await carol.decide({ ...it(name), verdict: 'approve' }));
  const { new_thought } = value(await alice.supersede({ ...it('replaced'), content: 'Newer', reason: 'r' }));
  value(await carol.decide({ trail_name: SCOPE, thought_id: new_thought.thought_id, verdict: 'approve' }));
  const head = git(t.root, 'rev-parse', 'main').toString();
  expect(await run(t, folder)).toMatchObject({ code: 0, saved: 0, refused: 0, skipped: 5 });
  await t.record.repository.reindex();
  const again = await run(t, folder);
  expect(again).toMatchObject({ code: 0, saved: 0, skipped: 5 });
  for (const name of names) expect(itemOf(again, `${name}.md`).thought_id).toBe(it(name).thought_id);
  expect(git(t.root, 'rev-parse', 'main').toString()).toBe(head);
  // Another scope, and another author, are other matters.
  const elsewhere = await waymark(['import', folder, '--scope', 'acme/other', '--json'], { cwd: t.root, env: t.env });
  expect(json(elsewhere)).toMatchObject({ saved: 5 });
});

test('equal contents of one import are saved once, by the first that is accepted (B45)', async () => {
  await using t = await makeRecord();
  const copies = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`copy-${n}.md`, 'The same']));
  const lines = [
    { content: 'Twice', tags: ['x'.repeat(200)] },
    { content: 'Twice' },
    { content: 'Twice', confidence: 1 },
  ];
  const folder = folderOf(t, { ...copies, 'lines.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') });
  const report = await run(t, folder);
  expect(report).toMatchObject({ code: 1, saved: 2, refused: 1, skipped: 20 });
  expect(itemOf(report, 'lines.jsonl:1')).toMatchObject({ outcome: 'refused', field: 'metadata.tags[0]' });
  expect(itemOf(report, 'lines.jsonl:2').outcome).toBe('ok');
  expect(eventsOf(t.root).filter(({ _local: local }) => local?.verb === 'save')).toHaveLength(2);
});

test('a dry run says the same of each item, and changes and records nothing', async () => {
  await using t = await makeRecord();
  const folder = folderOf(t, {
    'good.md': 'Good',
    'same.md': 'Good',
    'secret.md': `key ${SECRET}`,
    'lines.jsonl': `{"content":"x","metadata":{"extra":{"approval":{}}}}\n{"content":"y","${SECRET}":1}`,
  });
  const head = git(t.root, 'rev-parse', 'main').toString();
  const dry = await run(t, folder, '--dry-run');
  expect(git(t.root, 'rev-parse', 'main').toString()).toBe(head);
  expect(readdirSync(join(t.root, 'trails')).filter((name) => name === 'acme')).toEqual([]);
  const real = await run(t, folder);
  const facts = ({ items }: Report) => items.map(({ item, outcome, code, message }) => [item, outcome, code, message]);
  expect(facts(dry)).toEqual(facts(real));
  expect([dry.code, dry.saved, real.code, real.saved]).toEqual([1, 0, 1, 1]);
  expect(new Set(denialsOf(t.root).map(({ rule }) => rule))).toEqual(new Set(['aws_access_key_id', 'owned_extra_key']));
  const twin = ['import', folder, '--scope', 'Acme/notes', '--json'];
  for (const flags of [['--dry-run'], []]) {
    const ended = await waymark([...twin, ...flags], { cwd: t.root, env: t.env });
    expect(json(ended)).toMatchObject({
      saved: 0,
      items: expect.arrayContaining([expect.objectContaining({ field: 'trail_name' })]),
    });
  }
});

test('hostile files are refused by name, one by one, and the good one among them is taken', async () => {
  await using t = await makeRecord();
  const deep = `${'['.repeat(200_000)}1${']'.repeat(200_000)}`;
  const lines = [
    '{"content": "unfinished',
    '[]',
    '"text"',
    '{"content":"x","trail_name":"other/scope"}',
    '{"content":"x","__proto__":{"a":1}}',
    '{"content":"x","agent_id":"bob"}',
    '{"content":"x","confidence":7}',
    '{"confidence":1}',
    `{"content":"x","metadata":{"extra":{"deep":${deep}}}}`,
    `{"content":"x","${SECRET}":1}`,
    '{"content":"  "}',
    '{"content":"x","tags":["a"],"metadata":{"tags":["b"]}}',
    '{"content":"good line"}',
  ].join('\n');
  const folder = folderOf(t, {
    'good.md': '\ufeffGood\r\nnote',
    'latin1.md': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
    'nul.md': 'a\0b',
    'empty.md': '',
    'broken.md': '---\nthought_id: 01KD2Q8W5N7YJ3V9T4B6RCXEMA\nstatus: [\n---\nx',
    'unknown.md': encodeThought({ ...exampleThought(), unknown: { odd: 1 } }),
    'escape\u001b[31m.md': 'Named to colour a terminal',
    'lines.jsonl': lines,
    'utf8.jsonl': Buffer.concat([
      Buffer.from('{"content":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"content":"next"}'),
    ]),
    'long.jsonl': `{"content":"${'x'.repeat(9 * 1024 * 1024)}"}\n{"content":"after it"}`,
    [`${'d/'.repeat(17)}deep.md`]: 'Too deep',
    'closed.md': 'No one may read me',
  });
  const outside = join(dirname(t.root), 'outside.md');
  writeFileSync(outside, 'Not in the folder');
  symlinkSync(outside, join(folder, 'link.md'));
  symlinkSync(dirname(outside), join(folder, 'folder-link'));
  symlinkSync(folder, join(folder, 'loop'));
  execFileSync('mkfifo', [join(folder, 'pipe.md')]);
  writeFileSync(join(folder, 'huge.md'), '');
  truncateSync(join(folder, 'huge.md'), 2 ** 40);
  chmodSync(join(folder, 'closed.md'), 0o000);

  const report = await run(t, folder);
  expect(report.code).toBe(1);
  const refused = report.items.filter(({ outcome }) => outcome === 'refused').map(({ item }) => item);
  const expected = [
    'broken.md',
    'd/'.repeat(16).slice(0, -1),
    'empty.md',
    'folder-link',
    'huge.md',
    'latin1.md',
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((line) => `lines.jsonl:${line}`),
    'link.md',
    'long.jsonl:1',
    'loop',
    'nul.md',
    'pipe.md',
    'unknown.md',
    'utf8.jsonl:1',
    // An account that may read everything reads this too.
    ...(process.getuid?.() === 0 ? [] : ['closed.md']),
  ];
  expect(refused.sort()).toEqual(expected.sort());
  const taken = report.items.filter(({ outcome }) => outcome === 'ok').map(({ item }) => item);
  for (const name of ['good.md', 'lines.jsonl:13', 'utf8.jsonl:2', 'long.jsonl:2', 'escape\u001b[31m.md'])
    expect(taken).toContain(name);
  expect((await thoughtOf(t, itemOf(report, 'good.md').thought_id)).content).toBe('Good\r\nnote');
  for (const { next, outcome } of report.items) if (outcome === 'refused') expect(next).toBeTruthy();
  expect(itemOf(report, 'pipe.md').message).toContain('regular file');
  expect(itemOf(report, 'lines.jsonl:4').message).toContain('"trail_name"');
  expect(itemOf(report, 'lines.jsonl:5').message).toContain('"__proto__"');
  expect(itemOf(report, 'unknown.md').message).toContain('"odd"');
  // Neither the secret nor where the files lay is kept or said.
  expect(JSON.stringify(report)).not.toContain(SECRET);
  expect(JSON.stringify(report)).not.toContain(dirname(t.root));
  expect(placesOf(SECRET, t.root, t.root)).toEqual([]);
  expect(placesOf(dirname(t.root), t.root, t.root)).toEqual([]);
  expect((await waymark(['verify'], { cwd: t.root, env: t.env })).code).toBe(0);
});

test('for people the report has a line for each item, control characters made visible, and a sum', async () => {
  await using t = await makeRecord();
  const folder = folderOf(t, { 'a.md': 'A', 'b.md': 'A', 'c\u001b[2J.md': '', 'x.txt': '' });
  const { code, stdout } = await waymark(['import', folder, '--scope', SCOPE], { cwd: t.root, env: t.env });
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^a\.md +ok [0-9A-Z]{26}$/);
  expect(lines[1]).toMatch(/^b\.md +skipped: same content as a\.md$/);
  expect(lines[2]).toMatch(/^c<U\+001B>\[2J\.md +refused: invalid, It holds no text\. /);
  expect(lines[3]).toBe('1 saved and proposed, 1 refused, 1 skipped; 1 other files and hidden names left alone');
  expect(lines).toHaveLength(4);
});

test('a path that is not there, a file of another kind and a malformed scope are usage errors; a single file works', async () => {
  await using t = await makeRecord();
  const folder = folderOf(t, { 'a.md': 'A', 'b.txt': 'B' });
  const end = (...args: readonly string[]) => waymark(['import', ...args], { cwd: t.root, env: t.env });
  expect((await end(join(folder, 'none.md'), '--scope', SCOPE)).code).toBe(2);
  expect((await end(join(folder, 'b.txt'), '--scope', SCOPE)).code).toBe(2);
  expect((await end(join(folder, 'a.md'), '--scope', '../x')).code).toBe(2);
  expect((await end(join(folder, 'a.md'))).code).toBe(2);
  const linked = join(dirname(folder), 'named.md');
  symlinkSync(join(folder, 'a.md'), linked);
  const single = await end(linked, '--scope', SCOPE);
  expect([single.code, single.stdout]).toEqual([0, expect.stringMatching(/^named\.md {2}ok /)]);
});

test('after every sixteen items it is said how many are done', async () => {
  await using t = await makeRecord();
  const said: string[] = [];
  async function* items() {
    for (let n = 0; n < 40; n += 1) yield { name: `${n}`, input: ok({ content: `Item ${n}` }) };
  }
  const options = {
    session: t.session('alice'),
    scope: SCOPE,
    dryRun: false,
    progress: (line: string) => said.push(line),
  };
  expect(value(await importItems(items(), options)).map(({ outcome }) => outcome)).toEqual(Array(40).fill('ok'));
  expect(said).toEqual(['16 items so far', '32 items so far', '40 items so far']);
  expect(value(await t.session('alice').operations().recall({ trail_name: SCOPE, mode: 'authoring' })).total).toBe(40);
});

test('a line of JSON names causes as a save does; what is not here is kept and in the report', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: SCOPE, content: 'cause' })).thought;
  const absent = `sha256:${'ab'.repeat(32)}`;
  const lines = [[thought_id, absent], [thought_id], ['not an id!']].map((informed_by, at) =>
    JSON.stringify({ content: `line ${at}`, informed_by }),
  );
  const report = await run(t, folderOf(t, { 'lines.jsonl': lines.join('\n') }));
  expect(itemOf(report, 'lines.jsonl:1')).toMatchObject({ outcome: 'ok', unresolved: [absent] });
  expect(itemOf(report, 'lines.jsonl:2')).not.toHaveProperty('unresolved');
  expect(itemOf(report, 'lines.jsonl:3')).toMatchObject({ code: 'invalid', field: 'informed_by[0]' });
  const causes = eventsOf(t.root).map(({ record }) => record.informed_by?.length ?? 0);
  expect(causes.filter((count) => count === 2)).toHaveLength(1);
});
