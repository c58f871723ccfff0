/** Adoption of a FAVA repository with the quirks of every version, under each version store. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { verify } from '../../src/trail/verify.ts';
import { askPyYaml, hasPyYaml } from '../record/codec/pyyaml.ts';
import { favaHome, filesBelow, gitText, PERSON, recalled, STORES } from '../support/adoption.ts';
import { type FavaThought, favaId } from '../support/fava-repository.ts';
import { inShort } from '../support/long.ts';
import { value } from '../support/record.ts';

/** What the report says of a thought of the fixture. */
function becomesOf({ standing }: FavaThought): string {
  if (standing === 'error') return 'open';
  return standing === 'unreadable' ? 'malformed' : standing;
}

// Under jj: adopt-jj.test.ts.
describe.each(inShort(STORES, 1))('a FAVA repository under %s', { timeout: 120_000 }, (_name, options) => {
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

  test.skipIf(!hasPyYaml)('FAVA reads with PyYAML, by its own rules, what recall answers after work here', async () => {
    using home = favaHome(options);
    value(await home.adopt());
    const recall = await home.use(async ({ session }) => {
      const lead = session(PERSON, { operator: true });
      const [author, operator] = [session('builder-1').operations(), lead.operations()];
      const approve = async (trail_name: string, thought_id: string) =>
        value(await operator.decide({ trail_name, thought_id, verdict: 'approve' }));
      const replaced = { trail_name: 'acme/eng', thought_id: favaId(1), content: 'Anew', reason: 'a---b: measured' };
      const { new_thought } = value(await author.supersede(replaced));
      await approve('acme/eng', new_thought.thought_id);
      // Its original has the early back-link of FAVA 0.6.
      await approve('acme/eng', favaId(3));
      await approve('acme', favaId(24));
      value(await operator.forget({ trail_name: 'acme/ops', thought_id: favaId(43), reason: 'Not ours: #7' }));
      const preference = value(await operator.learnPreference({ trail_name: 'acme', content: 'Plain words' }));
      await approve('acme', preference.thought.thought_id);
      return recalled(lead, {});
    });
    expect(recall).not.toEqual(home.fava.expected.governed);
    expect(favaGoverned(home.root)).toEqual(recall);
    const [config, before] = [
      readFileSync(join(home.root, 'config.yaml'), 'utf8'),
      gitText(home.root, 'log', '--format=%H', '--diff-filter=A', '--', 'config.yaml'),
    ];
    const [now, then] = askPyYaml(
      [config, gitText(home.root, 'show', `${before}:config.yaml`)].map((text) => ({ read: `---\n${text}\n---\n` })),
    );
    expect(now?.value).toMatchObject(z.looseObject({}).parse(then?.value));
  });
});

const favaFields = z.looseObject({
  thought_id: z.string().min(1),
  agent_id: z.string().default('unknown'),
  confidence: z.number().min(0).max(1).default(0.5),
  validation_status: z.enum(['draft', 'proposed', 'approved', 'rejected', 'error', 'tombstoned']).default('draft'),
  created_at: z.string(),
  superseded_by: z.string().optional(),
  superseded_scope: z.string().optional(),
  relationships: z
    .array(z.object({ type: z.string().regex(/^(?:DEPENDS_ON|REVISED_BY|AUTHORED_BY|REFERENCES|SUPERSEDES)$/) }))
    .default([]),
});

/** `<scope>/<id>` of what FAVA 0.7 recalls by default, from the files alone (fava.md 1.2, 3.1). */
function favaGoverned(root: string): readonly string[] {
  const paths = [...filesBelow(join(root, 'trails')).keys()].filter((path) => /\/thoughts\/.+\.md$/.test(path));
  const answers = askPyYaml(paths.map((path) => ({ read: readFileSync(join(root, 'trails', path), 'utf8') })));
  const records = paths.flatMap((path, at) => {
    const [, scope = '', namespace = '', stem = ''] = /^(.+)\/thoughts\/(.+)\/(.+)\.md$/.exec(path) ?? [];
    const fields = favaFields.safeParse(answers[at]?.value);
    const isFound = fields.success && fields.data.thought_id === stem && namespace !== 'notes' && stem.length === 26;
    return isFound ? [{ scope, ...fields.data }] : [];
  });
  const isRetired = ({ superseded_by, superseded_scope }: (typeof records)[number]) => {
    const named = records.filter(
      ({ thought_id, scope }) => thought_id === superseded_by && (superseded_scope ?? scope) === scope,
    );
    return named.length === 1 && named[0]?.validation_status === 'approved';
  };
  return records
    .filter((record) => record.validation_status === 'approved' && !isRetired(record))
    .map(({ scope, thought_id }) => `${scope}/${thought_id}`)
    .sort();
}
