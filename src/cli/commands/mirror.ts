/** `waymark mirror [--with-content]` */
import { join, resolve } from 'node:path';
import { errnoOf } from '../../record/errno.ts';
import { refuse } from '../../record/outcome.ts';
import { appendToMirror } from '../../store/mirror-file.ts';
import { DEFAULT_AGENT_ID } from '../../trail/identity.ts';
import { ownRecords } from '../../trail/own-records.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { mirrorLock, stripMirrors } from '../strip-mirrors.ts';
import { withSettledRecord } from '../with-record.ts';

export interface MirrorOptions {
  readonly withContent?: true;
}

interface MirrorResult {
  readonly status: 'ok';
  readonly file: string;
  readonly written: number;
  readonly present: number;
}

export async function mirror(invocation: Invocation, options: MirrorOptions): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const { agentId = DEFAULT_AGENT_ID, atribRecords, stateDir } = record.environment;
    const file = join(resolve(invocation.cwd, atribRecords.folder), `waymark-${agentId}.jsonl`);
    const unusable = (why: string) =>
      fail(
        invocation,
        refuse('storage', `The mirror file "${file}" ${why}`, {
          next: 'Move aside what is there, or set ATRIB_RECORDS_DIR to a folder you may write',
        }),
      );
    try {
      const withContent = options.withContent === true;
      const own = ownRecords(record, { agentId, withContent });
      const lockFile = mirrorLock(stateDir);
      await stripMirrors(record, { cwd: invocation.cwd, holder: agentId });
      const appended = await appendToMirror(own, { file, lockFile, holder: agentId });
      if (appended.ok) {
        const { written, present } = appended;
        printResult<MirrorResult>(invocation, { status: 'ok', file, written, present }, (result) =>
          render(result, withContent),
        );
        return EXIT.ok;
      }
      if (appended.code === 'not_a_file') return unusable('is no regular file');
      return fail(invocation, refuse('busy', 'Another process writes a mirror', { next: 'Run it again in a moment' }));
    } catch (error) {
      const code = errnoOf(error);
      if (code === undefined) throw error;
      return unusable(`cannot be written: ${code}`);
    }
  });
}

function render({ file, written, present }: MirrorResult, withContent: boolean): readonly string[] {
  const kept =
    withContent && present > 0
      ? ['What was there stays as it was; to have it with content, remove the file first']
      : [];
  return [`Records written to ${file}: ${written}, there before: ${present}`, ...kept];
}
