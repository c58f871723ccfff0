/** `waymark verify` */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_EXPORT_BYTES, parseCheckpointExport, type ReadExport } from '../../ledger/index.ts';
import { errnoOf } from '../../record/errno.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { openToVerify } from '../../trail/verify/open.ts';
import { type VerifyReport, verify as verifyRecord } from '../../trail/verify.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRecord } from '../find-record.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { progress } from '../progress.ts';

export interface VerifyFlags {
  /** A file of `waymark checkpoint --export`. */
  readonly against?: string;
  readonly history?: true;
}

export async function verify(invocation: Invocation, flags: VerifyFlags): Promise<ExitCode> {
  const against = flags.against === undefined ? ok(undefined) : readExport(resolve(invocation.cwd, flags.against));
  if (!against.ok) return fail(invocation, against);
  const found = findRecord(invocation);
  if (!found.ok) return fail(invocation, found, { exit: EXIT.environment });
  const { environment, located } = found.value;
  const opened = await openToVerify(located, { environment, now: Date.now });
  if (!opened.ok) return fail(invocation, opened, { exit: EXIT.environment });
  const subject = opened.value;
  try {
    const report = await verifyRecord(subject, {
      report: progress(invocation),
      history: flags.history === true,
      ...(against.value === undefined ? {} : { against: against.value }),
    });
    printResult(invocation, report, (each) => render(each, flags));
    return exitOf(report);
  } finally {
    await subject.close();
  }
}

/** What is missing to judge is the environment's; anything else that was found is the record's. */
function exitOf({ verdicts }: VerifyReport): ExitCode {
  if (verdicts.length === 0) return EXIT.ok;
  return verdicts.every((verdict) => verdict === 'cannot_tell') ? EXIT.environment : EXIT.refused;
}

function readExport(path: string): Outcome<ReadExport> {
  const next = 'Name a file that "waymark checkpoint --export FILE" wrote';
  try {
    const { size } = statSync(path);
    const bytes = size > MAX_EXPORT_BYTES ? null : readFileSync(path);
    const read = parseCheckpointExport(bytes ?? new Uint8Array(MAX_EXPORT_BYTES + 1));
    return read.ok ? ok(read.value) : refuse('invalid', `"${path}": ${read.message}`, { next, field: 'against' });
  } catch (error) {
    const why = errnoOf(error);
    if (why === undefined) throw error;
    return refuse('invalid', `Cannot read "${path}": ${why}`, { next, field: 'against' });
  }
}

function render(report: VerifyReport, { against, history }: VerifyFlags): readonly string[] {
  const { ok: isSound, verdicts, head, checked, findings, notes } = report;
  const { events, thoughts, logs } = checked;
  const rows = findings.map(({ verdict = '(follows)', path = '', line, code, message }) => [
    verdict,
    line === undefined ? path : `${path}:${line}`,
    code,
    message,
  ]);
  const verdict = isSound ? 'Verified' : `Found: ${verdicts.join(', ')}. Checked`;
  const held = [...(history ? ['its history'] : []), ...(against === undefined ? [] : [`what "${against}" holds`])];
  const scale = [`events ${events}, thoughts ${thoughts}, logs ${logs}`, ...held].join(', ');
  return [...columns(rows), ...notes.map((note) => `Note: ${note}`), `${verdict} at ${head ?? 'no commit'}: ${scale}`];
}
