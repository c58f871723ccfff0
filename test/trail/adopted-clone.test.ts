/** A clone of an adopted record on another machine: what adoption kept private to one clone must be private there too. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adoptionHome, favaHome, gitText, STORES } from '../support/adoption.ts';
import { favaCommit } from '../support/fava-repository.ts';
import { jj, jjFaults, pathWithJj } from '../support/jj.ts';
import { value } from '../support/record.ts';

describe.each(STORES)('a clone of an adopted FAVA repository under %s', { timeout: 120_000 }, (name, options) => {
  test('takes saves, and no tool of a person or FAVA sees the private folder', async () => {
    using home = favaHome(options);
    value(await home.adopt());
    const clone = (root: string) =>
      name === 'jj'
        ? void jj(home.root, 'git', 'clone', '--colocate', home.root, root)
        : void execFileSync('git', ['clone', '-q', home.root, root], { cwd: dirname(root), stdio: 'pipe' });
    using elsewhere = adoptionHome(clone, name === 'jj' ? { PATH: pathWithJj() } : {});
    await elsewhere.use(async ({ session }) => {
      const saved = value(await session('builder-9').operations().save({ trail_name: 'acme', content: 'Cloned' }));
      expect(saved.thought.agent_id).toBe('builder-9');
      const { message } = value(await session('builder-9').operations().sync({ trail_name: 'acme' }));
      expect(message).toContain(name === 'jj' ? '"jj git push"' : '"git pull"');
    });
    expect(gitText(elsewhere.root, 'status', '--porcelain')).toBe('');
    // The star says that the bookmark is ahead of the repository that was cloned.
    if (name === 'jj') expect(jjFaults(elsewhere.root)).toEqual(['below: main*']);
    // What FAVA commits is everything that nothing excludes.
    favaCommit(elsewhere.root, { 'README.md': '# Cloned\n' }, options.jj);
    expect(gitText(elsewhere.root, 'ls-tree', '--name-only', 'main')).not.toContain('.waymark');
    expect(gitText(elsewhere.root, 'show', 'main:README.md')).toBe('# Cloned');
  });
});
