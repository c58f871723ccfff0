/** `waymark reindex` */
import { refuse } from '../../record/outcome.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { progress } from '../progress.ts';
import { withRecord } from '../with-record.ts';

export async function reindex(invocation: Invocation): Promise<ExitCode> {
  return withRecord(invocation, async ({ repository }) => {
    if (!(await repository.reindex(progress(invocation)))) {
      const next = 'The cause is named above; "waymark verify" reads the record without the index';
      return fail(invocation, refuse('storage', 'The index could not be built', { next }), { exit: EXIT.refused });
    }
    const { thoughts, events, problems } = repository.index.reader().counts();
    const lines = [`Indexed ${thoughts} thoughts and ${events} events`];
    if (problems > 0) lines.push(`${problems} files could not be read: "waymark status" names them`);
    printResult(invocation, { status: 'ok', thoughts, events, problems }, () => lines);
    return EXIT.ok;
  });
}
