/** `waymark verify`: the record as it is, and the history of another that has a commit for each of as many saves. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isolatedEnvironment } from '../test/support/mcp-client.ts';
import { memoryOf } from './measure.ts';
import { seedRepository } from './seed.ts';
import type { Figures, Session } from './session.ts';

/** Of the record with many commits: a commit writes the folder of its scope anew. */
const HISTORY_SCOPES = 200;
const LOOK_EVERY_MS = 100;
const reportSchema = z.object({ ok: z.boolean(), checked: z.object({ events: z.number(), thoughts: z.number() }) });

export async function measureVerify(session: Session): Promise<Figures> {
  const head = await verify(session, []);
  const { count } = session;
  const [root, home] = [`${session.record}-history`, `${session.home}-history`];
  await seedRepository({ root, home, count, scopes: HISTORY_SCOPES, commits: 'each' });
  const history = await verify({ record: root, home }, ['--history']);
  for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  return {
    head: { ...head, secondsFor100kEvents: (head.seconds * 100_000) / head.events },
    history: { ...history, commits: count },
  };
}

/** In a process of its own; a finding is an error of the bench. */
async function verify({ record, home }: Pick<Session, 'record' | 'home'>, flags: readonly string[]) {
  const started = performance.now();
  const main = join(process.cwd(), 'dist/cli/main.js');
  const env = isolatedEnvironment({ record, home });
  let peakMiB = 0;
  const stdout = await new Promise<string>((resolve, reject) => {
    const args = [main, 'verify', '--json', ...flags];
    const child = execFile(process.execPath, args, { env, maxBuffer: 2 ** 26 }, (error, out) => {
      clearInterval(looks);
      if (error === null) resolve(out);
      else reject(new Error(`"waymark verify" found something: ${out.slice(0, 500)}`));
    });
    const looks = setInterval(() => {
      peakMiB = Math.max(peakMiB, memoryOf(child.pid ?? 0)?.nodePeak ?? 0);
    }, LOOK_EVERY_MS);
  });
  const seconds = (performance.now() - started) / 1000;
  const { checked } = reportSchema.parse(JSON.parse(stdout));
  return { seconds, peakMiB, ...checked };
}
