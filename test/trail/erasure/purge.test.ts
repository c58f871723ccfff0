/** An erased text leaves history too: no object holds it, everything verifies, and the record works on (cases.md B49). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../../src/config/index.ts';
import { seenHistory } from '../../../src/ledger/index.ts';
import type { Outcome } from '../../../src/record/outcome.ts';
import { type PurgeResult, purgeHistory } from '../../../src/trail/erasure/purge.ts';
import { readRecord } from '../../../src/trail/locate.ts';
import { type OpenRecord, openRecord } from '../../../src/trail/open.ts';
import { Session } from '../../../src/trail/session.ts';
import { verify } from '../../../src/trail/verify.ts';
import { HAS_NO_JJ, jj, jjFaults, pathWithJj } from '../../support/jj.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { makeAuditor } from '../../tools/support.ts';

const trail_name = 'acme/eng';
const SECRET = 'Kumquat vinegar is what the reactor drinks';
const EARLIER = 'Medlar syrup is what the reactor drinks';

interface Closed {
  readonly t: TestRecord;
  readonly id: string;
  readonly purge: () => Promise<Outcome<PurgeResult>>;
  readonly use: <T>(work: (record: OpenRecord, carol: Session) => Promise<T>) => Promise<T>;
}

function git(root: string, ...args: readonly string[]): string {
  const person = ['-c', 'user.name=p', '-c', 'user.email=p@example.org', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...person, ...args], { cwd: root, stdio: 'pipe', maxBuffer: 2 ** 28 })
    .toString()
    .trim();
}

function holds(root: string, text: string): boolean {
  const objects = execFileSync('git', ['cat-file', '--batch', '--batch-all-objects'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  return objects.includes(text);
}

/** A thought of two versions, approved (and so moved), erased; another one beside it. The record is closed then. */
async function erased(t: TestRecord): Promise<Closed> {
  const [alice, carol] = [t.session('alice'), t.session('carol', { operator: true })];
  const [agent, operator] = [alice.operations(), carol.operations()];
  const id = value(await agent.save({ trail_name, content: EARLIER })).thought.thought_id;
  value(await agent.update({ trail_name, thought_id: id, content: SECRET }));
  value(await operator.decide({ trail_name, thought_id: id, verdict: 'approve' }));
  const other = value(await agent.save({ trail_name, content: 'Sibling stays' })).thought.thought_id;
  value(await operator.decide({ trail_name, thought_id: other, verdict: 'approve' }));
  expect((await verify(t.record, { history: true })).findings).toEqual([]);
  value(await operator.erase({ trail_name, thought_id: id, reason: 'Its subject asked for it' }));
  await alice.close();
  await carol.close();
  await t.record.repository.close();
  const located = value(readRecord(t.root) ?? expect.fail('No record'));
  const environment = value(readEnvironment(t.env));
  const open = { environment, env: t.env, producer: 'waymark/test', warn: () => undefined };
  const session = (record: OpenRecord) =>
    new Session(record, { via: 'library', agentId: 'carol', wantsOperator: true, env: {} });
  return {
    t,
    id,
    purge: () => purgeHistory({ located, open, thought_id: id, session, report: () => undefined }),
    async use(work) {
      const record = value(await openRecord(located, open));
      const operator = session(record);
      try {
        return await work(record, operator);
      } finally {
        await operator.close();
        await record.repository.close();
      }
    },
  };
}

async function expectSound({ t, use }: Closed): Promise<void> {
  await use(async (record, carol) => {
    expect((await verify(record, { history: true })).findings).toEqual([]);
    rmSync(join(record.seenFolder, 'history'), { force: true });
    expect((await verify(record, { history: true })).findings).toEqual([]);
    const seen = value(await carol.operations().recall({ trail_name, query: '' })).thoughts;
    expect(seen.map(({ content_preview }) => content_preview)).toEqual(['Sibling stays']);
    value(await carol.operations().save({ trail_name, content: `Works on ${Date.now()}` }));
  });
  using auditor = makeAuditor();
  expect((await auditor.verifyOnThread([auditor.clone(t.root)])).findings).toEqual([]);
}

test('a purge leaves the text in no object, branch, tag, stash, reflog or tracking ref, and names who still has it', async () => {
  await using t = await makeRecord();
  const closed = await erased(t);
  const { root } = t;
  const remote = join(dirname(root), 'remote.git');
  git(dirname(root), 'init', '--quiet', '--bare', remote);
  git(root, 'remote', 'add', 'origin', remote);
  git(root, 'push', '--quiet', 'origin', 'main');
  git(root, 'tag', '-a', 'v1', '-m', 'A release', 'main~3');
  git(root, 'branch', 'older', 'main~2');
  writeFileSync(join(root, 'note.txt'), 'A person works on this');
  git(root, 'add', 'note.txt');
  git(root, 'stash', '--quiet');
  for (const text of [SECRET, EARLIER]) expect(holds(root, text)).toBe(true);
  const before = git(root, 'rev-parse', 'main');

  const result = value(await closed.purge());
  expect(result).toMatchObject({ status: 'ok', heads: { old_head: before }, left: [], unsigned: 0 });
  expect([...result.refs.moved].sort()).toEqual(['refs/heads/main', 'refs/heads/older', 'refs/tags/v1']);
  expect(result.refs.dropped).toEqual(['refs/remotes/origin/main']);
  expect(result.notes.join()).toContain('git push --force origin main');
  for (const text of [SECRET, EARLIER]) expect(holds(root, text)).toBe(false);
  expect(holds(root, 'Sibling stays')).toBe(true);
  expect(git(root, 'cat-file', '-e', `${result.heads?.new_head}^{commit}`)).toBe('');
  expect(git(root, 'show', 'stash@{0}:note.txt')).toBe('A person works on this');
  expect(git(root, 'tag', '-l', '--format=%(contents:subject)', 'v1')).toBe('A release');
  expect(git(root, 'status', '--porcelain')).toBe('');
  git(root, 'fsck', '--strict');
  await closed.use(async (record) => {
    const [event] = record.repository.index.reader().validEventsOf('purge');
    expect(event?.envelope._local).toMatchObject({ role: 'operator', thought_id: closed.id, purge: result.heads });
  });
  await expectSound(closed);
  // Again there is nothing to do, and nothing happens.
  const again = git(root, 'rev-parse', 'main');
  expect(value(await closed.purge())).toMatchObject({ status: 'ok', heads: null, rewritten: 0, left: [] });
  expect(git(root, 'rev-parse', 'main')).toBe(again);
});

