/** `waymark evidence ID --out FILE` */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { type Outcome, ok } from '../../record/outcome.ts';
import type { TrailContext } from '../../trail/context.ts';
import { collectEvidence } from '../../trail/evidence/evidence.ts';
import type { Evidence } from '../../trail/evidence/types.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { recordName } from '../record-name.ts';
import { withSession } from '../with-record.ts';
import { writeNewFile } from '../write-new-file.ts';

export interface EvidenceOptions {
  readonly out: string;
}

/** Of every entry, so that equal evidence gives equal archives. The earliest that the zip format knows. */
const MTIME = new Date(1980, 0, 1);
/** Read by whoever unpacks it, as the archive itself: it may hold what not everybody on the machine may read. */
const OWNER_ONLY = { os: 3, attrs: 0o100600 * 2 ** 16 } as const;

export async function evidence(invocation: Invocation, id: string, { out }: EvidenceOptions): Promise<ExitCode> {
  const file = resolve(invocation.cwd, out);
  return withSession(invocation, async ({ session }) => {
    const packed = await pack(await session.context(), recordName(id));
    if (!packed.ok) return fail(invocation, packed);
    const { archive, made } = packed.value;
    const refusal = writeNewFile(file, archive);
    if (refusal !== null) return fail(invocation, refusal);
    const { files: _, ...facts } = made;
    printResult(invocation, { status: 'ok', file, ...facts }, render);
    return EXIT.ok;
  });
}

async function pack(
  context: TrailContext,
  id: string,
): Promise<Outcome<{ readonly archive: Uint8Array; readonly made: Evidence }>> {
  const verifier = readFileSync(new URL('../../../tools/verify.mjs', import.meta.url));
  const made = await collectEvidence(context, { id, verifier });
  if (!made.ok) return made;
  const entries: Zippable = {};
  for (const [name, bytes] of made.value.files) entries[name] = [bytes, OWNER_ONLY];
  return ok({ archive: zipSync(entries, { mtime: MTIME }), made: made.value });
}

function render({ file, records, thoughts, truncated }: Omit<Evidence, 'files'> & { readonly file: string }) {
  return [
    `Wrote ${file}: records ${records}, thoughts ${thoughts.length}`,
    ...(truncated ? ['There are more causes than an archive holds: make one of an earlier record too'] : []),
    'Unpack it and run "node verify.mjs" in it; give the owner key by another way',
  ];
}
