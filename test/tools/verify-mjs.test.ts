/** The stand-alone verifier, held to the table of manipulations and to records that nobody touched. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MANIPULATIONS, makeTamperRecord } from '../support/tamper.ts';
import { makeAuditor } from './support.ts';

/** Processes at once. */
const AT_ONCE = 4;

test('every manipulation gets its own verdict and no other, beside an untouched record that passes', async () => {
  await using r = await makeTamperRecord();
  using auditor = makeAuditor();
  const exported = join(auditor.folder, 'exported.json');
  writeFileSync(exported, r.exported);
  const cases = [{ name: 'nothing', verdicts: [] as string[], args: [auditor.clone(r.root), '--against', exported] }];
  cases.push({ name: 'nothing, no export', verdicts: [], args: [auditor.clone(r.root)] });
  for (const { name, verdict, needs, apply } of MANIPULATIONS) {
    await apply(r);
    const args = [auditor.clone(r.root), ...(needs === undefined ? [] : ['--against', exported])];
    cases.push({ name, verdicts: [verdict], args });
    r.restore();
  }
  const found: unknown[] = [];
  for (let at = 0; at < cases.length; at += AT_ONCE) {
    const some = cases.slice(at, at + AT_ONCE);
    found.push(
      ...(await Promise.all(
        some.map(async ({ name, args }) => {
          const { verdicts, code } = await auditor.verify(args);
          return { name, verdicts, code };
        }),
      )),
    );
  }
  const code = (verdicts: readonly string[]) => (verdicts.length === 0 ? 0 : verdicts[0] === 'cannot_tell' ? 3 : 1);
  expect(found).toEqual(cases.map(({ name, verdicts }) => ({ name, verdicts, code: code(verdicts) })));
}, 120_000);
