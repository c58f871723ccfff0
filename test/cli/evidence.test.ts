/** `waymark evidence`: what an auditor takes away, checked by the program that lies in it, and what must not be in it. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { evidence } from '../../src/cli/commands/evidence.ts';
import { newWriter } from '../attack/forge.ts';
import { signedIn } from '../support/credentials.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { tempDir } from '../support/temp-dir.ts';
import { inProcess, json, waymark } from './support.ts';

const trail_name = 'acme/eng';

/** Three observations of alice, a decision from them that was approved and replaced, and a draft of bob's beside. */
async function prepare() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const bob = t.session('bob').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const observed: string[] = [];
  for (const content of ['It was slow', 'It was the disk', 'A cache helps']) {
    observed.push(value(await alice.save({ trail_name, content, source_type: 'observation' })).thought.thought_id);
  }
  const relationships = observed.map((target_id) => ({ type: 'DEPENDS_ON' as const, target_id }));
  const decision = { trail_name, content: 'We cache', source_type: 'decision' as const, relationships };
  const first = value(await alice.save(decision)).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: first, verdict: 'approve' }));
  const secret = value(await bob.save({ trail_name, content: 'Bob has another plan' })).thought.thought_id;
  const input = { trail_name, thought_id: first, content: 'We cache for a day', reason: 'Measured' };
  const second = value(await alice.supersede(input)).new_thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: second, verdict: 'approve' }));
  return {
    t,
    alice,
    bob,
    carol,
    observed,
    first,
    second,
    secret,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

function as(t: TestRecord, agent: string, more: Readonly<Record<string, string>> = {}) {
  return { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agent, ...more } };
}

const OPERATOR = { WAYMARK_OPERATOR: '1' };

async function archive(t: TestRecord, id: string, run = as(t, 'alice')) {
  const out = join(tempDir(), 'evidence.zip');
  const ended = await inProcess((invocation) => evidence(invocation, id, { out }), run);
  expect(ended.stderr).toBe('');
  return { facts: json(ended), out, files: unzipSync(readFileSync(out)) };
}

/** Unpacks it into a folder of its own and runs what lies in it, with no variable but PATH. */
async function check(files: Readonly<Record<string, Uint8Array | string | null>>, args: readonly string[] = []) {
  const folder = tempDir();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    if (bytes !== null) writeFileSync(join(folder, name), bytes);
  }
  const env = { PATH: process.env['PATH'] ?? '' };
  return new Promise<{ code: number; verdicts: string[]; notes: string[]; findings: object[]; checked: object }>(
    (resolve) =>
      execFile(process.execPath, ['verify.mjs', ...args, '--json'], { cwd: folder, env }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code), ...JSON.parse(stdout) }),
      ),
  );
}

test('evidence of a decision is checked by the program in it, and nobody without the key changes it unseen', async () => {
  await using s = await prepare();
  const { facts, files, out } = await archive(s.t, s.second);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(facts).toMatchObject({ status: 'ok', truncated: false });
  // The decision, what it replaced, and the observations that led to it.
  expect(new Set(Object.keys(files).filter((name) => name.startsWith('thoughts/')))).toEqual(
    new Set([s.first, s.second, ...s.observed].map((id) => `thoughts/${id}.md`)),
  );
  const { owner } = s.t.record.repository.trust;
  const sound = await check(files, ['--owner', owner]);
  expect(sound).toMatchObject({ code: 0, verdicts: [], findings: [], checked: { thoughts: 5, logs: 3 } });

  const text = (name: string) => Buffer.from(files[name] ?? expect.fail()).toString();
  const lines = text('records.jsonl').trimEnd().split('\n');
  const without = (at: number) => `${lines.filter((_, index) => index !== at).join('\n')}\n`;
  const verdictOf = async (changes: Readonly<Record<string, string | null>>, args: readonly string[] = []) =>
    (await check({ ...files, ...changes }, args)).verdicts;
  const thought = `thoughts/${s.second}.md`;
  expect(await verdictOf({ [thought]: text(thought).replace('for a day', 'for ever') })).toEqual(['unrecorded_change']);
  expect(await verdictOf({ [thought]: null })).toEqual(['removed']);
  expect(await verdictOf({ 'records.jsonl': text('records.jsonl').replace('"Measured"', '"Guessed"') })).toEqual([
    'edited',
  ]);
  expect(await verdictOf({ 'records.jsonl': without(0) })).toEqual(['removed']);
  expect(await verdictOf({ 'records.jsonl': without(0), 'proofs.json': '[]' })).toEqual(['cannot_tell', 'removed']);
  expect(await verdictOf({ 'records.jsonl': `${[...lines].reverse().join('\n')}\n` })).toEqual(['reordered']);
  const [log] = /[0-9a-f]{16}/.exec(Object.keys(files).find((name) => name.startsWith('checkpoints/')) ?? '') ?? [];
  expect(await verdictOf({ [`checkpoints/${log}`]: text(`checkpoints/${log}`).replace(/\n\d+\n/, '\n1\n') })).toEqual([
    'edited',
  ]);
  expect(await verdictOf({}, ['--owner', newWriter().signer.publicKey])).toEqual(['re_rooted']);
  expect(await verdictOf({ 'evidence.json': '[[' })).toEqual(['cannot_tell']);
});

