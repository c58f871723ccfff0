/** How long it takes to bring a FAVA repository of as many thoughts under the ledger, from start to end of the command. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { corpus } from './corpus.ts';
import { fastImport, type ImportedCommit } from './fast-import.ts';
import { timed } from './measure.ts';
import { thoughtFile } from './seed.ts';
import { command, type Figures, git, type Session } from './session.ts';

const CONFIG = 'trails_dir: trails\nremote_url: null\npush_strategy: manual\n';

export async function measureAdopt(session: Session): Promise<Figures | null> {
  // Aims are stated for 10,000; a larger one only takes longer.
  if (session.count > 10_000) return null;
  const place = { record: join(dirname(session.record), `${session.count}-fava`), home: join(session.home, 'fava') };
  mkdirSync(place.record);
  mkdirSync(place.home, { recursive: true });
  await git(place, ['init', '--quiet', '--initial-branch=main']);
  const who = ['-c', 'user.name=fava', '-c', 'user.email=fava@bench.invalid'];
  await git(place, [...who, 'commit', '--quiet', '--allow-empty', '--message=Start']);
  await fastImport(favaCommits(session), { ...place, branch: 'main' });
  await git(place, ['reset', '--hard', '--quiet']);
  const { ms } = await timed(() => command(place, ['adopt', place.record]));
  return { seconds: ms / 1000 };
}

function* favaCommits({ count, scopes }: Session): Generator<ImportedCommit> {
  yield { author: 'fava', message: 'Thoughts', files: files() };

  function* files(): Generator<readonly [string, Uint8Array]> {
    yield ['config.yaml', Buffer.from(CONFIG)];
    for (const entry of corpus({ count, scopes: scopes.length })) yield thoughtFile(entry);
  }
}
