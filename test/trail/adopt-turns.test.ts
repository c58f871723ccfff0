/** FAVA and Waymark take turns on one repository, and adopted thoughts are worked on like any others. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/record/outcome.ts';
import { proposal } from '../../src/trail/proposal.ts';
import { queue } from '../../src/trail/queue.ts';
import { status } from '../../src/trail/status.ts';
import { verify } from '../../src/trail/verify.ts';
import {
  type FavaHome,
  favaHome,
  filesBelow,
  gitText,
  type OpenedRecord,
  PERSON,
  recalled,
  STORES,
} from '../support/adoption.ts';
import { favaCommit, favaId, favaThought } from '../support/fava-repository.ts';
import { jjFaults, pathWithJj } from '../support/jj.ts';
import { IS_LONG } from '../support/long.ts';
import { value } from '../support/record.ts';

const ENG = 'acme/eng';

function pathOf(home: FavaHome, n: number): string {
  const found = home.fava.thoughts.find(({ id, standing }) => id === favaId(n) && standing !== 'unreadable');
  if (found === undefined) throw new Error(`No thought ${n}`);
  return found.path;
}

async function unverified({ record, session }: OpenedRecord): Promise<readonly string[]> {
  const { principal } = await session(PERSON, { operator: true }).identity();
  return (await status(record, principal)).unverified.map(({ path, reason }) => `${reason} ${path}`);
}

function code(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'ok' : outcome.code;
}

// Adoption itself is tested under both in every run: adopt-jj.test.ts.
describe.each(IS_LONG ? STORES : STORES.slice(0, 1))(
  'adopted thoughts under %s',
  { timeout: 120_000 },
  (_name, options) => {
    test('what FAVA writes is unverified until it is adopted, and what became of it is said', async () => {
      using home = favaHome(options);
      value(await home.adopt());
      const [fresh, edited, moved] = [favaId(200), pathOf(home, 23), pathOf(home, 24)];
      const freshPath = `trails/${ENG}/thoughts/drafts/${fresh}.md`;
      const target = moved.replace('/drafts/', '/decisions/');
      favaCommit(
        home.root,
        {
          [freshPath]: favaThought({ id: fresh, status: 'draft', body: 'Fresh from FAVA' }),
          [edited]: favaThought({ id: favaId(23), status: 'rejected' }),
          [moved]: null,
          [target]: favaThought({ id: favaId(24), status: 'approved' }),
          [pathOf(home, 57)]: favaThought({ id: favaId(57), status: 'approved' }),
        },
        options.jj,
      );
      const before = [
        `changed_since_event ${edited}`,
        `changed_since_event ${pathOf(home, 57)}`,
        `no_event ${freshPath}`,
        `no_event ${target}`,
      ].sort();
      await home.use(async (opened) => {
        expect([...(await unverified(opened))].sort()).toEqual(before);
        expect(await recalled(opened.session('builder-1'), { mode: 'authoring', query: 'fresh from' })).toEqual([]);
        expect(await recalled(opened.session(PERSON), {})).not.toContain(`acme/${favaId(24)}`);
      });
      const dry = value(await home.adopt({ dryRun: true }));
      const report = value(await home.adopt());
      expect(report).toEqual({ ...dry, dry_run: false, undo: expect.any(String) });
      expect(report.records.filter(({ change }) => change !== undefined)).toEqual(
        [
          { path: freshPath, becomes: 'open', change: 'new', status: 'draft', thought_id: fresh, why: 'draft' },
          {
            path: edited,
            becomes: 'rejected',
            change: 'edited',
            status: 'rejected',
            status_before: 'draft',
            thought_id: favaId(23),
            why: 'rejected',
          },
          {
            path: target,
            becomes: 'governed',
            change: 'new',
            status: 'approved',
            thought_id: favaId(24),
            why: 'approved',
          },
          {
            path: pathOf(home, 57),
            becomes: 'governed',
            change: 'line_ends',
            status: 'approved',
            thought_id: favaId(57),
            why: 'approved',
          },
        ].sort((a, b) => (a.path < b.path ? -1 : 1)),
      );
      await home.use(async (opened) => {
        expect(await unverified(opened)).toEqual([]);
        expect(await recalled(opened.session('builder-1'), { mode: 'authoring', query: 'fresh from' })).toEqual([
          `${ENG}/${fresh}`,
        ]);
        expect(await recalled(opened.session(PERSON), {})).toContain(`acme/${favaId(24)}`);
        // The move is signed too: nothing is missing.
        const findings = (await verify(opened.record)).findings.map(({ code }) => code);
        expect(findings).not.toContain('missing_file');
        expect(findings.some((found) => found.startsWith('unverified_'))).toBe(false);
      });
      // Nothing is left to do, and nothing is done.
      const head = gitText(home.root, 'rev-parse', 'main');
      expect(value(await home.adopt()).records.filter(({ change }) => change !== undefined)).toEqual([]);
      expect(gitText(home.root, 'rev-parse', 'main')).toBe(head);
    });

    test('an author goes on with an adopted draft, another agent does not', async () => {
      using home = favaHome(options);
      value(await home.adopt());
      await home.use(async ({ session }) => {
        const author = session('builder-1').operations();
        const other = session('builder-2').operations();
        const target = { trail_name: 'acme', thought_id: favaId(23) };
        expect(code(await other.update({ ...target, content: 'Mine now' }))).toBe('not_found');
        expect(code(await author.update({ ...target, content: 'Said better' }))).toBe('ok');
        expect(code(await author.propose(target))).toBe('ok');
        const operator = session(PERSON, { operator: true }).operations();
        const decided = value(await operator.decide({ ...target, verdict: 'approve' }));
        expect(decided.thought.metadata?.extra?.['approval']).toMatchObject({ actor: `human:${PERSON}` });
        // Adopting is not writing: the operator decides about somebody else's text.
        expect(decided.thought.metadata?.extra?.['approval']).not.toHaveProperty('self');
        expect(await recalled(session('builder-2'), { query: 'said better' })).toEqual([`acme/${favaId(23)}`]);
      });
    });

    test('a replacement that FAVA 0.6 wrote retires its original when it is approved, whoever touches it later', async () => {
      using home = favaHome(options);
      value(await home.adopt());
      const [original, successor] = [favaId(2), favaId(3)];
      await home.use(async ({ record, session }) => {
        const operator = session(PERSON, { operator: true });
        const target = { trail_name: ENG, thought_id: successor };
        expect(await recalled(operator, {})).toContain(`${ENG}/${original}`);
        value(await session('builder-1').operations().propose(target));
        const caller = { repository: record.repository, principal: (await operator.identity()).principal };
        expect(value(await queue(caller)).entries.map(({ thought_id }) => thought_id)).toContain(successor);
        const shown = value(await proposal(caller, { scope: ENG, thought_id: successor }));
        expect(shown?.predecessor).toMatchObject({ thought_id: original, scope: ENG });
        value(await operator.operations().decide({ ...target, verdict: 'approve' }));
        const governed = await recalled(operator, {});
        expect(governed).toContain(`${ENG}/${successor}`);
        expect(governed).not.toContain(`${ENG}/${original}`);
      });
      // A tampered successor does not bring the original back.
      favaCommit(home.root, { [pathOf(home, 3)]: favaThought({ id: successor, status: 'draft' }) }, options.jj);
      await home.use(async ({ session }) => {
        const governed = await recalled(session(PERSON), {});
        expect(governed).not.toContain(`${ENG}/${successor}`);
        expect(governed).not.toContain(`${ENG}/${original}`);
      });
    });

    test('an original with an early back-link is replaced, and its old successor decided, like any other', async () => {
      using home = favaHome(options);
      value(await home.adopt());
      await home.use(async ({ session }) => {
        const author = session('builder-1').operations();
        const operator = session(PERSON, { operator: true });
        const replaced = value(
          await author.supersede({ trail_name: ENG, thought_id: favaId(2), content: 'Newer', reason: 'Measured' }),
        );
        const { thought_id } = replaced.new_thought;
        value(await operator.operations().decide({ trail_name: ENG, thought_id, verdict: 'approve' }));
        const governed = await recalled(operator, {});
        expect(governed).toContain(`${ENG}/${thought_id}`);
        expect(governed).not.toContain(`${ENG}/${favaId(2)}`);
        const old = { trail_name: ENG, thought_id: favaId(3), verdict: 'reject' as const, reason: 'Overtaken' };
        expect(code(await operator.operations().decide(old))).toBe('ok');
        // The original of another pair stays an ordinary approved thought after its successor was rejected.
        const pair = {
          trail_name: 'acme/eng/billing',
          thought_id: favaId(18),
          verdict: 'reject' as const,
          reason: 'No',
        };
        expect(code(await operator.operations().decide(pair))).toBe('ok');
        expect(await recalled(operator, {})).toContain(`acme/eng/billing/${favaId(17)}`);
      });
    });

    test('--eol takes what differs by line ends or a byte order mark alone', async () => {
      using home = favaHome(options);
      value(await home.adopt());
      const [toCrlf, toLf, unmarked, edited] = [1, 57, 59, 22].map((n) => pathOf(home, n));
      const text = (path = '') => readFileSync(join(home.root, path), 'utf8');
      favaCommit(
        home.root,
        {
          [toCrlf ?? '']: text(toCrlf).replaceAll('\n', '\r\n'),
          [toLf ?? '']: text(toLf).replaceAll('\r\n', '\n'),
          [unmarked ?? '']: text(unmarked).replace('\ufeff', ''),
          [edited ?? '']: `${text(edited)}.\r\n`,
          'trails/later/.fava-trails.yaml': 'name: later\nstale_draft_days: 3\n',
        },
        options.jj,
      );
      expect(value(await home.adopt({ eol: true, dryRun: true })).settings).toEqual([]);
      const report = value(await home.adopt({ eol: true }));
      const brought = report.records.filter(({ change }) => change !== undefined).map(({ path }) => path);
      expect(brought).toEqual([toCrlf, toLf, unmarked].sort());
      expect(report.settings).toEqual([]);
      await home.use(async (opened) => {
        expect(await unverified(opened)).toEqual([`changed_since_event ${edited}`]);
      });
      // Without the flag the settings of the new scope come in as well.
      expect(value(await home.adopt()).settings).toEqual(['trails/later/.fava-trails.yaml']);
    });

    test('--eol before the first adoption is refused, and nothing is begun', async () => {
      using home = favaHome(options);
      expect(await home.adopt({ eol: true })).toMatchObject({ ok: false, code: 'invalid', field: 'eol' });
      expect(value(await home.adopt()).first).toBe(true);
    });

    test('what it names goes back to the tree of before, and is absent when nothing was done', async () => {
      using home = favaHome(options);
      const before = filesBelow(home.root);
      const { undo = '' } = value(await home.adopt());
      expect(value(await home.adopt())).not.toHaveProperty('undo');
      const env = { PATH: pathWithJj(), HOME: home.home, JJ_USER: 'Pat', JJ_EMAIL: 'pat@example.org' };
      writeFileSync(join(home.home, '.gitconfig'), '[user]\nname = Pat\nemail = pat@example.org\n');
      execFileSync('/bin/sh', ['-c', undo], { cwd: home.root, env, stdio: 'pipe' });
      expect(filesBelow(home.root)).toEqual(before);
      if (options.jj !== undefined) expect(jjFaults(home.root)).toEqual([]);
      rmSync(join(home.root, '.waymark'), { recursive: true });
      rmSync(join(home.home, 'config/waymark/pins'));
      expect(value(await home.adopt()).first).toBe(true);
    });

    test('what was removed stays out and is named', async () => {
      using home = favaHome(options);
      value(await home.adopt());
      const gone = pathOf(home, 1);
      favaCommit(home.root, { [gone]: null }, options.jj);
      const report = value(await home.adopt());
      expect(report.records.find(({ path }) => path === gone)).toMatchObject({
        becomes: 'skipped',
        why: expect.stringContaining('missing_file'),
      });
    });

    test('files left dirty are named, and nothing is begun', async () => {
      using home = favaHome(options);
      const path = `trails/${ENG}/thoughts/drafts/${favaId(300)}.md`;
      writeFileSync(join(home.root, path), favaThought({ id: favaId(300), status: 'draft' }));
      writeFileSync(join(home.root, 'README.md'), '# A note of a person\n');
      const refused = await home.adopt();
      expect(refused).toMatchObject({ ok: false, code: 'uncommitted_edit', details: { paths: [path] } });
      expect(gitText(home.root, 'status', '--porcelain')).not.toContain('config.yaml');
      rmSync(join(home.root, path));
      expect(code(await home.adopt())).toBe('ok');
    });
  },
);