test('evidence of an attested decision stands by itself and says for whom it was signed', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  await t.session('carol', { operator: true }).identity();
  const { thought_id } = value(await alice.save({ trail_name, content: 'Decided at the desk' })).thought;
  value(await alice.propose({ trail_name, thought_id }));
  const dora = signedIn(t, { agent_id: 'dora', role: 'reviewer' }).operations();
  value(await dora.decide({ trail_name, thought_id, verdict: 'approve' }));
  const { files } = await archive(t, thought_id);
  const { notes, ...sound } = await check(files, ['--owner', t.record.repository.trust.owner]);
  expect(sound).toMatchObject({ code: 0, verdicts: [], findings: [] });
  expect(notes.join()).toContain('by "approve" of desk as service, for dora, known as reviewer by token');
  const records = Buffer.from(files['records.jsonl'] ?? '').toString();
  const changed = { ...files, 'records.jsonl': records.replace('"agent_id":"dora"', '"agent_id":"dave"') };
  expect((await check(changed)).verdicts).toEqual(['edited']);
});

test('evidence holds nothing that its maker may not see', async () => {
  await using s = await prepare();
  const inAll = (files: Readonly<Record<string, Uint8Array>>, what: string) =>
    Object.values(files).some((bytes) => Buffer.from(bytes).includes(what));
  // An approved thought of bob follows from his draft, which is the first event of his log.
  const relationships = [{ type: 'DEPENDS_ON' as const, target_id: s.secret }];
  const shown = { trail_name, content: 'Of bob', relationships };
  const id = value(await s.bob.save(shown)).thought.thought_id;
  value(await s.carol.decide({ trail_name, thought_id: id, verdict: 'approve' }));
  const operators = await archive(s.t, id, as(s.t, 'carol', OPERATOR));
  expect(operators.files[`thoughts/${s.secret}.md`]).toBeDefined();
  expect(await check(operators.files)).toMatchObject({ code: 0, findings: [] });

  const run = as(s.t, 'alice');
  const ask = (about: string) => inProcess((invocation) => evidence(invocation, about, { out: 'x.zip' }), run);
  const refused = await ask(id);
  expect(json(refused)).toMatchObject({ code: 'authority', next: expect.stringContaining('operator') });
  const hidden = await ask(s.secret);
  const absent = await ask('01KD2Q8W5N7YJ3V9T4B6RCXEMA');
  expect({ ...hidden }).toEqual({ ...absent });
  expect(json(hidden)).toMatchObject({ code: 'not_found' });

  const { files } = await archive(s.t, s.second);
  expect(inAll(files, s.secret)).toBe(false);
  expect(inAll(files, s.second)).toBe(true);
});

test('evidence is the same each time, of a thought or a record, never over a file that is there', async () => {
  await using s = await prepare();
  const [one, two] = [await archive(s.t, s.second), await archive(s.t, s.second.slice(0, 24))];
  expect(readFileSync(one.out).equals(readFileSync(two.out))).toBe(true);
  const again = await waymark(['evidence', s.second, '--out', one.out], as(s.t, 'alice'));
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('is there already');
  const proofs: { record_hash: string }[] = JSON.parse(
    Buffer.from(one.files['proofs.json'] ?? expect.fail()).toString(),
  );
  const hash = proofs.at(-1)?.record_hash ?? '';
  const ofRecord = await archive(s.t, hash.slice(0, 30));
  expect(await check(ofRecord.files)).toMatchObject({ code: 0, findings: [] });
  // As a tree shows it.
  const short = await archive(s.t, hash.slice('sha256:'.length, 'sha256:'.length + 8));
  expect(Object.keys(short.files)).toEqual(Object.keys(ofRecord.files));
  const bad = await inProcess((invocation) => evidence(invocation, 'sha256:12', { out: 'x.zip' }), as(s.t, 'alice'));
  expect(json(bad)).toMatchObject({ code: 'invalid', field: 'id' });
});
