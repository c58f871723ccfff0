/** Sixteen savers at once: in one server process, and in sixteen. */
import type { McpConnection } from '../test/support/mcp-client.ts';
import { connect, type Figures, type Session, save } from './session.ts';
import { summarise } from './statistics.ts';

export async function measureConcurrent(session: Session): Promise<Figures> {
  return { oneProcess: await oneProcess(session), processes: await manyProcesses(session) };
}

async function oneProcess(session: Session): Promise<Figures> {
  const connection = await connect(session, 'bench-crowd');
  try {
    await save(connection, { scope: scopeOf(session, 0), text: 'Warm-up' });
    return await race(
      session,
      Array.from({ length: 16 }, () => connection),
    );
  } finally {
    await connection.close();
  }
}

async function manyProcesses(session: Session): Promise<Figures> {
  const wanted = session.smoke ? 3 : 16;
  const connections: McpConnection[] = [];
  try {
    // One by one: sixteen processes that start together on two cores measure the start.
    for (let n = 0; n < wanted; n += 1) {
      const connection = await connect(session, `bench-process-${n}`);
      connections.push(connection);
      await save(connection, { scope: scopeOf(session, n), text: `Warm-up of process ${n}` });
    }
    return await race(session, connections);
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

/** Each saver saves as fast as it is answered until the time is up. */
async function race(session: Session, savers: readonly McpConnection[]): Promise<Figures> {
  const duration = session.smoke ? 500 : 10_000;
  const started = performance.now();
  const waits = await Promise.all(
    savers.map(async (connection, n) => {
      const own: number[] = [];
      while (performance.now() - started < duration) {
        const asked = performance.now();
        await save(connection, { scope: scopeOf(session, n), text: `Save ${own.length} of saver ${n}` });
        own.push(performance.now() - asked);
      }
      return own;
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const all = waits.flat();
  const counts = waits.map((own) => own.length);
  return {
    savers: savers.length,
    savesPerSecond: all.length / seconds,
    wait: { ...summarise(all) },
    fewestBySaver: Math.min(...counts),
    mostBySaver: Math.max(...counts),
  };
}

function scopeOf(session: Session, n: number): string {
  return session.scopes[n % session.scopes.length] ?? 'bench';
}
