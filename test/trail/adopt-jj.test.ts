/** What only a colocated jj repository has: bookmarks that lag, FAVA's lock and its journal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { favaHome, filesBelow, PERSON, recalled } from '../support/adoption.ts';
import { favaId, favaThought } from '../support/fava-repository.ts';
import { HAS_NO_JJ, JJ_FOLDER, jj, jjFaults } from '../support/jj.ts';
import { inShort } from '../support/long.ts';
import { value } from '../support/record.ts';

const PROGRAM = join(JJ_FOLDER ?? '', 'jj');
const JOURNAL = join('.jj', 'fava-governance-transaction.json');

describe.skipIf(HAS_NO_JJ)('a colocated FAVA repository', { timeout: 120_000 }, () => {
  test.each(['absent', 'behind'] as const)(
    'with its bookmark %s is adopted whole, and jj is left clean',
    async (bookmark) => {
      using home = favaHome({ jj: PROGRAM, bookmark });
      value(await home.adopt());
      expect(jjFaults(home.root)).toEqual([]);
      // What FAVA commits under push_strategy manual is not on the bookmark; the next adoption brings it there.
      const path = `trails/acme/thoughts/decisions/${favaId(200)}.md`;
      writeFileSync(join(home.root, path), favaThought({ id: favaId(200), status: 'approved' }));
      jj(home.root, 'commit', '-m', 'Save thought');
      expect(value(await home.adopt({ dryRun: true })).counts.governed).toBe(1);
      expect(value(await home.adopt()).counts.governed).toBe(1);
      expect(jjFaults(home.root)).toEqual([]);
      await home.use(async ({ session }) => {
        expect(await recalled(session(PERSON), {})).toEqual(
          [...home.fava.expected.governed, `acme/${favaId(200)}`].sort(),
        );
      });
    },
  );

  test('on another line than its bookmark is refused with the command back', async () => {
    using home = favaHome({ jj: PROGRAM });
    jj(home.root, 'new', 'main');
    writeFileSync(join(home.root, 'README.md'), 'On the bookmark\n');
    jj(home.root, 'commit', '-m', 'Other line');
    jj(home.root, 'bookmark', 'set', 'main', '-r', '@-');
    jj(home.root, 'new', 'main-');
    writeFileSync(join(home.root, 'README.md'), 'Beside it\n');
    jj(home.root, 'commit', '-m', 'This line');
    expect(await home.adopt()).toMatchObject({
      ok: false,
      code: 'wrong_branch',
      next: expect.stringContaining('jj new main'),
    });
  });

  test('whose lock FAVA holds is refused as busy', async () => {
    using home = favaHome({ jj: PROGRAM });
    const file = join(home.root, '.jj', 'fava-governance.lock');
    const fava = spawn('flock', ['-x', file, 'sh', '-c', 'echo; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void fava.kill());
    await once(fava.stdout, 'data');
    for (const dryRun of [true, false]) {
      expect(await home.adopt({ dryRun })).toMatchObject({ ok: false, code: 'busy', details: { fault: 'fava_lock' } });
    }
    fava.stdin.end();
    await once(fava, 'close');
    expect((await home.adopt()).ok).toBe(true);
  });

  test.each(inShort(['uncommitted', 'committed'], 1))(
    'with the journal of a change that is %s is put back to before it',
    async (state) => {
      using home = favaHome({ jj: PROGRAM });
      const drafted = `trails/acme/thoughts/drafts/${favaId(23)}.md`;
      const approved = `trails/acme/thoughts/decisions/${favaId(23)}.md`;
      const image = readFileSync(join(home.root, drafted), 'utf8');
      writeFileSync(join(home.root, JOURNAL), JSON.stringify({ before: { [drafted]: image, [approved]: null } }));
      writeFileSync(join(home.root, approved), favaThought({ id: favaId(23), status: 'approved' }));
      writeFileSync(join(home.root, drafted), `${image}, half`);
      if (state === 'committed') jj(home.root, 'commit', '-m', 'Review');
      const dry = value(await home.adopt({ dryRun: true }));
      expect(dry.recovered).toEqual([drafted, approved]);
      expect(existsSync(join(home.root, JOURNAL))).toBe(true);
      expect(value(await home.adopt())).toEqual({ ...dry, dry_run: false, undo: expect.any(String) });
      expect(existsSync(join(home.root, JOURNAL))).toBe(false);
      expect(readFileSync(join(home.root, drafted), 'utf8')).toBe(image);
      expect(existsSync(join(home.root, approved))).toBe(false);
      expect(jjFaults(home.root)).toEqual([]);
      await home.use(async ({ session }) => {
        expect(await recalled(session(PERSON), {})).toEqual(home.fava.expected.governed);
      });
    },
  );

  test('with a journal that cannot be used is refused, and nothing is written', async () => {
    using home = favaHome({ jj: PROGRAM });
    writeFileSync(join(home.root, JOURNAL), '{"before": {"../secret": "x"}}');
    const before = filesBelow(home.root);
    expect(await home.adopt()).toMatchObject({ ok: false, code: 'repository', details: { fault: 'fava_journal' } });
    expect(filesBelow(home.root)).toEqual(before);
  });
});
