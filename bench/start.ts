/** From the start of the process to the answer to tools/list. */
import { timed } from './measure.ts';
import { connect, type Figures, type Session } from './session.ts';
import { summarise } from './statistics.ts';

export async function measureStart(session: Session): Promise<Figures> {
  const times: number[] = [];
  for (let n = 0; n < (session.smoke ? 2 : 7); n += 1) {
    const { ms, value: connection } = await timed(async () => {
      const connected = await connect(session, 'bench-starter');
      await connected.client.listTools();
      return connected;
    });
    times.push(ms);
    await connection.close();
  }
  return { ...summarise(times) };
}
