/** The tokens of one repository on this machine: one private file, read with suspicion and replaced whole. */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../ledger/durable-file.ts';
import { errnoOf } from '../../record/errno.ts';
import { parseGrant } from '../../record/grants.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { AGENT_ID, ROLES } from '../../record/principal.ts';
import { TOKEN_ID } from './token-text.ts';

export const MAX_TOKENS = 10_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const isoTime = z.iso.datetime();

const tokenSchema = z.strictObject({
  id: z.string().regex(TOKEN_ID),
  agent_id: z.string().regex(AGENT_ID),
  role: z.enum(ROLES),
  /** As `parseGrant` reads them. */
  grants: z.array(z.string().refine((text) => parseGrant(text).ok)),
  /** For people. */
  name: z.string().optional(),
  /** A reviewer's or operator's token opens MCP too. */
  allow_mcp: z.literal(true).optional(),
  created: isoTime,
  expires: isoTime,
  revoked: isoTime.optional(),
  /** SHA-256 of the text, hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});
export type StoredToken = z.output<typeof tokenSchema>;

const fileSchema = z.strictObject({ version: z.literal(1), tokens: z.array(tokenSchema).max(MAX_TOKENS) });

/** None when there is no file. Code `repository` when it is not a private, whole file of tokens. */
export function readTokens(file: string): Outcome<readonly StoredToken[]> {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? ok([]) : unusable(file, 'cannot be opened');
  }
  try {
    const { size, mode } = fstatSync(handle);
    // Whoever can write it can let anybody in.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) return unusable(file, 'is open to other accounts');
    if (size > MAX_FILE_BYTES) return unusable(file, `has ${size} bytes, the limit is ${MAX_FILE_BYTES}`);
    const parsed = fileSchema.safeParse(JSON.parse(readFileSync(handle, 'utf8')));
    return parsed.success ? ok(parsed.data.tokens) : unusable(file, 'is malformed');
  } catch {
    return unusable(file, 'is malformed');
  } finally {
    closeSync(handle);
  }
}

/** Durable when it returns. */
export function writeTokens(file: string, tokens: readonly StoredToken[]): void {
  replaceFile(file, `${JSON.stringify({ version: 1, tokens }, null, 1)}\n`);
}

/** Differs whenever the file was replaced; `null` when there is none. */
export function versionOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

/** The folder of a file that is to be locked beside it. */
export function makeFolder(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}

function unusable(file: string, problem: string) {
  return refuse('repository', `The file of tokens "${file}" ${problem}`, {
    next: `Restore it as it was, with mode 600; removing it ends every token`,
  });
}
