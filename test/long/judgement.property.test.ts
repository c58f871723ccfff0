/**
 * Random histories of judgement: an index grown by them is the one that is rebuilt, both verifiers find nothing in them,
 * and the same after each of some manipulations and after a merge with another side.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryIndex } from '../../src/store/memory-index.ts';
import { readCommit } from '../../src/store/reindex.ts';
import { verify } from '../../src/trail/verify.ts';
import { indexState } from '../support/index-state.ts';
import { act, type Judged, makeJudged } from '../support/judgement-acts.ts';
import { IS_LONG } from '../support/long.ts';
import { makeManipulation } from '../support/random-tamper.ts';
import { type Auditor, makeAuditor } from '../tools/support.ts';

const SEED = Number(process.env['WAYMARK_TEST_SEED'] ?? 4);
const HISTORIES = IS_LONG ? 6 : 1;
const ACTS = IS_LONG ? 40 : 24;
const MANIPULATIONS = IS_LONG ? 12 : 1;

type Findings = readonly { readonly verdict?: string | undefined; readonly path?: string | undefined }[];
const told = (findings: Findings) =>
  [
    ...new Set(findings.flatMap(({ verdict, path = '' }) => (verdict === undefined ? [] : `${verdict} ${path}`))),
  ].sort();

async function both({ gate: { t } }: Judged, auditor: Auditor, history = false) {
  rmSync(join(t.record.seenFolder, 'history'), { force: true });
  const seenFolder = join(auditor.folder, 'nothing-seen');
  const ours = await verify({ ...t.record, seenFolder }, { history });
  const theirs = await auditor.verifyOnThread([auditor.clone(t.root)]);
  return {
    ours: told(ours.findings),
    theirs: told(theirs.findings),
    verdicts: [[...ours.verdicts].sort(), theirs.verdicts],
  };
}

/** The index as it grew, and as it is made anew, on disk and in memory. */
async function grownAndRebuilt({ gate: { t } }: Judged) {
  const { repository } = t.record;
  await repository.settleIndex();
  const grown = indexState(repository.index.reader());
  await repository.reindex();
  const index = repository.index.reader();
  expect(grown).toEqual(indexState(index));
  const memory = new MemoryIndex();
  const { root, store, trust } = repository;
  const options = { root, store, trust, now: t.record.now, signatures: 'each', report: () => undefined } as const;
  await readCommit(options, memory, store.head() ?? '');
  expect(memory.keys()).toEqual(index.keys());
  expect(memory.quarantines()).toEqual(index.quarantines());
  for (const path of index.governedPaths()) expect(memory.governed(path)).toEqual(index.governed(path));
  for (const { path } of grown.thoughts) {
    expect(memory.lastEventOfPath(path)?.event.hash).toBe(index.lastEventOfPath(path)?.event.hash);
    const id = path.slice(-29, -3);
    expect(memory.custodyOf(id)).toEqual(index.custodyOf(id));
  }
}

test('random histories of judgement, manipulated and merged', async () => {
  const verbs = new Set<string>();
  for (let seed = SEED; seed < SEED + HISTORIES; seed += 1) {
    await using judged = await makeJudged();
    using auditor = makeAuditor();
    const { sides, git, gate } = judged;
    const acts = fc.sample(act, { numRuns: ACTS, seed });
    const [main, other] = sides;
    const say = () => JSON.stringify({ seed, told: judged.told }, null, 1);
    await judged.run(acts.slice(0, ACTS / 2), main);
    await grownAndRebuilt(judged);
    expect(await both(judged, auditor, true), say()).toMatchObject({ ours: [], theirs: [] });

    const whole = git('rev-parse', 'main');
    for (let at = 0; at < MANIPULATIONS; at += 1) {
      const done = makeManipulation(gate.t, seed * 1000 + at);
      const { verdicts } = await both(judged, auditor);
      expect(verdicts[1], `${done} ${say()}`).toEqual(verdicts[0]);
      git('update-ref', 'refs/heads/main', whole);
    }

    // Two clones that part here and come together again.
    checkOut(judged, whole);
    await gate.t.record.repository.settleIndex();
    await judged.run(acts.slice(ACTS / 2, (ACTS * 3) / 4), main);
    const one = git('rev-parse', 'main');
    checkOut(judged, whole);
    await gate.t.record.repository.settleIndex();
    await judged.run(acts.slice((ACTS * 3) / 4), other);
    const two = git('rev-parse', 'main');
    mergeOf(judged, seed % 2 === 0 ? [one, two] : [two, one]);
    await grownAndRebuilt(judged);
    const after = await both(judged, auditor);
    expect(after.theirs, say()).toEqual(after.ours);
    for (const line of judged.told) if (line.endsWith(': ok')) verbs.add(line.slice(0, -4));
  }
  expect(verbs.size).toBeGreaterThan(IS_LONG ? 12 : 4);
}, 3_600_000);

function checkOut({ git }: Pick<Judged, 'git'>, commit: string): void {
  git('reset', '-q', '--hard', commit);
  git('clean', '-q', '-f', '-d', 'ledger', 'trails');
}

/** What both changed is as the first side has it. */
function mergeOf({ git }: Judged, [first, second]: readonly [string, string]): void {
  checkOut({ git }, first);
  try {
    git('merge', '-q', '-X', 'ours', '--no-edit', second);
  } catch {
    // One side removed what the other changed.
    git('add', '-A');
    git('commit', '-q', '--no-edit');
  }
}
