/** Adoption of a FAVA repository with the quirks of every version, under each version store. */
import { describe, expect, test } from 'vitest';
import { verify } from '../../src/trail/verify.ts';
import { favaHome, filesBelow, gitText, PERSON, recalled, STORES } from '../support/adoption.ts';
import type { FavaThought } from '../support/fava-repository.ts';
import { value } from '../support/record.ts';

/** What the report says of a thought of the fixture. */
function becomesOf({ standing }: FavaThought): string {
  if (standing === 'error') return 'open';
  return standing === 'unreadable' ? 'malformed' : standing;
}

describe.each(STORES)('a FAVA repository under %s', { timeout: 120_000 }, (_name, options) => {
  test('recall in each mode answers the sets that FAVA 0.7 makes of it', async () => {
    using home = favaHome(options);
    const { expected, thoughts } = home.fava;
    const report = value(await home.adopt());
    expect(report).toMatchObject({ first: true, dry_run: false, counts: { skipped: 0 } });
    expect(report.counts.governed).toBe(expected.governed.length);
    await home.use(async ({ session }) => {
      const operator = session(PERSON, { operator: true });
      expect(await recalled(operator, {})).toEqual(expected.governed);
      for (const [agent, open] of Object.entries(expected.authoring)) {
        const own = { mode: 'authoring', statuses: ['draft', 'proposed'] };
        expect([agent, await recalled(session(agent), own)]).toEqual([agent, open]);
      }
      const history = { mode: 'history' };
      expect(await recalled(operator, history)).toEqual(expected.history);
      expect(await recalled(operator, { ...history, include_superseded: true })).toEqual(
        expected.historyWithSuperseded,
      );
    });
    expect(thoughts.length).toBeGreaterThanOrEqual(60);
  });

  test('every thought is reported as what it became, and a dry run said the same and wrote nothing', async () => {
    using home = favaHome(options);
    const untouched = filesBelow(home.home, { all: true });
    const dry = value(await home.adopt({ dryRun: true }));
    expect(filesBelow(home.home, { all: true })).toEqual(untouched);
    const real = value(await home.adopt());
    expect(real.records).toEqual(dry.records);
    expect(real).toEqual({ ...dry, dry_run: false, undo: expect.any(String) });
    const wanted = home.fava.thoughts.map((thought) => [thought.path, becomesOf(thought)]).sort();
    expect(real.records.map(({ path, becomes }) => [path, becomes])).toEqual(wanted);
    expect(real.settings).toEqual(home.fava.settings);
  });

  test('only settings, keys and the ledger change, and each thought has one event of the operator', async () => {
    using home = favaHome(options);
    const before = filesBelow(home.root);
    const report = value(await home.adopt());
    const after = filesBelow(home.root);
    const changed = [...after.keys()].filter((path) => after.get(path) !== before.get(path));
    expect([...before.keys()].filter((path) => !after.has(path))).toEqual([]);
    expect(changed.filter((path) => !path.startsWith('ledger/'))).toEqual([
      '.gitattributes',
      'config.yaml',
      'keys.yaml',
    ]);
    expect(after.get('config.yaml')?.startsWith(before.get('config.yaml') ?? '?')).toBe(true);
    await home.use(async ({ record }) => {
      const index = record.repository.index.reader();
      for (const { path, standing, id, author } of home.fava.thoughts) {
        if (standing === 'unreadable') continue;
        const last = index.lastEventOfPath(path);
        expect(last?.event.envelope._local).toMatchObject({ verb: 'adopt', role: 'operator', thought_id: id, author });
        expect(last?.change.before).toBe(last?.change.after);
      }
      const { findings } = await verify(record);
      expect(new Set(findings.map(({ path }) => path))).toEqual(
        new Set(report.records.filter(({ becomes }) => becomes === 'malformed').map(({ path }) => path)),
      );
    });
    expect(gitText(home.root, 'status', '--porcelain')).toBe('');
  });
});
