/**
 * Checkpoints to be kept elsewhere: a file of what each log was signed to be at a moment, against which the record can be
 * held later, by whoever has the file and nothing else.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { type Checkpoint, checkpointOrigin, parseCheckpoint } from './checkpoint.ts';
import { isPublicKey } from './ed25519.ts';
import { parseJson } from './json-text.ts';
import { repositoryIdOf } from './repository-id.ts';
import { logNameOf } from './writer.ts';

/** Some 20,000 logs. */
export const MAX_EXPORT_BYTES = 16 * 1024 * 1024;

const exportSchema = z.object({
  waymark_checkpoints: z.literal(1),
  repository: z.string().regex(/^[0-9a-f]{32}$/),
  owner: z.string().refine(isPublicKey, 'is not a public key'),
  head: z.string().regex(/^[0-9a-f]{40}$/),
  taken_at: z.iso.datetime(),
  checkpoints: z.array(
    z.object({
      log: z.string(),
      public_key: z.string().refine(isPublicKey, 'is not a public key'),
      agent_id: z.string(),
      note: z.string(),
    }),
  ),
});

/** The file as JSON; `note` is the signed C2SP text. */
export type CheckpointExport = z.infer<typeof exportSchema>;

export interface ExportedCheckpoint extends Pick<Checkpoint, 'size' | 'root'> {
  readonly log: string;
}

export interface ReadExport {
  /** Repository id. */
  readonly repository: string;
  /** base64url public key. */
  readonly owner: string;
  readonly checkpoints: readonly ExportedCheckpoint[];
}

export type ExportVerdict =
  | { readonly ok: true; readonly value: ReadExport }
  | { readonly ok: false; readonly message: string };

/** Reads an export file and checks each of its signatures, each by the key that its log is named after. */
export function parseCheckpointExport(bytes: Uint8Array): ExportVerdict {
  if (bytes.length > MAX_EXPORT_BYTES) return none(`it is larger than ${MAX_EXPORT_BYTES} bytes`);
  const json = isUtf8(bytes) ? parseJson(Buffer.from(bytes).toString('utf8')) : undefined;
  if (json === undefined) return none('it is not JSON');
  const parsed = exportSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return none(`${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'wrong'}`);
  }
  const { repository, owner, checkpoints: notes } = parsed.data;
  if (repositoryIdOf(owner) !== repository) return none('"repository" is not the id of its owner key');
  const checkpoints: ExportedCheckpoint[] = [];
  for (const [at, { log, public_key: publicKey, note }] of notes.entries()) {
    if (logNameOf(publicKey) !== log) return none(`checkpoints.${at}: log "${log}" is not named after its key`);
    const origin = checkpointOrigin(repository, log);
    const verdict = parseCheckpoint(note, { origin, publicKey });
    if (!verdict.ok) return none(`checkpoints.${at}: ${verdict.message}`);
    const { size, root } = verdict.checkpoint;
    checkpoints.push({ log, size, root });
  }
  return { ok: true, value: { repository, owner, checkpoints } };
}

function none(detail: string): ExportVerdict {
  return { ok: false, message: `Not a file of "waymark checkpoint --export": ${detail}` };
}
