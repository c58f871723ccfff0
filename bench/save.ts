/** Saves one after the other, and how soon git finds nothing to report. */
import { memoryOf } from './measure.ts';
import { connect, type Figures, git, type Session, save } from './session.ts';
import { summarise } from './statistics.ts';

const CLEAN_DEADLINE_MS = 30_000;

export async function measureSave(session: Session): Promise<Figures> {
  const rounds = session.smoke ? 10 : 300;
  const connection = await connect(session, 'bench-saver');
  try {
    await save(connection, { scope: scopeOf(session, 0), text: 'Warm-up' });
    const times: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      const started = performance.now();
      await save(connection, { scope: scopeOf(session, n), text: `Sequential save ${n}` });
      times.push(performance.now() - started);
    }
    const cleanAfterMs = await waitUntilClean(session);
    const memory = memoryOf(connection.pid);
    return { ...summarise(times), cleanAfterMs, memory: memory === undefined ? null : { ...memory } };
  } finally {
    await connection.close();
  }
}

function scopeOf(session: Session, n: number): string {
  return session.scopes[n % session.scopes.length] ?? 'bench';
}

/** Milliseconds from now to the start of the first `git status` that says nothing: the state it saw was clean by then. */
async function waitUntilClean(session: Session): Promise<number | null> {
  const since = performance.now();
  for (;;) {
    const asked = performance.now() - since;
    if ((await git(session, ['status', '--porcelain'])) === '') return asked;
    if (asked > CLEAN_DEADLINE_MS) return null;
  }
}
