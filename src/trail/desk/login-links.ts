/**
 * One-time links into the desk: a person proves on the command line, with their operator key, who they are, and a browser
 * takes that over once.
 *
 * A link is a file of this account that only holds the digest of its code, signed by the operator key: another process of
 * the account can read and remove it, but make none. It is consumed by being removed, which succeeds once.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { createFile } from '../../ledger/durable-file.ts';
import { encodeBase64url, isPublicKey, verifyBytes } from '../../ledger/index.ts';
import { errnoOf } from '../../record/errno.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { AGENT_ID, isOperatorByKey } from '../../record/principal.ts';
import type { Index } from '../../store/index/index.ts';
import type { TrailContext } from '../context.ts';
import { endOf } from '../current-key.ts';
import type { OpenRecord } from '../open.ts';
import { deskFolder } from './desk-folder.ts';

/** A person who may open a browser session. */
export interface LinkedPerson {
  readonly agent_id: string;
  /** base64url; the session ends when the key does. */
  readonly publicKey: string;
}

export type LinkRecord = Pick<OpenRecord, 'environment' | 'repository' | 'now'>;

export const LINK_MS = 10 * 60_000;
const CODE = /^[A-Za-z0-9_-]{43}$/;
const FILE = /^login-[0-9a-f]{64}\.json$/;
const MAX_FILE_BYTES = 4096;

const linkSchema = z.strictObject({
  agent_id: z.string().regex(AGENT_ID),
  public_key: z.string().refine(isPublicKey),
  /** Unix milliseconds. */
  expires: z.number(),
  signature: z.string(),
});

/** Makes a link for the caller, and answers its code. Code `authority` without an unlocked operator key. */
export async function createLoginLink(record: LinkRecord, context: TrailContext): Promise<Outcome<string>> {
  const { agent_id } = context.principal;
  if (!isOperatorByKey(context.principal)) {
    return refuse('authority', 'A link into the desk needs an operator key, and this process has none unlocked', {
      next: 'Run it on a terminal as the holder of the operator key, or sign in with a token of "waymark token create"',
    });
  }
  const signer = await context.signer();
  if (!signer.ok) return signer;
  const folder = deskFolder(record);
  sweep(folder, record.now());
  const code = randomBytes(32).toString('base64url');
  const facts = { digest: digestOf(code), agent_id, expires: record.now() + LINK_MS };
  const { publicKey } = signer.value;
  const signature = encodeBase64url(signer.value.sign(signedBytes(record, facts)));
  const link = { agent_id, public_key: publicKey, expires: facts.expires, signature };
  createFile(fileOf(folder, facts.digest), `${JSON.stringify(link)}\n`);
  return ok(code);
}

/** Whose link it is; consumes it, also when it has expired. `null` for a code that opens nothing. */
export function takeLoginLink(record: LinkRecord, code: string): LinkedPerson | null {
  if (!CODE.test(code)) return null;
  const digest = digestOf(code);
  const text = consume(fileOf(deskFolder(record), digest));
  const link = linkSchema.safeParse(text === null ? null : parseJson(text));
  if (!link.success) return null;
  const { agent_id, public_key: publicKey, expires, signature } = link.data;
  const isInTime = expires > record.now() && expires <= record.now() + LINK_MS;
  const bytes = signedBytes(record, { digest, agent_id, expires });
  if (!isInTime || !verifyBytes({ publicKey, bytes, signature })) return null;
  const person = { agent_id, publicKey };
  return isOperatorStill(record.repository.index.reader(), person) ? person : null;
}

/** Whether the key that made a link is that person's operator key now. */
export function isOperatorStill(index: Index, { agent_id, publicKey }: LinkedPerson): boolean {
  const key = index.key(publicKey);
  return key?.role === 'operator' && key.agent_id === agent_id && endOf(index, publicKey) === null;
}

/** Begins with a line that no record or checkpoint begins with, so that no signature is taken for another. */
function signedBytes(
  { repository }: LinkRecord,
  facts: { readonly digest: string; readonly agent_id: string; readonly expires: number },
): Uint8Array {
  const { repositoryId } = repository.trust;
  const lines = ['waymark desk login v1', repositoryId, facts.digest, facts.agent_id, String(facts.expires), ''];
  return Buffer.from(lines.join('\n'), 'utf8');
}

function digestOf(code: string): string {
  return createHash('sha256').update(code, 'utf8').digest('hex');
}

function fileOf(folder: string, digest: string): string {
  return join(folder, `login-${digest}.json`);
}

/** Of several that try at once, one removes it. */
function consume(file: string): string | null {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return null;
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    return text;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Removes links that nobody used in time. */
function sweep(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const stats = FILE.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (stats !== undefined && stats.mtimeMs < now - LINK_MS) rmSync(file, { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
