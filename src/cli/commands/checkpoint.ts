/** `waymark checkpoint` */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errnoOf } from '../../record/errno.ts';
import { exportCheckpoints } from '../../trail/export-checkpoints.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { withSettledRecord } from '../with-record.ts';
import { notWritten } from '../write-new-file.ts';

export interface CheckpointOptions {
  /** `true` for stdout. */
  readonly export: string | true;
}

export async function checkpoint(invocation: Invocation, options: CheckpointOptions): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const exported = await exportCheckpoints(record);
    if (!exported.ok) return fail(invocation, exported);
    const { file, leftOut } = exported.value;
    for (const log of leftOut) say(invocation, `Left out log "${log}": its checkpoint is gone or not as it was signed`);
    const text = `${JSON.stringify(file)}\n`;
    if (options.export === true) {
      invocation.out(text);
      return EXIT.ok;
    }
    const path = resolve(invocation.cwd, options.export);
    try {
      // An earlier export is evidence: nobody wants it replaced.
      writeFileSync(path, text, { flag: 'wx' });
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      return fail(invocation, notWritten(path, errno));
    }
    const facts = { status: 'ok', file: path, head: file.head, checkpoints: file.checkpoints.length };
    printResult(invocation, facts, () => [
      `Exported ${facts.checkpoints} checkpoints of ${file.head} to ${path}: keep it where nobody who writes here does`,
    ]);
    return EXIT.ok;
  });
}