test('a purge that was cut off after the swap goes on; the event is signed once', async () => {
  await using t = await makeRecord();
  const closed = await erased(t);
  const old_head = git(t.root, 'rev-parse', 'main');
  const copy = join(dirname(t.root), 'copy');
  git(dirname(t.root), 'clone', '--quiet', t.root, copy);
  value(await closed.purge());
  const new_head = git(t.root, 'rev-parse', 'main~1');
  // As a run leaves it that was killed before it signed: no event on top, and its note.
  git(t.root, 'update-ref', 'refs/heads/main', new_head);
  git(t.root, 'reset', '--quiet', '--hard', 'main');
  rmSync(join(t.record.seenFolder), { recursive: true });
  writeFileSync(join(t.root, '.waymark', 'purge'), JSON.stringify({ old_head, new_head }));
  git(t.root, 'fetch', '--quiet', copy, 'main:refs/remotes/origin/main');
  const gone = { moved: [], dropped: ['refs/remotes/origin/main'] };
  expect(value(await closed.purge())).toMatchObject({ status: 'ok', heads: { old_head, new_head }, refs: gone });
  expect(holds(t.root, SECRET)).toBe(false);
  expect(value(await closed.purge())).toMatchObject({ heads: null });
  await closed.use(async (record) => {
    expect(record.repository.index.reader().validEventsOf('purge')).toHaveLength(1);
  });
});

test('another machine is told of a history made anew: sound where it can tell, else not judged', async () => {
  await using t = await makeRecord();
  const closed = await erased(t);
  const seen = seenHistory(t.record.seenFolder);
  const copy = join(dirname(t.root), 'copy');
  git(dirname(t.root), 'clone', '--quiet', t.root, copy);
  value(await closed.purge());
  const remember = (commit: string | null) => {
    mkdirSync(t.record.seenFolder, { recursive: true });
    writeFileSync(join(t.record.seenFolder, 'history'), `${commit}\n`);
  };
  // Here the old commits are gone, so nobody can say that the remembered one was among them.
  remember(seen);
  await closed.use(async (record) => {
    const { verdicts, findings } = await verify(record, { history: true });
    expect({ verdicts, codes: findings.map(({ code }) => code) }).toEqual({
      verdicts: ['cannot_tell'],
      codes: ['history_purged'],
    });
  });
  // A clone that has both can.
  git(t.root, 'fetch', '--quiet', copy, 'main:refs/heads/as-it-was');
  remember(seen);
  await closed.use(async (record) => expect((await verify(record, { history: true })).findings).toEqual([]));
});

test('what cannot be made anew as a whole is refused, and nothing changes', async () => {
  await using t = await makeRecord();
  const closed = await erased(t);
  const head = git(t.root, 'rev-parse', 'main');
  git(t.root, 'worktree', 'add', '--quiet', '--detach', join(dirname(t.root), 'beside'));
  expect(await closed.purge()).toMatchObject({
    ok: false,
    code: 'repository',
    message: expect.stringContaining('working trees'),
  });
  expect(git(t.root, 'rev-parse', 'main')).toBe(head);
  git(t.root, 'worktree', 'remove', join(dirname(t.root), 'beside'));
  expect(await closed.purge()).toMatchObject({ ok: true });
});

test.skipIf(HAS_NO_JJ)(
  'under jj a purge also ends operations and kept commits, and refuses changes on no bookmark',
  async () => {
    await using t = await makeRecord({ variables: { PATH: pathWithJj() } });
    expect(t.record.repository.store.kind).toBe('jujutsu');
    const closed = await erased(t);
    writeFileSync(join(t.root, 'note.txt'), 'A person works on this');
    jj(t.root, 'describe', '-m', 'Mine');
    expect(await closed.purge()).toMatchObject({
      ok: false,
      code: 'uncommitted_edit',
      next: expect.stringContaining('jj new main'),
    });
    expect(holds(t.root, SECRET)).toBe(true);
    jj(t.root, 'abandon', '@');
    const result = value(await closed.purge());
    expect(result).toMatchObject({ status: 'ok', left: [] });
    for (const text of [SECRET, EARLIER]) expect(holds(t.root, text)).toBe(false);
    expect(jjFaults(t.root)).toEqual([]);
    await expectSound(closed);
    expect(jjFaults(t.root)).toEqual([]);
  },
);
