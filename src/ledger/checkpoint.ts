/** A writer's checkpoint: the size and root of its tree as a C2SP signed note (atrib.md 5, tlog-checkpoint). */
import { decodeBase64 } from './base64.ts';
import { decodeBase64url, encodeBase64url } from './base64url.ts';
import { verifyBytes } from './ed25519.ts';
import { sha256 } from './hash.ts';
import type { Signer } from './types.ts';

export interface Checkpoint {
  readonly origin: string;
  /** Number of records. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

export type CheckpointVerdict =
  | { readonly ok: true; readonly checkpoint: Checkpoint }
  | {
      readonly ok: false;
      readonly code: 'malformed' | 'wrong_origin' | 'not_signed' | 'signature_invalid';
      readonly message: string;
    };

/** Far above a body of three lines and a dozen witnesses. */
const MAX_CHARACTERS = 16 * 1024;
const SIGNATURE_LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;

export function checkpointOrigin(repositoryId: string, log: string): string {
  return `waymark/${repositoryId}/${log}`;
}

export function renderCheckpoint(checkpoint: Checkpoint, signer: Signer): string {
  const { origin, size, root } = checkpoint;
  const body = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  const signature = signer.sign(Buffer.from(body, 'utf8'));
  const line = Buffer.concat([keyId(origin, signer.publicKey), signature]).toString('base64');
  return `${body}\n\u2014 ${origin} ${line}\n`;
}

/**
 * Reads a checkpoint that must be of `origin` and signed by `publicKey`. Lines of other keys (witnesses) are passed
 * over unread; lines of extra claims in the body are refused, since we write none and would not know what we signed.
 */
export function parseCheckpoint(
  text: string,
  expected: { readonly origin: string; readonly publicKey: string },
): CheckpointVerdict {
  const { origin, publicKey } = expected;
  const note = readNote(text);
  if (!('checkpoint' in note)) return note;
  const { checkpoint, body, lines } = note;
  if (checkpoint.origin !== origin) {
    const message = `Expected a checkpoint of "${origin}", got "${checkpoint.origin}"`;
    return { ok: false, code: 'wrong_origin', message };
  }
  const id = keyId(origin, publicKey);
  const ours = lines.filter((line) => line.name === origin && line.bytes.subarray(0, 4).equals(id));
  if (ours.length === 0) {
    return { ok: false, code: 'not_signed', message: `No signature of the key "${publicKey}" on the checkpoint` };
  }
  const bytes = Buffer.from(body, 'utf8');
  const hold = ours.every((line) =>
    verifyBytes({ publicKey, bytes, signature: encodeBase64url(line.bytes.subarray(4)) }),
  );
  if (!hold) {
    return { ok: false, code: 'signature_invalid', message: `The checkpoint of "${origin}" is not as it was signed` };
  }
  return { ok: true, checkpoint };
}

/** What a checkpoint claims, signed by whomever; `null` when it is malformed. */
export function claimedCheckpoint(text: string): Checkpoint | null {
  const note = readNote(text);
  return 'checkpoint' in note ? note.checkpoint : null;
}

interface Note {
  readonly checkpoint: Checkpoint;
  readonly body: string;
  readonly lines: readonly { readonly name: string | undefined; readonly bytes: Buffer }[];
}

function readNote(text: string): Note | Extract<CheckpointVerdict, { ok: false }> {
  const split = text.indexOf('\n\n');
  if (text.length > MAX_CHARACTERS || split < 0 || !text.endsWith('\n')) return malformed('no body and signatures');
  const body = text.slice(0, split + 1);
  const [origin = '', sizeText = '', rootText = '', ...extra] = body.slice(0, -1).split('\n');
  const root = decodeBase64(rootText);
  if (extra.length > 0 || !/^(0|[1-9][0-9]{0,15})$/.test(sizeText) || !Number.isSafeInteger(Number(sizeText))) {
    return malformed('the body is not origin, size and root');
  }
  if (root?.length !== 32) return malformed('the root is not 32 bytes of base64');
  const lines = text
    .slice(split + 2, -1)
    .split('\n')
    .map((line) => SIGNATURE_LINE.exec(line));
  if (lines.some((line) => line === null)) return malformed('a signature line is not one');
  return {
    checkpoint: { origin, size: Number(sizeText), root },
    body,
    lines: lines.map((line) => ({ name: line?.[1], bytes: Buffer.from(line?.[2] ?? '', 'base64') })),
  };
}

/** Key id of an Ed25519 note key: first 4 bytes of SHA-256(name, newline, 0x01, public key). */
function keyId(name: string, publicKey: string): Buffer {
  const key = decodeBase64url(publicKey);
  if (key?.length !== 32) throw new TypeError(`Expected a 32-byte public key in base64url, got "${publicKey}"`);
  return Buffer.from(sha256(Buffer.from(`${name}\n`, 'utf8'), Uint8Array.of(0x01), key)).subarray(0, 4);
}

function malformed(detail: string): Extract<CheckpointVerdict, { ok: false }> {
  return { ok: false, code: 'malformed', message: `The checkpoint is malformed: ${detail}` };
}
