/** What a save costs on disk, as the server leaves it and after maintenance, and how much lies about meanwhile. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Figures, git, type Session, save } from './session.ts';

export async function measureSize(session: Session): Promise<Figures> {
  const rounds = session.smoke ? 20 : 2_000;
  await maintain(session);
  const before = sizes(session);
  let peak = before.git;
  const connection = await connect(session, 'bench-filler');
  try {
    for (let n = 0; n < rounds; n += 1) {
      await save(connection, { scope: session.scopes[n % session.scopes.length] ?? 'bench', text: `Fill ${n}` });
      if (n % 100 === 99) peak = Math.max(peak, sizes(session).git);
    }
  } finally {
    await connection.close();
  }
  const left = sizes(session);
  await maintain(session);
  const after = sizes(session);
  const each = (bytes: number): number => bytes / rounds / 1024;
  return {
    saves: rounds,
    gitKiBPerSaveAsLeft: each(left.git - before.git),
    gitKiBPerSave: each(after.git - before.git),
    workingTreeKiBPerSave: each(after.files - before.files),
    indexKiBPerSave: each(after.waymark - before.waymark),
    mostUnmaintainedMiB: (Math.max(peak, left.git) - after.git) / 2 ** 20,
    gitMiB: after.git / 2 ** 20,
    indexMiB: after.waymark / 2 ** 20,
  };
}

/** What the server's own background maintenance does, run to the end. */
async function maintain(session: Session): Promise<void> {
  await git(session, ['repack', '--geometric=2', '-d', '-q']);
  await git(session, ['prune-packed', '-q']);
}

/** Bytes that the file system gives to each part. */
function sizes(session: Session): { readonly git: number; readonly waymark: number; readonly files: number } {
  const part = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + allocated(join(session.record, name)), 0);
  const rest = readdirSync(session.record).filter((name) => name !== '.git' && name !== '.waymark');
  return { git: part(['.git']), waymark: part(['.waymark']), files: part(rest) };
}

/** Bytes that the file system gives to a file or folder. */
export function allocated(path: string): number {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Gone between listing and looking: the server is at work.
  if (entry === undefined) return 0;
  const own = entry.blocks * 512;
  return entry.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + allocated(join(path, name)), own) : own;
}
