/** `waymark verify` and `waymark checkpoint` as a person or a script runs them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MANIPULATIONS, makeTamperRecord, type TamperRecord, type TamperVerdict } from '../support/tamper.ts';
import { json, waymark } from './support.ts';

let r: TamperRecord;
beforeAll(async () => {
  r = await makeTamperRecord();
});
afterAll(() => r[Symbol.asyncDispose]());

const run = (...args: readonly string[]) => waymark(args, { cwd: r.root, env: r.t.env });

/** Runs while the record is manipulated as the table says. */
async function tampered<T>(name: string, work: () => Promise<T>): Promise<T> {
  const manipulation = MANIPULATIONS.find((one) => one.name === name);
  if (manipulation === undefined) throw new Error(`No manipulation "${name}"`);
  await manipulation.apply(r);
  try {
    return await work();
  } finally {
    r.restore();
  }
}

test.each<[string, number, TamperVerdict]>([
  ['an event is removed from the middle of a log', 1, 'removed'],
  ['a checkpoint is deleted', 3, 'cannot_tell'],
  ['the whole record is re-rooted to another owner', 1, 're_rooted'],
])('%s: exit code %i and %s, in words and as JSON', async (name, code, verdict) => {
  expect(await run('verify')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Verified at/) });
  const [words, facts] = await tampered(name, async () => [await run('verify'), await run('verify', '--json')]);
  expect(words).toMatchObject({ code, stdout: expect.stringMatching(new RegExp(`^${verdict} `)) });
  expect(words.stdout).toContain(`Found: ${verdict}. Checked`);
  expect(facts.code).toBe(code);
  expect(json(facts)).toMatchObject({ ok: false, verdicts: [verdict] });
});

test('the export of a whole record passes it and accuses a cut one, and is not written over', async () => {
  const file = join(r.root, '..', 'kept.json');
  const shown = await run('checkpoint', '--export');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  const { taken_at: _, ...facts } = JSON.parse(shown.stdout);
  const { taken_at: __, ...expected } = JSON.parse(r.exported);
  const byLog = (all: readonly { log: string }[]) => [...all].sort((a, b) => (a.log < b.log ? -1 : 1));
  expect({ ...facts, checkpoints: byLog(facts.checkpoints) }).toEqual({
    ...expected,
    checkpoints: byLog(expected.checkpoints),
  });
  expect(json(await run('checkpoint', '--export', file, '--json'))).toMatchObject({ status: 'ok', checkpoints: 5 });
  expect(await run('checkpoint', '--export', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is there already'),
  });
  expect(await run('checkpoint', '--export', join(file, 'x'))).toMatchObject({ code: 3 });
  const held = await run('verify', '--against', file, '--history');
  expect(held).toMatchObject({ code: 0, stdout: expect.stringMatching(/, its history, what ".*kept\.json" holds\n$/) });
  const cut = 'the end of a log is cut off, and the checkpoint of before put back';
  const elsewhere = { ...r.t.env, XDG_STATE_HOME: join(r.root, '..', 'elsewhere') };
  const report = await tampered(cut, async () =>
    waymark(['verify', '--against', file, '--json'], { cwd: r.root, env: elsewhere }),
  );
  expect(json(report)).toMatchObject({ verdicts: ['cut_tail'], findings: [{ code: 'against_cut' }] });
});

test('a file that is no export is a usage error that says what is wrong with it', async () => {
  const file = join(r.root, '..', 'wrong.json');
  const good = JSON.parse(r.exported);
  for (const [text, message] of [
    ['{', 'it is not JSON'],
    ['{}', 'waymark_checkpoints'],
    [JSON.stringify({ ...good, owner: 'A'.repeat(43) }), 'not the id of its owner key'],
    [r.exported.replace(`"log":"${good.checkpoints[0].log}"`, '"log":"x"'), 'is not named after its key'],
    [r.exported.replace('\\n6\\n', '\\n9\\n'), 'is not as it was signed'],
  ] as const) {
    writeFileSync(file, text);
    const refused = await run('verify', '--against', file);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
  }
  expect(await run('verify', '--against', 'nowhere.json')).toMatchObject({ code: 2 });
  await using other = await makeTamperRecord();
  writeFileSync(file, other.exported);
  const report = await run('verify', '--against', file, '--json');
  expect(json(report)).toMatchObject({ verdicts: ['re_rooted'] });
});

test('--history goes on from where it ended, and finds what was undone since', async () => {
  expect(await run('verify', '--history')).toMatchObject({ code: 0 });
  const state = join(r.t.env['XDG_STATE_HOME'] ?? '', 'waymark', r.repositoryId, 'history');
  const head = execFileSync('git', ['rev-parse', 'main'], { cwd: r.root }).toString();
  expect(readFileSync(state, 'utf8')).toBe(head);
  await tampered('an approved thought is edited by hand', async () => {
    execFileSync('git', ['reset', '-q', '--hard'], { cwd: r.root });
    execFileSync('git', ['revert', '--no-edit', 'HEAD'], { cwd: r.root, env: { ...process.env, ...AUTHOR } });
    expect(await run('verify')).toMatchObject({ code: 0 });
    const report = json(await run('verify', '--history', '--json'));
    const bad = execFileSync('git', ['rev-parse', 'main^'], { cwd: r.root }).toString().trim();
    expect(report).toMatchObject({
      verdicts: ['unrecorded_change'],
      findings: [{ code: 'history_unrecorded', message: expect.stringContaining(bad) }],
    });
  });
  expect(readFileSync(state, 'utf8')).toBe(head);
});

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Person',
  GIT_AUTHOR_EMAIL: 'person@example.org',
  GIT_COMMITTER_NAME: 'Person',
  GIT_COMMITTER_EMAIL: 'person@example.org',
};

test('looking changes nothing: no pin, no index, no lock', async () => {
  const elsewhere = join(r.root, '..', 'clone');
  execFileSync('git', ['clone', '-q', r.root, elsewhere]);
  const home = join(r.root, '..', 'stranger');
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const looked = await waymark(['verify', '--json'], { cwd: elsewhere, env });
  expect(json(looked)).toMatchObject({ ok: true, notes: [expect.stringContaining('remembers an earlier state')] });
  expect(readdirSync(elsewhere)).not.toContain('.waymark');
  expect(readdirSync(join(r.root, '..'))).not.toContain('stranger');
});

test('a shallow clone cannot tell of its history, and of its head it can', async () => {
  const shallow = join(r.root, '..', 'shallow');
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${r.root}`, shallow]);
  const at = { cwd: shallow, env: r.t.env };
  expect(await waymark(['verify'], at)).toMatchObject({ code: 0 });
  const report = await waymark(['verify', '--history', '--json'], at);
  expect(report.code).toBe(3);
  expect(json(report)).toMatchObject({ verdicts: ['cannot_tell'], findings: [{ code: 'history_shallow' }] });
});
