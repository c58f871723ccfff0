/** `waymark mirror`: this agent's records where atrib's tools look for them. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MirrorOptions, mirror as mirrorCommand } from '../../src/cli/commands/mirror.ts';
import { hashOf, jcs, readMirrorLine } from '../../src/ledger/index.ts';
import { committed, listed, ownWriter } from '../attack/forge.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { tempDir } from '../support/temp-dir.ts';
import { inProcess, json, waymark } from './support.ts';

const trail_name = 'acme/eng';

async function prepare() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const save = async (content: string) =>
    value(await alice.save({ trail_name, content, metadata: { tags: ['disk'] } })).thought.thought_id;
  const id = await save('It was the disk');
  value(await t.session('bob').operations().save({ trail_name, content: 'Of bob' }));
  value(
    await t
      .session('carol', { operator: true })
      .operations()
      .decide({ trail_name, thought_id: id, verdict: 'approve' }),
  );
  const folder = join(tempDir(), 'records');
  const as = (agent: string) => ({
    cwd: t.root,
    env: { ...t.env, WAYMARK_AGENT_ID: agent, ATRIB_RECORDS_DIR: folder },
  });
  const mirror = async (agent: string, options: MirrorOptions = {}) =>
    json(await inProcess((invocation) => mirrorCommand(invocation, options), as(agent)));
  return {
    t,
    as,
    save,
    folder,
    mirror,
    file: join(folder, 'waymark-alice.jsonl'),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

/** Hashes of a log's records as they are committed. */
function hashesOf(t: TestRecord, log: string): readonly string[] {
  const paths = listed(t.root, `ledger/${log}`).filter((path) => path.endsWith('.jsonl'));
  return paths.map((path) => hashOf(jcs(JSON.parse(committed(t.root, path).toString()).record)));
}

function linesOf(file: string) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => readMirrorLine(Buffer.from(line)));
}

function hashesIn(file: string) {
  return linesOf(file).flatMap((line) => (line.ok ? [line.hash] : []));
}

test('an agent gets its own records, bare, each once, and goes on after the last', async () => {
  await using s = await prepare();
  const { log } = ownWriter(s.t.record, 'alice').tail;
  expect(await s.mirror('alice')).toEqual({ status: 'ok', file: s.file, written: 1, present: 0 });
  expect([statSync(s.folder).mode & 0o777, statSync(s.file).mode & 0o777]).toEqual([0o700, 0o600]);
  const first = readFileSync(s.file, 'utf8');
  expect(await s.mirror('alice')).toMatchObject({ written: 0, present: 1 });
  expect(readFileSync(s.file, 'utf8')).toBe(first);
  await s.save('More');
  await s.save('And more');
  expect(await s.mirror('alice')).toMatchObject({ written: 2, present: 1 });
  expect(hashesIn(s.file)).toEqual(hashesOf(s.t, log));
  expect(readFileSync(s.file, 'utf8').startsWith(first)).toBe(true);
  expect(readFileSync(s.file, 'utf8')).not.toContain('_local');
  // Of carol the operator key is here.
  const operator =
    s.t.record.repository.index
      .reader()
      .keys()
      .find(({ agent_id }) => agent_id === 'carol')?.log ?? '';
  expect(await s.mirror('carol')).toMatchObject({ written: hashesOf(s.t, operator).length });
  expect(await s.mirror('nobody')).toMatchObject({ written: 0, present: 0 });
});

test('what others wrote into folder and file stays, and nothing is glued to a line that was cut short', async () => {
  await using s = await prepare();
  mkdirSync(s.folder);
  writeFileSync(join(s.folder, 'other.jsonl'), '{"a":1}\n');
  writeFileSync(s.file, 'not ours\n{"record": {"spec_ver', { mode: 0o644 });
  chmodSync(s.file, 0o644);
  await s.save('More');
  expect(await s.mirror('alice')).toMatchObject({ written: 2, present: 0 });
  expect(readFileSync(s.file, 'utf8').startsWith('not ours\n{"record": {"spec_ver\n{')).toBe(true);
  expect(statSync(s.file).mode & 0o777).toBe(0o600);
  // A whole record whose newline is missing is there; the next one starts a line of its own.
  const lines = readFileSync(s.file, 'utf8').trimEnd();
  writeFileSync(s.file, lines);
  await s.save('And more');
  expect(await s.mirror('alice')).toMatchObject({ written: 1, present: 2 });
  expect(readFileSync(s.file, 'utf8').startsWith(`${lines}\n{`)).toBe(true);
  expect(hashesIn(s.file)).toHaveLength(3);
  expect(readdirSync(s.folder).toSorted()).toEqual(['other.jsonl', 'waymark-alice.jsonl']);
});

test('with content a line is an envelope with the text the agent wrote, as it is committed', async () => {
  await using s = await prepare();
  expect(await s.mirror('alice', { withContent: true })).toMatchObject({ written: 1 });
  const [line] = linesOf(s.file);
  expect(line).toMatchObject({
    ok: true,
    local: { verb: 'save', agent_id: 'alice', content: { what: 'It was the disk', topics: ['disk'] } },
  });
  // The same record in another shape is no other record.
  expect(await s.mirror('alice')).toMatchObject({ written: 0, present: 1 });
  // Carol decided about the text, and wrote none.
  await s.mirror('carol', { withContent: true });
  const decided = linesOf(join(s.folder, 'waymark-carol.jsonl')).at(-2);
  expect(decided).toMatchObject({ ok: true, local: { verb: 'approve' } });
  expect(decided).not.toHaveProperty('local.content');
});

test('processes at once write each record once, and something else in the place of the file is refused', async () => {
  await using s = await prepare();
  for (const content of ['a', 'b', 'c']) await s.save(content);
  const run = async () => json(await waymark(['mirror', '--json'], s.as('alice')));
  const done = await Promise.all([run(), run(), run()]);
  expect(done.map(({ written }) => written).toSorted()).toEqual([0, 0, 4]);
  expect(hashesIn(s.file)).toHaveLength(4);
  const target = join(s.folder, 'target');
  appendFileSync(target, '');
  symlinkSync(target, join(s.folder, 'waymark-bob.jsonl'));
  expect(await s.mirror('bob')).toMatchObject({ status: 'error', code: 'storage' });
  expect(readFileSync(target, 'utf8')).toBe('');
});
