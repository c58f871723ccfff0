/** `waymark verify` */
import { type VerifyReport, verify as verifyRecord } from '../../trail/verify.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Invocation, printResult } from '../invocation.ts';
import { progress } from '../progress.ts';
import { withRecord } from '../with-record.ts';

export async function verify(invocation: Invocation): Promise<ExitCode> {
  return withRecord(invocation, async (record) => {
    const report = await verifyRecord(record, { report: progress(invocation) });
    printResult(invocation, report, render);
    return report.ok ? EXIT.ok : EXIT.refused;
  });
}

function render({ ok, head, checked, findings }: VerifyReport): readonly string[] {
  const { events, thoughts, writers } = checked;
  const rows = findings.map(({ path = '', line, code, message }) => [
    line === undefined ? path : `${path}:${line}`,
    code,
    message,
  ]);
  const verdict = ok ? 'Verified' : `Findings: ${findings.length}. Checked`;
  const scale = `events ${events}, thoughts ${thoughts}, logs ${writers}`;
  return [...columns(rows), `${verdict} at ${head ?? 'no commit'}: ${scale}`];
}
