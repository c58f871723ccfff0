/** `verify --history` on what people do to branches: merges, rewriting, taking over what FAVA left, older copies. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../../src/config/index.ts';
import { readRecord } from '../../../src/trail/locate.ts';
import { openToVerify } from '../../../src/trail/verify/open.ts';
import { verify } from '../../../src/trail/verify.ts';
import { commit, committed, listed } from '../../attack/forge.ts';
import { favaHome, STORES } from '../../support/adoption.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

const trail_name = 'acme/eng';

async function makeSaved() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const bob = t.session('bob').operations();
  const save = async (by: typeof alice, content: string) =>
    value(await by.save({ trail_name, content })).thought.thought_id;
  const id = await save(alice, 'One');
  const path = listed(t.root, 'trails').find((one) => one.includes(id)) ?? expect.fail();
  return { t, alice, bob, save, path, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

function git(root: string, ...args: readonly string[]): string {
  const who = { GIT_AUTHOR_NAME: 'Person', GIT_AUTHOR_EMAIL: 'person@example.org' };
  const env = { ...process.env, ...who, GIT_COMMITTER_NAME: 'Person', GIT_COMMITTER_EMAIL: 'person@example.org' };
  return execFileSync('git', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
}

/** A commit of the tree of `tree` on the given parents, as the branch's new head. */
function setBranch(root: string, tree: string, parents: readonly string[]): string {
  const made = git(
    root,
    'commit-tree',
    `${tree}^{tree}`,
    ...parents.flatMap((one) => ['-p', one]),
    '-m',
    'By a person',
  );
  git(root, 'update-ref', 'refs/heads/main', made);
  return made;
}

/** With a memory of its own, so that each walks everything. */
async function walked({ record }: TestRecord, seenFolder = mkdtempSync(join(tmpdir(), 'waymark-'))) {
  const { verdicts, findings, notes } = await verify({ ...record, seenFolder }, { history: true });
  rmSync(seenFolder, { recursive: true });
  return { verdicts, findings, notes };
}

test('a merge of any number of branches is no change, and one that slips a change in is', async () => {
  await using s = await makeSaved();
  const { root } = s.t;
  const base = git(root, 'rev-parse', 'main');
  const sides = ['README.md', 'docs/a.txt'].map((path) => {
    const side = commit(root, { [path]: 'Of a person' });
    git(root, 'update-ref', 'refs/heads/main', base);
    return side;
  });
  await s.save(s.alice, 'Two');
  const head = git(root, 'rev-parse', 'main');
  const merged = setBranch(root, head, [head, ...sides]);
  expect(await walked(s.t)).toMatchObject({ verdicts: [], findings: [] });

  commit(root, { [s.path]: committed(root, s.path).toString().replace('One', 'Another') });
  const evil = setBranch(root, 'main', [merged, sides[0] ?? '']);
  setBranch(root, merged, [evil]);
  expect(await walked(s.t)).toMatchObject({
    verdicts: ['unrecorded_change'],
    findings: [{ code: 'history_unrecorded', path: s.path, message: expect.stringContaining(evil) }],
  });
});

test('history that is told anew is noticed where the other was found sound, whatever the memory file holds else', async () => {
  await using s = await makeSaved();
  const { root, record } = s.t;
  const check = async () => (await verify(record, { history: true })).verdicts;
  const before = git(root, 'rev-parse', 'main');
  await s.save(s.alice, 'Two');
  expect(await check()).toEqual([]);
  const head = git(root, 'rev-parse', 'main');
  setBranch(root, head, [before]);
  expect(await check()).toEqual(['forked']);
  git(root, 'update-ref', 'refs/heads/main', head);
  expect(await check()).toEqual([]);
  // A memory that says nothing is none: everything is walked.
  commit(root, { [s.path]: 'x' });
  setBranch(root, head, [git(root, 'rev-parse', 'main')]);
  writeFileSync(join(record.seenFolder, 'history'), 'nonsense\n');
  expect(await check()).toEqual(['unrecorded_change']);
});

test('a graft hides nothing of history', async () => {
  await using s = await makeSaved();
  const { root } = s.t;
  const sound = git(root, 'rev-parse', 'main');
  commit(root, { [s.path]: 'x' });
  const head = setBranch(root, sound, [git(root, 'rev-parse', 'main')]);
  expect((await walked(s.t)).verdicts).toEqual(['unrecorded_change']);
  writeFileSync(join(root, '.git/info/grafts'), `${head} ${sound}\n`);
  expect(git(root, 'rev-list', '--count', 'main', `^${sound}`)).toBe('1');
  expect((await walked(s.t)).verdicts).toEqual(['unrecorded_change']);
});

test('a loss that its holder declared is a note, also on a machine that never saw the longer log', async () => {
  await using s = await makeSaved();
  const { root, record } = s.t;
  await s.save(s.bob, 'Of bob');
  const whole = listed(root, 'ledger').filter((path) => path.endsWith('.jsonl'));
  const before = git(root, 'rev-parse', 'main');
  await s.save(s.alice, 'Lost');
  git(root, 'update-ref', 'refs/heads/main', before);
  expect((await verify(record)).verdicts).toEqual(['cut_tail']);
  await s.save(s.alice, 'After the loss');
  expect(await verify(record)).toMatchObject({ ok: true, notes: [expect.stringContaining('declared the loss')] });
  const stranger = await walked(s.t);
  expect(stranger).toMatchObject({ verdicts: [] });
  expect(stranger.notes).toContainEqual(expect.stringMatching(/"alice" declared that it held/));
  expect(listed(root, 'ledger').length).toBeGreaterThan(whole.length);
});

test.each(STORES)(
  'what FAVA committed before the record was adopted is not judged, and what comes after is (%s)',
  async (_, options) => {
    using home = favaHome(options);
    value(await home.adopt());
    const environment = value(readEnvironment({ HOME: join(home.root, '..') }));
    const subject = value(
      await openToVerify(value(readRecord(home.root) ?? expect.fail()), { environment, now: Date.now }),
    );
    try {
      const seenFolder = mkdtempSync(join(tmpdir(), 'waymark-'));
      const ofHistory = async () => {
        const { findings } = await verify({ ...subject, seenFolder }, { history: true });
        return findings.filter(({ code, verdict }) => verdict !== undefined && code.startsWith('history_'));
      };
      expect(await ofHistory()).toEqual([]);
      const adopted = git(home.root, 'rev-parse', 'main');
      const path = listed(home.root, 'trails').find((one) => /thoughts\/decisions\/[0-9A-Z]{26}\.md$/.test(one)) ?? '';
      commit(home.root, { [path]: 'x' });
      setBranch(home.root, adopted, [git(home.root, 'rev-parse', 'main')]);
      expect(await ofHistory()).toMatchObject([{ verdict: 'unrecorded_change', path }]);
      rmSync(seenFolder, { recursive: true });
    } finally {
      await subject.close();
    }
  },
);
