import { expect, test } from 'vitest';
import { createRunningCalls } from '../../src/mcp/running-calls.ts';

test('settled() waits for a write, gives up on a read, and is true when nothing runs', async () => {
  const calls = createRunningCalls();
  expect(await calls.settled({ readMs: 0, writeMs: 0 })).toBe(true);
  let finish = () => {};
  const write = calls.run(() => new Promise<void>((resolve) => (finish = resolve)), { writes: true });
  expect(await calls.settled({ readMs: 0, writeMs: 0 })).toBe(false);
  const settled = calls.settled({ readMs: 0, writeMs: 60_000 });
  finish();
  expect(await settled).toBe(true);
  await write;
  void calls.run(() => new Promise(() => {}), { writes: false });
  expect(await calls.settled({ readMs: 1, writeMs: 60_000 })).toBe(false);
});

test('run() gives the result or the failure of the work', async () => {
  const calls = createRunningCalls();
  expect(await calls.run(async () => 7, { writes: true })).toBe(7);
  await expect(calls.run(() => Promise.reject(new Error('no')), { writes: true })).rejects.toThrow('no');
  expect(await calls.settled({ readMs: 0, writeMs: 0 })).toBe(true);
});
