import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fenceChildren } from '../../src/store/fence.ts';
import { isRunning, processId } from '../../src/store/process-id.ts';
import type { ChildProcessId } from '../../src/store/version-store.ts';

const GONE: ChildProcessId = { pid: 2_147_483_646, started: 1 };

describe('the fence', () => {
  let dir: string;
  let running: ChildProcess[];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'waymark-fence-'));
    running = [];
  });
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(command: string): Promise<ChildProcessId> {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
    running.push(child);
    await once(child, 'spawn');
    return processId(child.pid ?? 0);
  }

  test('lets a child finish within the grace, and ends one that stays', async () => {
    const quick = await start(`sleep 0.1; echo done > ${join(dir, 'finished')}`);
    const slow = await start('exec sleep 60');
    await fenceChildren([quick, slow], { graceMs: 2_000 });
    expect(existsSync(join(dir, 'finished'))).toBe(true);
    expect([isRunning(quick), isRunning(slow)]).toEqual([false, false]);
  });

  test.skipIf(process.platform !== 'linux')('leaves a process alone that only has the same pid', async () => {
    const child = await start('exec sleep 60');
    await fenceChildren([{ pid: child.pid, started: child.started + 1 }], { graceMs: 20 });
    await fenceChildren([{ pid: child.pid, started: 0 }], { graceMs: 20 });
    expect(isRunning(child)).toBe(true);
    await fenceChildren([child], { graceMs: 20 });
    expect(isRunning(child)).toBe(false);
  });

  test('removes a lock file that stays, not one that is replaced meanwhile, and none when nobody died', async () => {
    const [left, moving] = ['main.lock', 'HEAD.lock'].map((name) => join(dir, name)) as [string, string];
    writeFileSync(left, '');
    writeFileSync(moving, '');
    await fenceChildren([], { lockFiles: [left, moving] });
    expect(existsSync(left)).toBe(true);
    const fenced = fenceChildren([GONE], { lockFiles: [left, moving] });
    const replacing = setInterval(() => writeFileSync(moving, 'x'), 20);
    await fenced;
    clearInterval(replacing);
    expect([existsSync(left), existsSync(moving)]).toEqual([false, true]);
  });
});
