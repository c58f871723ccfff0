/** Saves with jj: the record becomes a Jujutsu repository first, so this comes last. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_NO_JJ, jj, pathWithJj } from '../test/support/jj.ts';
import { connect, type Figures, git, type Session, save } from './session.ts';
import { allocated } from './size.ts';
import { summarise } from './statistics.ts';

/** Beyond it a save takes most of a second (each command of jj reads the whole tree), which no aim is set for. */
const MOST_THOUGHTS = 10_000;
/** What many saves leave behind does not depend on the size of the record, so it is measured on a small one. */
const MOST_TO_FILL = 1_000;

export async function measureJujutsu(session: Session): Promise<Figures | null> {
  if (HAS_NO_JJ || session.count > MOST_THOUGHTS) return null;
  const rounds = session.smoke ? 5 : 300;
  const fill = session.smoke ? 10 : session.count > MOST_TO_FILL ? rounds : 2_000;
  jj(session.record, 'git', 'init', '--colocate');
  const connection = await connect(session, 'bench-jujutsu', { PATH: pathWithJj() });
  const times: number[] = [];
  try {
    await save(connection, { scope: session.scopes[0] ?? 'bench', text: 'Warm-up' });
    for (let n = 0; n < fill; n += 1) {
      const started = performance.now();
      await save(connection, { scope: session.scopes[n % session.scopes.length] ?? 'bench', text: `With jj ${n}` });
      times.push(performance.now() - started);
    }
  } finally {
    await connection.close();
  }
  const first = { ...summarise(times.slice(0, rounds)) };
  if (fill === rounds) return { save: first };
  const refs = await git(session, ['for-each-ref', '--format=x', 'refs/jj/keep']);
  return {
    save: first,
    late: { ...summarise(times.slice(-100)) },
    saves: fill,
    jjMiB: allocated(join(session.record, '.jj')) / 2 ** 20,
    keepRefs: refs.split('\n').filter(Boolean).length,
    operations: readdirSync(join(session.record, '.jj/repo/op_store/operations')).length,
  };
}
