/**
 * Both verifiers say the same of records to which one or two things were done at random; neither throws. A failing case
 * prints its number: `WAYMARK_TEST_SEED` starts there, `WAYMARK_TEST_CASES` says how many.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseCheckpointExport } from '../../src/ledger/index.ts';
import { verify } from '../../src/trail/verify.ts';
import { IS_LONG } from '../support/long.ts';
import { makeRandomManipulation } from '../support/random-tamper.ts';
import { makeTamperRecord } from '../support/tamper.ts';
import { makeAuditor } from './support.ts';

const FIRST = Number(process.env['WAYMARK_TEST_SEED'] ?? 1);
const CASES = Number(process.env['WAYMARK_TEST_CASES'] ?? (IS_LONG ? 10 : 5));

test('both verifiers agree on what was done at random', async () => {
  await using r = await makeTamperRecord();
  using auditor = makeAuditor();
  const file = join(auditor.folder, 'exported.json');
  writeFileSync(file, r.exported);
  const exported = parseCheckpointExport(Buffer.from(r.exported));
  if (!exported.ok) throw new Error(exported.message);
  const empty = mkdtempSync(join(tmpdir(), 'waymark-'));
  const different: object[] = [];
  let named = 0;
  for (let seed = FIRST; seed < FIRST + CASES; seed += 1) {
    const done = makeRandomManipulation(r, seed);
    const isKnown = seed % 2 === 0;
    const alone = auditor.verifyOnThread([auditor.clone(r.root), ...(isKnown ? ['--against', file] : [])]);
    const options = isKnown ? { against: exported.value } : {};
    const ours = await verify({ ...r.t.record, seenFolder: empty }, options).catch((error: Error) => error);
    const theirs = await alone;
    const verdicts = ours instanceof Error ? [ours.message] : [...ours.verdicts].sort();
    if (theirs.verdicts.length > 0) named += 1;
    if (verdicts.join() !== theirs.verdicts.join()) different.push({ seed, done, ours, theirs: theirs.findings });
    r.restore();
  }
  rmSync(empty, { recursive: true });
  expect(different, JSON.stringify(different, null, 1)).toEqual([]);
  // It is about records to which something was done.
  expect(named).toBeGreaterThan(CASES / 2);
}, 3_600_000);
