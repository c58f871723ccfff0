/** A repository with blobs of 1 GiB where thoughts and settings go, to be adopted: named, and not held in memory. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { status } from '../../src/trail/status.ts';
import { adoptionHome, PERSON, recalled } from '../support/adoption.ts';
import { favaId, favaThought } from '../support/fava-repository.ts';
import { value } from '../support/record.ts';

const GIB = 1024 * 1024 * 1024;
const GOOD = `trails/acme/eng/thoughts/decisions/${favaId(1)}.md`;
const HUGE = `trails/acme/eng/thoughts/decisions/${favaId(2)}.md`;
const SETTINGS = 'trails/acme/eng/.fava-trails.yaml';
/** Of Node, above what it has before; one of the blobs alone is four times as much. */
const MOST_MIB = 256;

test('blobs of 1 GiB are named and hide nothing', { timeout: 300_000 }, async () => {
  using home = adoptionHome((root) => {
    mkdirSync(dirname(join(root, GOOD)), { recursive: true });
    writeFileSync(join(root, 'config.yaml'), 'trails_dir: trails\nremote_url: null\npush_strategy: manual\n');
    writeFileSync(join(root, GOOD), favaThought({ id: favaId(1), status: 'approved' }));
    for (const path of [HUGE, SETTINGS]) {
      const file = openSync(join(root, path), 'w');
      ftruncateSync(file, GIB);
      closeSync(file);
    }
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    git('-c', 'core.compression=1', 'add', '-A');
    git('-c', 'user.name=Person', '-c', 'user.email=person@example.org', 'commit', '-q', '-m', 'Prepared');
  });
  const before = process.memoryUsage().rss;
  const report = value(await home.adopt());
  expect(report.records.find(({ path }) => path === HUGE)).toMatchObject({
    becomes: 'malformed',
    why: expect.stringMatching(/^too_large:/),
  });
  expect(report.settings).not.toContain(SETTINGS);
  await home.use(async ({ session, record }) => {
    expect(await recalled(session(PERSON), {})).toEqual([`acme/eng/${favaId(1)}`]);
    const { settings } = await status(record, { agent_id: PERSON, role: 'operator', via: 'library' });
    expect(settings).toMatchObject([{ state: 'unsigned', path: SETTINGS }]);
  });
  const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20);
  console.log(`figure: memory that two blobs of 1 GiB take: ${grown} MiB`);
  expect(grown).toBeLessThan(MOST_MIB);
});
