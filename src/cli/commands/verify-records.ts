/** `waymark verify --records FILE`: any mirror, line by line; needs no record. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { isBlankLine, type LineVerdict, MAX_MIRROR_LINE, verifyMirrorLine } from '../../ledger/index.ts';
import { errnoOf } from '../../record/errno.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Invocation, say } from '../invocation.ts';
import { streamLines } from '../stream-lines.ts';

/** Lines whose signatures are checked at once; their verdicts are printed in order. */
const AHEAD = 64;

interface CheckedLine extends LineVerdict {
  /** From 1; blank lines count and get no object. */
  readonly line: number;
}

/** Exit code: 0 when every line is valid, 1 when one is not, 3 when the file cannot be read to its end. */
export async function verifyRecords(invocation: Invocation, file: string): Promise<ExitCode> {
  const input = file === '-' ? process.stdin : createReadStream(resolve(invocation.cwd, file));
  const now = Date.now();
  const ahead: Promise<CheckedLine>[] = [];
  let exit: ExitCode = EXIT.ok;
  /** Whether somebody still reads what is printed. */
  async function printFirst(): Promise<boolean> {
    const checked = await ahead.shift();
    if (checked === undefined) return true;
    if (!checked.valid) exit = EXIT.refused;
    invocation.out(`${JSON.stringify(checked)}\n`);
    return invocation.drained();
  }
  try {
    let line = 0;
    for await (const bytes of streamLines(input, MAX_MIRROR_LINE)) {
      line += 1;
      if (bytes !== null && isBlankLine(bytes)) continue;
      ahead.push(checkLine(bytes, { line, now }));
      if (ahead.length >= AHEAD && !(await printFirst())) return exit;
    }
    while (ahead.length > 0) if (!(await printFirst())) return exit;
    return exit;
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    // What was read before it broke off is said all the same.
    while (ahead.length > 0) if (!(await printFirst())) break;
    say(invocation, `"${file}" cannot be read: ${code}\n  Name a file of JSON lines, or "-" for stdin`);
    return EXIT.environment;
  }
}

async function checkLine(
  bytes: Uint8Array | null,
  { line, now }: { readonly line: number; readonly now: number },
): Promise<CheckedLine> {
  if (bytes === null) return { line, record_hash: null, valid: false, reason: 'too_long', signers: [] };
  return { line, ...(await verifyMirrorLine(bytes, { now })) };
}
