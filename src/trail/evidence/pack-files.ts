/** The files of an archive, by name; the same commit and caller give the same bytes. */
import { sha256 } from '../../ledger/index.ts';
import type { Trust } from '../../store/changed-file.ts';
import type { CommitId } from '../../store/version-store.ts';
import type { Subject } from './evidence.ts';
import type { Proved } from './prove-records.ts';
import { readmeOf } from './readme.ts';
import type { Enrolments } from './select-enrolments.ts';
import type { Selection } from './select-records.ts';
import type { PackedThought } from './types.ts';

export interface PackOptions {
  readonly trust: Trust;
  readonly head: CommitId;
  readonly subject: Subject;
  readonly selection: Selection;
  /** Committed bytes by repository path. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
  readonly enrolments: Enrolments;
  readonly proved: Proved;
  readonly verifier: Uint8Array;
}

/** Version of the archive's format. */
const VERSION = 1;

export function packFiles(options: PackOptions): ReadonlyMap<string, Uint8Array> {
  const { trust, head, subject, selection, texts, enrolments, proved, verifier } = options;
  const thoughts = packedThoughts(selection);
  const files = new Map<string, Uint8Array>([
    ['records.jsonl', Buffer.concat(proved.lines.map(withNewline))],
    ['proofs.json', json(proved.proofs)],
    ['keys.json', json(enrolments.keys.map(({ since: _, ...key }) => key))],
    ['README.txt', Buffer.from(readmeOf(subject.thought_id ?? subject.record_hash ?? ''))],
    ['verify.mjs', verifier],
  ]);
  for (const [log, note] of proved.checkpoints) files.set(`checkpoints/${log}`, note);
  for (const { path, file } of thoughts) files.set(file, texts.get(path) ?? new Uint8Array());
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const evidence = {
    waymark_evidence: VERSION,
    repository: trust.repositoryId,
    owner: trust.owner,
    head,
    subject,
    truncated: selection.truncated,
    thoughts,
    files: sorted.map(([path, bytes]) => ({ path, sha256: Buffer.from(sha256(bytes)).toString('hex') })),
  };
  return new Map([['evidence.json', json(evidence)], ...sorted]);
}

/** An id may lie in several files; each gets a name of its own. */
function packedThoughts({ thoughts }: Selection): readonly PackedThought[] {
  const times = new Map<string, number>();
  return thoughts.map(({ path, thought, event }) => {
    const { thought_id, validation_status: status } = thought;
    const nth = (times.get(thought_id) ?? 0) + 1;
    times.set(thought_id, nth);
    const file = `thoughts/${thought_id}${nth === 1 ? '' : `-${nth}`}.md`;
    return { thought_id, path, file, status, event: event ?? null };
  });
}

/** The newline of an event's line may be missing in its file. */
function withNewline(line: Uint8Array): Uint8Array {
  return line.at(-1) === 0x0a ? line : Buffer.concat([line, Buffer.from('\n')]);
}

function json(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
