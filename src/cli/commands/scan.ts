/** `waymark scan` */
import { type ScanReport, scan as scanRecord } from '../../trail/find/scan.ts';
import { openToVerify } from '../../trail/verify/open.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRecord } from '../find-record.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { progress } from '../progress.ts';

export interface ScanFlags {
  readonly history?: true;
}

export async function scan(invocation: Invocation, flags: ScanFlags): Promise<ExitCode> {
  const found = findRecord(invocation);
  if (!found.ok) return fail(invocation, found, { exit: EXIT.environment });
  const { environment, located } = found.value;
  const opened = await openToVerify(located, { environment, now: Date.now });
  if (!opened.ok) return fail(invocation, opened, { exit: EXIT.environment });
  try {
    const report = progress(invocation);
    const done = await scanRecord(opened.value, { history: flags.history === true, report });
    if (!done.ok) return fail(invocation, done, { exit: EXIT.environment });
    printResult(invocation, done.value, render);
    return done.value.status === 'ok' ? EXIT.ok : EXIT.refused;
  } finally {
    await opened.value.close();
  }
}

function render({ findings, checked, refs, unreadable }: ScanReport): readonly string[] {
  const rows = findings.map(({ rule, where, path = '', commit, object }) => [
    rule,
    where,
    commit?.slice(0, 12) ?? (object === undefined ? '' : `object ${object.slice(0, 12)}`),
    path,
  ]);
  const scale = [`files ${checked.files}`, ...(checked.objects === 0 ? [] : [`objects ${checked.objects}`])];
  return [
    ...columns(rows),
    ...(refs.length === 0 ? [] : [`Refs that lead there: ${refs.join(', ')}`]),
    ...unreadable.map((path) => `Cannot be read: ${path}`),
    ...(findings.length === 0
      ? []
      : [
          'Revoke what is real first; a thought\'s text goes with "waymark erase ID", and its history with --purge-history',
        ]),
    `${findings.length === 0 ? 'No secrets found' : `Found ${findings.length}`}: ${scale.join(', ')}`,
  ];
}
