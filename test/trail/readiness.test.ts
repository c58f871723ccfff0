import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { canWriteIn } from '../../src/store/probe.ts';
import { READINESS_REASONS, readiness } from '../../src/trail/readiness.ts';
import { holdLock } from '../support/hold-lock.ts';
import { makeRecord, value } from '../support/record.ts';

test('readiness names each fault by its reason, mends with it, writes nothing and says no path', async () => {
  await using made = await makeRecord();
  const { record, root, env } = made;
  const alice = made.session('alice').operations();
  for (const content of ['First', 'Second']) value(await alice.save({ trail_name: 'acme', content }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y.example', ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...env, PATH: process.env['PATH'] },
    });
  const seen = new Set<string>();
  const expectReason = async (reason: string | undefined) => {
    const found = await readiness(record);
    expect(found.reason).toBe(reason);
    if (reason !== undefined) seen.add(reason);
    expect(JSON.stringify(found)).not.toMatch(/[/\\]|acme|alice|First/);
    return found;
  };
  const whole = { repository: 'ok', index: 'ok', ledger: 'ok', state: 'ok', disk: 'ok', lock: 'ok' };
  const head = git('rev-parse', 'main');
  expect((await expectReason(undefined)).checks).toEqual(whole);
  expect(git('rev-parse', 'main')).toBe(head);
  expect(
    readdirSync(record.seenFolder)
      .concat(readdirSync(join(root, '.waymark')))
      .join(),
  ).not.toContain('probe');

  const config = join(root, 'config.yaml');
  const written = readFileSync(config, 'utf8');
  renameSync(config, `${config}.away`);
  expect((await expectReason('config_missing')).checks).toEqual({ repository: 'config_missing' });
  writeFileSync(config, 'waymark: [1');
  await expectReason('config_malformed');
  await using other = await makeRecord();
  writeFileSync(config, readFileSync(join(other.root, 'config.yaml')));
  await expectReason('config_foreign');
  writeFileSync(config, written);
  renameSync(root, `${root}.away`);
  await expectReason('repository_missing');
  writeFileSync(root, '');
  await expectReason('repository_unreadable');
  rmSync(root);
  renameSync(`${root}.away`, root);
  await expectReason(undefined);

  // What others commit, judged before and after; each is taken back.
  const log =
    record.repository.index
      .reader()
      .writers()
      .find(({ agent_id }) => agent_id === 'alice')?.log ?? '';
  const checkpoint = `ledger/${log}/checkpoint`;
  const note = git('show', `main:${checkpoint}`);
  const commit = (text: string | null) => {
    if (text === null) rmSync(join(root, checkpoint));
    else writeFileSync(join(root, checkpoint), text);
    git('add', '-A', checkpoint);
    git('commit', '-qm', 'By hand');
  };
  commit(null);
  await expectReason('ledger_checkpoint_missing');
  commit(note.replace(/(\u2014 \S+ .{20})..../, '$1AAAA'));
  await expectReason('ledger_checkpoint_invalid');
  commit(git('show', `main~3:${checkpoint}`));
  await expectReason('ledger_root_differs');
  commit(note);
  await expectReason(undefined);
  git('reset', '-q', '--hard', `${head.trim()}~1`);
  await record.repository.settleIndex();
  await expectReason('ledger_cut');
  git('reset', '-q', '--hard', head.trim());
  await record.repository.settleIndex();
  await expectReason(undefined);

  const index = new Database(record.repository.index.file);
  index.exec('BEGIN IMMEDIATE');
  git('commit', '-q', '--allow-empty', '-m', 'Nothing');
  await expectReason('index_behind');
  index.exec('ROLLBACK');
  index.close();
  await expectReason(undefined);

  renameSync(record.seenFolder, `${record.seenFolder}.away`);
  writeFileSync(record.seenFolder, '');
  await expectReason('state_not_writable');
  rmSync(record.seenFolder);
  renameSync(`${record.seenFolder}.away`, record.seenFolder);
  await expectReason(undefined);

  const held = join(root, '.waymark/lock.holder');
  const ended = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim();
  const holder = await holdLock(join(root, '.waymark/lock.sqlite'));
  const noteOf = (pid: number | string, since: number) =>
    writeFileSync(held, `${JSON.stringify({ pid: Number(pid), agent: 'x', since: new Date(since).toISOString() })}\n`);
  await expectReason(undefined);
  noteOf(process.pid, Date.now());
  await expectReason(undefined);
  noteOf(process.pid, Date.now() - 61_000);
  await expectReason('lock_stale');
  noteOf(ended, Date.now());
  await expectReason('lock_stale');
  await holder[Symbol.asyncDispose]();
  await expectReason(undefined);

  const known = Object.values(READINESS_REASONS).flat();
  expect([...seen].filter((reason) => !known.some((one) => one === reason))).toEqual([]);
  await expect(readiness(record, AbortSignal.abort())).rejects.toThrow();
});

test('canWriteIn makes a missing folder, leaves nothing behind, and is false where no folder can be', async () => {
  await using made = await makeRecord();
  const folder = join(made.root, '.waymark/tmp/new');
  expect(await canWriteIn(folder)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  expect(await canWriteIn(join(made.root, 'config.yaml'))).toBe(false);
});
