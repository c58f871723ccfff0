/** The newest checkpoint of each writer this machine saw, so that a log cut or rewritten since is noticed. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Checkpoint } from './checkpoint.ts';
import { UNFINISHED } from './durable-file.ts';
import { isLogName } from './writer.ts';

/** Where a writer's checkpoint is remembered. */
export interface SeenAt {
  /** `$XDG_STATE_HOME/waymark/<repository id>` */
  readonly dir: string;
  readonly log: string;
}

export type SeenVerdict =
  /** The log holds what was remembered. */
  | 'ok'
  /** It is shorter. */
  | 'cut'
  /** It has another root at the remembered size. */
  | 'forked'
  /** Nothing readable is remembered, or the root at that size cannot be told. */
  | 'unknown';

/**
 * Remembers a checkpoint unless a longer one is remembered already.
 *
 * One small rename without fsync, since this runs after every save: after power loss an older memory, or none, still
 * never accuses wrongly. Compare first: a fork is not noticed here.
 */
export function rememberCheckpoint(at: SeenAt, checkpoint: Pick<Checkpoint, 'size' | 'root'>): void {
  const remembered = read(at);
  if (remembered !== null && remembered.size >= checkpoint.size) return;
  const file = join(at.dir, at.log);
  const temporary = `${file}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
  const text = `${checkpoint.size} ${Buffer.from(checkpoint.root).toString('base64')}\n`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
  } catch {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600 });
  }
  renameSync(temporary, file);
}

/**
 * Holds a log against memory.
 *
 * @param log.rootAt Root of the log's first `size` leaves, `null` when the caller cannot tell.
 */
export function compareWithRemembered(
  at: SeenAt,
  log: { readonly size: number; readonly rootAt: (size: number) => Uint8Array | null },
): SeenVerdict {
  const remembered = read(at);
  if (remembered === null) return 'unknown';
  if (log.size < remembered.size) return 'cut';
  const root = log.rootAt(remembered.size);
  if (root === null) return 'unknown';
  return Buffer.from(root).equals(remembered.root) ? 'ok' : 'forked';
}

/** What is remembered of a log. */
export type Remembered = Pick<Checkpoint, 'size' | 'root'>;

/** Every log this machine remembers of a repository, as it is now. */
export function rememberedLogs(dir: string): ReadonlyMap<string, Remembered> {
  let names: readonly string[];
  try {
    names = readdirSync(dir).filter(isLogName);
  } catch {
    return new Map();
  }
  return new Map(
    names.flatMap((log) => {
      const remembered = read({ dir, log });
      return remembered === null ? [] : [[log, remembered] as const];
    }),
  );
}

function read(at: SeenAt): Remembered | null {
  let text: string;
  try {
    text = readFileSync(join(at.dir, at.log), 'utf8');
  } catch {
    return null;
  }
  const match = /^([0-9]{1,15}) ([A-Za-z0-9+/]{43}=)\n$/.exec(text);
  return match === null ? null : { size: Number(match[1]), root: Buffer.from(match[2] ?? '', 'base64') };
}
