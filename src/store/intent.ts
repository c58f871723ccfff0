/**
 * The intent: the full redo record of a transaction, on disk before the branch can move.
 *
 * It holds everything that decides the commit ids, so whoever replays it makes the same commits.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errnoOf } from '../record/errno.ts';
import { writeDurableFile } from './durable-file.ts';
import type { ChangeSet, ChildProcessId, VersionStore } from './version-store.ts';

export interface Intent {
  readonly version: 1;
  readonly branch: string;
  readonly kind: VersionStore['kind'];
  readonly changes: ChangeSet;
  /** Processes that may still publish `changes` after the writer died. */
  readonly children: readonly ChildProcessId[];
}

export type IntentRead =
  | { readonly ok: true; readonly intent: Intent }
  /** The file is there and is no intent; `message` says why. */
  | { readonly ok: false; readonly code: 'damaged'; readonly file: string; readonly message: string };

const COMMIT_ID = z.string().regex(/^[0-9a-f]{40}$/);
// Not z.base64(): its pattern runs over a megabyte at a time, and Buffer alone would skip what is not base64.
const BYTES = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) context.addIssue({ code: 'custom', message: 'Invalid base64' });
  return new Uint8Array(bytes);
});
const PLANNED_COMMIT = z.object({
  author: z.object({ name: z.string(), email: z.string() }),
  seconds: z.int(),
  message: z.string(),
  files: z.array(z.tuple([z.string(), BYTES.nullable()])).transform((files) => new Map(files)),
});
const INTENT = z.object({
  version: z.literal(1),
  branch: z.string(),
  kind: z.enum(['git', 'jujutsu']),
  changes: z.object({ parent: COMMIT_ID.nullable(), commits: z.array(PLANNED_COMMIT) }),
  children: z.array(z.object({ pid: z.int().positive(), started: z.int().nonnegative() })),
});

/** Where the intent of the folder `dir` (`.waymark`) is. */
export function intentFile(dir: string): string {
  return join(dir, 'intent');
}

/** Writes the intent durably: once this resolves, a crash is rolled forward. */
export async function writeIntent(dir: string, intent: Intent): Promise<void> {
  const text = JSON.stringify({
    ...intent,
    changes: { ...intent.changes, commits: intent.changes.commits.map(encode) },
  });
  await writeDurableFile(intentFile(dir), Buffer.from(text), { temporary: join(dir, 'tmp'), mode: 0o600 });
}

/** The intent a writer left, `null` when none. Damage is a value; other read errors throw. */
export async function readIntent(dir: string): Promise<IntentRead | null> {
  const file = intentFile(dir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  const parsed = INTENT.safeParse(parseJson(text));
  if (parsed.success) return { ok: true, intent: parsed.data };
  const issue = parsed.error.issues[0];
  const message = `Cannot read the intent "${file}": ${issue?.path.join('.') || 'file'}: ${issue?.message ?? 'not JSON'}`;
  return { ok: false, code: 'damaged', file, message };
}

/** Removes the intent. Not flushed: replaying a finished intent changes nothing. */
export async function removeIntent(dir: string): Promise<void> {
  await rm(intentFile(dir), { force: true });
}

function encode(commit: ChangeSet['commits'][number]): unknown {
  const files = [...commit.files].map(([path, bytes]) => [path, bytes && Buffer.from(bytes).toString('base64')]);
  return { ...commit, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
