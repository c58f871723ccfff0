/** git's own index, brought up after a publication. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeHome } from '../crash/home.ts';
import { value } from '../support/record.ts';

test("git's index follows without another save once whoever held it lets go, and that it waited is said once", async () => {
  await using home = await makeHome();
  await using opened = await home.open();
  const lock = join(home.root, '.git', 'index.lock');
  writeFileSync(lock, '');
  value(await opened.as('alice').save({ trail_name: 'acme/eng', content: 'One' }));
  while (opened.warnings.length === 0) await delay(20);
  expect(await home.git('status', '--porcelain')).not.toBe('');
  rmSync(lock);
  await home.untilClean();
  expect(opened.warnings).toEqual(["git's own index is behind the branch: another program holds index.lock"]);
});
