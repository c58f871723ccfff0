/** `waymark checkpoint` */
import { resolve } from 'node:path';
import { exportCheckpoints } from '../../trail/export-checkpoints.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { withSettledRecord } from '../with-record.ts';
import { writeNewFile } from '../write-new-file.ts';

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
    // An earlier export is evidence: nobody wants it replaced.
    const refusal = writeNewFile(path, Buffer.from(text));
    if (refusal !== null) return fail(invocation, refusal);
    const facts = { status: 'ok', file: path, head: file.head, checkpoints: file.checkpoints.length };
    printResult(invocation, facts, () => [
      `Exported ${facts.checkpoints} checkpoints of ${file.head} to ${path}: keep it where nobody who writes here does`,
    ]);
    return EXIT.ok;
  });
}
