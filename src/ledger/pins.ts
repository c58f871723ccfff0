/** Which repository stood at a path when this machine first met it, like ssh's known_hosts. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { errnoOf } from '../record/errno.ts';
import { isPublicKey } from './ed25519.ts';

/** Identity of a repository. */
export interface Pin {
  /** Repository id. */
  readonly id: string;
  /** base64url public key of its owner. */
  readonly owner: string;
  /** The branch that is the record, when known. */
  readonly branch?: string | undefined;
}

export type PinVerdict = 'first' | 'same' | 'changed';

/** The pin file cannot be believed; nothing was written. */
export class PinError extends Error {
  override readonly name = 'PinError';
  readonly code = 'damaged';
}

const pinLine = z.object({
  root: z.string(),
  id: z.string(),
  owner: z.string().refine(isPublicKey),
  branch: z.string().optional(),
});

/**
 * Compares a repository with its pin and makes the pin at first contact. One JSON object a line, the last line of a
 * path counts; removing a path's lines by hand forgets it.
 *
 * A pin of before branches were pinned takes the branch at the next contact. The branch is no part of the verdict: which
 * one counts is {@link pinnedBranch}.
 *
 * A pin is one append, so that processes meeting different repositories at once lose none of each other's.
 *
 * @param at.root Root of the repository; pinned by its real path.
 * @throws {PinError} when a line is not a pin: guessing here would turn damage into trust.
 */
export function checkPin(at: { readonly file: string; readonly root: string }, pin: Pin): PinVerdict {
  const verdict = comparePin(at, pin);
  const learnsBranch = verdict === 'same' && pin.branch !== undefined && pinnedBranch(at) === null;
  if (verdict === 'first' || learnsBranch) replacePin(at, pin);
  return verdict;
}

/** As {@link checkPin}, without making the pin. */
export function comparePin(at: { readonly file: string; readonly root: string }, pin: Pin): PinVerdict {
  const pinned = pinOf(at);
  if (pinned === undefined) return 'first';
  return pinned.id === pin.id && pinned.owner === pin.owner ? 'same' : 'changed';
}

/** Whether this machine has met a record at the path. Throws as {@link checkPin}. */
export function isPinned(at: { readonly file: string; readonly root: string }): boolean {
  return pinOf(at) !== undefined;
}

/**
 * Whether this machine has met the repository at this path alone: then what it remembers and lacks here is lost, and not
 * in another clone. Throws as {@link checkPin}.
 */
export function isOnlyClone(at: { readonly file: string; readonly root: string }, id: string): boolean {
  const root = realpathSync(at.root);
  return readPins(at.file).every((line) => line.id !== id || line.root === root);
}

/** What is pinned at the path, `null` when this machine has met no record there. Throws as {@link checkPin}. */
export function pinnedAt(at: { readonly file: string; readonly root: string }): Pin | null {
  return pinOf(at) ?? null;
}

/** The branch pinned with the repository, `null` when none is. Throws as {@link checkPin}. */
export function pinnedBranch(at: { readonly file: string; readonly root: string }): string | null {
  return pinOf(at)?.branch ?? null;
}

/** Pins the repository that this machine itself has just made at a path, whatever stood there before. */
export function replacePin(at: { readonly file: string; readonly root: string }, pin: Pin): void {
  const { id, owner, branch } = pin;
  append(at.file, `${JSON.stringify({ root: realpathSync(at.root), id, owner, branch })}\n`);
}

function pinOf(at: { readonly file: string; readonly root: string }): z.infer<typeof pinLine> | undefined {
  const root = realpathSync(at.root);
  return readPins(at.file).findLast((line) => line.root === root);
}

function readPins(file: string): readonly z.infer<typeof pinLine>[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
  if (text === '') return [];
  const lines = text.split('\n');
  // The newline is the last byte of a pin: without it the append did not finish.
  if (lines.pop() !== '') throw damaged(file, lines.length + 1);
  return lines.map((line, at) => {
    try {
      return pinLine.parse(JSON.parse(line));
    } catch {
      throw damaged(file, at + 1);
    }
  });
}

function append(file: string, line: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const handle = openSync(file, 'a', 0o600);
  try {
    writeSync(handle, line);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function damaged(file: string, line: number): PinError {
  return new PinError(`Line ${line} of "${file}" is not a pinned repository: repair or remove that line`);
}
