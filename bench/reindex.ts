/** The index is deleted: how long until a new one is in step, and what readers get meanwhile. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RARE_HITS, RARE_MARKERS } from './corpus.ts';
import { memoryOf } from './measure.ts';
import { command, connect, type Figures, type Session } from './session.ts';
import { summarise } from './statistics.ts';

const DEADLINE_MS = 15 * 60_000;
/** Seldom: each look is a process on the cores that the indexing needs. */
const STATUS_EVERY_MS = 2_000;
const RECALL_EVERY_MS = 200;

const statusSchema = z.object({ index: z.union([z.literal('in_step'), z.object({ head: z.string().nullable() })]) });

export function measureReindex(session: Session): Promise<Figures> {
  for (const end of ['', '-wal', '-shm']) rmSync(join(session.record, `.waymark/index.sqlite${end}`), { force: true });
  return untilIndexed(session);
}

/** Starts a server and watches it until it answers from a complete index. */
export async function untilIndexed(session: Session): Promise<Figures> {
  const started = performance.now();
  const since = (): number => performance.now() - started;
  const connection = await connect(session, 'bench-reader');
  const waits: number[] = [];
  let refused = 0;
  let peak = 0;
  let nextLook = 0;
  try {
    for (;;) {
      const asked = since();
      if (asked > DEADLINE_MS) throw new Error('The index was not in step within 15 minutes');
      const answer = await connection.call('recall', {
        trail_name: session.scopes[0] ?? 'bench',
        trail_names: ['bench/**'],
        query: RARE_MARKERS[0],
      });
      waits.push(since() - asked);
      if (answer.isError) refused += 1;
      peak = Math.max(peak, memoryOf(connection.pid)?.withChildren ?? 0);
      if (asked >= nextLook) {
        nextLook = asked + STATUS_EVERY_MS;
        // In step, and able to answer: a status that is right about an empty index would pass the first alone.
        if (answer.structured['total'] === RARE_HITS && (await isInStep(session))) {
          return {
            seconds: asked / 1000,
            answersMeanwhile: waits.length - refused,
            refusedMeanwhile: refused,
            recallMeanwhile: { ...summarise(waits) },
            peakMemory: peak,
          };
        }
      }
      await new Promise((resolve) => setTimeout(resolve, RECALL_EVERY_MS));
    }
  } finally {
    await connection.close();
  }
}

async function isInStep(session: Session): Promise<boolean> {
  const { index } = statusSchema.parse(JSON.parse(await command(session, ['status', '--json'])));
  return index === 'in_step';
}
