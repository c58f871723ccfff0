import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, LockFileError, openLock } from '../../src/store/lock.ts';

const WRITER = resolve(import.meta.dirname, '../../.tools/test/children/git-writer.js');

describe('the writer lock', () => {
  let root: string;
  let file: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'waymark-lock-'));
    mkdirSync(join(root, '.waymark'));
    file = join(root, '.waymark', 'lock.sqlite');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('admits one at a time and tells the others who holds it', async () => {
    const first = await acquireLock({ file, holder: 'agent-1' });
    if (!first.ok) throw new Error('not acquired');
    const second = await acquireLock({ file, holder: 'agent-2', timeoutMs: 20 });
    expect(second.ok).toBe(false);
    const holder: unknown = JSON.parse((!second.ok && second.holder) || '');
    expect(holder).toMatchObject({ pid: process.pid, agent: 'agent-1', since: expect.stringMatching(/^\d{4}-/) });
    first.lock.release();
    const third = await acquireLock({ file, holder: 'agent-2', timeoutMs: 20 });
    expect(third.ok).toBe(true);
    if (third.ok) third.lock.release();
  });

  test('waits for the holder and then succeeds, also within one connection', async () => {
    const lockFile = openLock(file);
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      const acquired = await lockFile.acquire({ holder: name });
      if (!acquired.ok) throw new Error('not acquired');
      order.push(`${name} in`);
      await new Promise((done) => setImmediate(done));
      order.push(`${name} out`);
      acquired.lock.release();
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(work));
    for (let at = 0; at < order.length; at += 2) expect(order[at + 1]).toBe(order[at]?.replace('in', 'out'));
    expect(order).toHaveLength(8);
    lockFile.close();
  });

  test('is given back when the note about its holder cannot be removed', async () => {
    mkdirSync(join(root, '.waymark', 'lock.holder'));
    const first = await acquireLock({ file, holder: 'agent-1' });
    const second = await acquireLock({ file, holder: 'agent-2', timeoutMs: 0 });
    expect([first.ok, second.ok]).toEqual([true, false]);
    const lockFile = openLock(file);
    if (first.ok) first.lock.release();
    const third = await lockFile.acquire({ holder: 'agent-2', timeoutMs: 0 });
    if (third.ok) third.lock.release();
    const fourth = await lockFile.acquire({ holder: 'agent-2', timeoutMs: 0 });
    expect([third.ok, fourth.ok]).toEqual([true, true]);
    lockFile.close();
  });

  test('is free at once when its holder is killed, and the file stays', async () => {
    const child = spawn(process.execPath, [WRITER, root, 'lock'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const busy = await acquireLock({ file, holder: 'agent-2', timeoutMs: 0 });
    expect(busy.ok ? '' : busy.holder).toContain('doomed');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const free = await acquireLock({ file, holder: 'agent-2', timeoutMs: 0 });
    expect(free.ok).toBe(true);
    if (free.ok) free.lock.release();
    expect(existsSync(file)).toBe(true);
    expect(existsSync(join(root, '.waymark/lock.holder'))).toBe(false);
  });

  test('a late release does not let go of the next holder', async () => {
    const lockFile = openLock(file);
    const first = await lockFile.acquire({ holder: 'a' });
    if (!first.ok) throw new Error('not acquired');
    first.lock.release();
    const second = await lockFile.acquire({ holder: 'b' });
    first.lock.release();
    expect((await lockFile.acquire({ holder: 'c', timeoutMs: 0 })).ok).toBe(false);
    if (second.ok) second.lock.release();
    expect((await lockFile.acquire({ holder: 'c', timeoutMs: 0 })).ok).toBe(true);
    lockFile.close();
  });

  test('a wait ends with its signal', async () => {
    const held = await acquireLock({ file, holder: 'a' });
    const waiting = acquireLock({ file, holder: 'b', signal: AbortSignal.timeout(20) });
    await expect(waiting).rejects.toThrow();
    if (held.ok) held.lock.release();
    expect((await acquireLock({ file, holder: 'b', timeoutMs: 0 })).ok).toBe(true);
  });

  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'a file of something else',
      (path: string) => writeFileSync(path, 'not a database, but long enough to look at'.repeat(50)),
    ],
  ])('%s in its place is named with what to do', async (_, place) => {
    place(file);
    await expect(acquireLock({ file, holder: 'a' })).rejects.toThrow(LockFileError);
    const refused = await acquireLock({ file, holder: 'a' }).catch((error: unknown) => String(error));
    expect(refused).toMatch(/lock\.sqlite".*Move what is at that path aside/);
    // An agent reads it: where the record lies is the machine's.
    expect(refused).not.toContain(dirname(dirname(file)));
    rmSync(file, { recursive: true });
    expect((await acquireLock({ file, holder: 'a' })).ok).toBe(true);
  });
});
