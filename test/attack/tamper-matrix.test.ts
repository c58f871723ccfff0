/**
 * Every manipulation of the table gives its verdict and no other, from `waymark verify` and from the stand-alone verifier;
 * the untouched record gives none.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCheckpointExport, type ReadExport } from '../../src/ledger/index.ts';
import { type VerifyOptions, verify } from '../../src/trail/verify.ts';
import { IS_LONG } from '../support/long.ts';
import { MANIPULATIONS, makeTamperRecord, type TamperRecord } from '../support/tamper.ts';
import { type Auditor, makeAuditor } from '../tools/support.ts';

let r: TamperRecord;
let auditor: Auditor;
/** A state folder that remembers nothing. */
let empty: string;
let exportFile: string;

beforeAll(async () => {
  r = await makeTamperRecord();
  auditor = makeAuditor();
  empty = mkdtempSync(join(tmpdir(), 'waymark-'));
  exportFile = join(auditor.folder, 'exported.json');
  writeFileSync(exportFile, r.exported);
});

afterAll(async () => {
  await r[Symbol.asyncDispose]();
  auditor[Symbol.dispose]();
  rmSync(empty, { recursive: true });
});

/** What is known from before: nothing, version control's history, the exported file, what this machine remembers, all. */
const KNOWLEDGE = ['nothing', 'history', 'against', 'remembered', 'all'] as const;
type Knowledge = (typeof KNOWLEDGE)[number];

function reportWith(known: Knowledge) {
  const has = (one: Knowledge) => known === one || known === 'all';
  const subject = has('remembered') ? r.t.record : { ...r.t.record, seenFolder: empty };
  const options: VerifyOptions = { history: has('history'), ...(has('against') ? { against: exported() } : {}) };
  return verify(subject, options);
}

/** A sound history is remembered, and the next must be walked again. */
function forgetHistory(): void {
  for (const folder of [empty, r.t.record.seenFolder]) rmSync(join(folder, 'history'), { force: true });
}

function exported(): ReadExport {
  const read = parseCheckpointExport(Buffer.from(r.exported));
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

/** The whole table in the long run, else one of each verdict. */
const TRIED = MANIPULATIONS.filter(
  ({ verdict }, at) => IS_LONG || MANIPULATIONS.slice(0, at).filter((one) => one.verdict === verdict).length < 1,
);

describe('waymark verify and verify.mjs', () => {
  test.each(TRIED.map((one) => [one.name, one] as const))(
    '%s',
    async (_name, { verdict, needs, cutsHistory, apply }) => {
      await apply(r);
      const args = [auditor.clone(r.root), ...(needs === undefined ? [] : ['--against', exportFile])];
      const alone = auditor.verifyOnThread(args);
      try {
        for (const known of needs === 'against' ? KNOWLEDGE : (['nothing', 'all'] as const)) {
          const report = await reportWith(known);
          const isKnown = known === 'history' ? cutsHistory !== true : known !== 'nothing';
          const expected = needs === 'against' && !isKnown ? [] : [verdict];
          const { verdicts, ok } = report;
          expect({ known, verdicts }, JSON.stringify(report.findings, null, 1)).toEqual({ known, verdicts: expected });
          expect(ok).toBe(expected.length === 0);
        }
        const { verdicts, code, findings } = await alone;
        expect({ verdicts, code }, JSON.stringify(findings, null, 1)).toEqual({
          verdicts: [verdict],
          code: verdict === 'cannot_tell' ? 3 : 1,
        });
      } finally {
        await alone.catch(() => undefined);
        r.restore();
      }
    },
  );

  test('passes the untouched record, and says when nothing is known from before', async () => {
    for (const known of KNOWLEDGE) {
      const report = await reportWith(known);
      expect(report).toMatchObject({ ok: true, verdicts: [], findings: [] });
      forgetHistory();
      expect(report.notes).toHaveLength(known === 'nothing' || known === 'history' ? 1 : 0);
    }
    for (const more of [[], ['--against', exportFile]]) {
      const report = await auditor.verify([auditor.clone(r.root), ...more]);
      expect(report).toMatchObject({ code: 0, verdicts: [], findings: [] });
      expect(report.notes).toHaveLength(more.length === 0 ? 1 : 0);
    }
  });

  test('names every kind of manipulation', () => {
    const verdicts = new Set(TRIED.map(({ verdict }) => verdict));
    expect(verdicts.size).toBe(13);
    console.log(`figure: ${TRIED.length} manipulations, ${verdicts.size} verdicts, each told from the others`);
  });
});
