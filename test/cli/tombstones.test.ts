import { expect, test } from 'vitest';
import { makeRecord, value } from '../support/record.ts';
import { parsed } from './support.ts';

const SCOPE = { trail_name: 'acme/api' };

test('a person lists tombstones, renews their key and lifts one; somebody without the operator key does none of it', async () => {
  await using t = await makeRecord();
  const [alice, carol] = [t.session('alice').operations(), t.session('carol', { operator: true }).operations()];
  const at = { cwd: t.root, env: t.env };
  const run = (...args: readonly string[]) => parsed(args, at);
  const { thought_id } = value(await alice.save({ ...SCOPE, content: 'The cache is always warm' })).thought;
  const withdrawal = { ...SCOPE, thought_id, reason: 'It is cold', grounds: 'false' } as const;
  value(await carol.forget(withdrawal));
  const [listed] = value(await carol.tombstones({})).tombstones;
  const id = listed?.tombstone ?? '';
  const shown = await run('tombstones', 'list');
  expect(shown.stdout).toMatch(
    new RegExp(`^${id} {2}acme/api {2}since \\d{4}-\\d\\d-\\d\\d by carol\\n {2}false: It is cold\\n`),
  );
  expect(shown.stdout).not.toMatch(/cache|warm/i);
  expect((await run('tombstones', 'rotate-key', '--reason', 'yearly')).stdout).toContain('under key 2');

  const stranger = { cwd: t.root, env: { ...t.env, XDG_CONFIG_HOME: `${t.root}/../elsewhere` } };
  for (const args of [
    ['tombstones', 'list'],
    ['tombstones', 'rotate-key', '--reason', 'r'],
    ['lift', id, '--reason', 'r'],
  ]) {
    expect((await parsed(args, stranger)).code, args.join(' ')).not.toBe(0);
  }
  expect((await run('lift', 'nothing', '--reason', 'r')).stderr).toContain('waymark tombstones list');
  expect(await alice.save({ ...SCOPE, content: 'The cache is always warm' })).toMatchObject({ ok: false });
  expect((await run('lift', id, '--reason', 'Warm since 2.0')).stdout).toContain('acme/api');
  expect((await run('tombstones', 'list')).stdout).toBe('No tombstone is in force\n');
  expect(await alice.save({ ...SCOPE, content: 'The cache is always warm' })).toMatchObject({ ok: true });
});
