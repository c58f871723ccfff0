import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trustedHooks } from '../../src/trail/machine-settings.ts';
import { editFile } from '../support/accept.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { json, waymark } from './support.ts';

const FILE = 'trails/acme/.fava-trails.yaml';

function at(t: TestRecord, folder = '.') {
  return { cwd: join(t.root, folder), env: { ...t.env, WAYMARK_AGENT_ID: 'carol' } };
}

test('accept shows what changes, from the record or the folder of the file, and says when there is nothing', async () => {
  await using t = await makeRecord();
  editFile(t.root, FILE, 'name: acme\nstale_draft_days: 1\n');
  const first = await waymark(['accept', FILE], at(t));
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toBe(`In force now: ${FILE}\n  + name: acme\n  + stale_draft_days: 1\n`);
  editFile(t.root, FILE, 'name: acme\nseparation: required\n');
  const fromFolder = await waymark(['accept', '.fava-trails.yaml'], at(t, 'trails/acme'));
  expect(fromFolder.stdout).toBe(
    `In force now: ${FILE}\n    name: acme\n  - stale_draft_days: 1\n  + separation: required\n`,
  );
  const nothing = await waymark(['accept', FILE], at(t, 'trails/acme'));
  expect(nothing).toMatchObject({ code: 0, stdout: `Nothing to accept: ${FILE} is in force\n` });
  editFile(t.root, FILE, null);
  const removed = json(await waymark(['accept', FILE, '--json'], at(t)));
  expect(removed).toEqual({
    status: 'ok',
    files: [{ path: FILE, changed: true, diff: ['- name: acme', '- separation: required'] }],
  });
});

test('accept refuses what is not governed, and status names what waits', async () => {
  await using t = await makeRecord();
  mkdirSync(join(t.root, 'docs'));
  const other = await waymark(['accept', 'README.md'], at(t, 'docs'));
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toContain('trust-gate-prompt.md');
  editFile(t.root, 'trails/trust-gate-prompt.md', 'Evil \u001b[2J words\n');
  const named = await waymark(['status'], at(t));
  expect(named.stdout).toMatch(/Settings, 1\n {2}trails\/trust-gate-prompt\.md +edited /);
  const shown = await waymark(['accept', 'trails/trust-gate-prompt.md'], at(t));
  expect(shown.code).toBe(0);
  expect(shown.stdout).not.toContain('\u001b');
  expect((await waymark(['status'], at(t))).stdout).not.toContain('Settings,');
});

test('accept of a hook trusts its digest on this machine, also where another machine accepted it', async () => {
  await using t = await makeRecord();
  editFile(t.root, 'hooks/a.py', 'print(1)\n');
  expect((await waymark(['accept', 'hooks/a.py'], at(t))).code).toBe(0);
  const [digest] = trustedHooks(t.record.environment);
  const file = join(t.record.environment.configDir, 'trusted-hooks');
  expect(readFileSync(file, 'utf8').trim()).toBe(digest);
  editFile(t.record.environment.configDir, 'trusted-hooks', '# by hand, without a line end');
  expect((await waymark(['accept', 'hooks/a.py'], at(t))).stdout).toContain('Nothing to accept');
  expect([...trustedHooks(t.record.environment)]).toEqual([digest]);
});
