/** What adoption brings in and what it leaves, with the reason for each. */
import { matchesDigest } from '../../ledger/index.ts';
import { isThoughtLike, parseThoughtPath } from '../../record/paths.ts';
import { findSecretThoroughly } from '../../secrets/second-opinion.ts';
import type { Index } from '../../store/index/index.ts';
import type { StoredThought, UnverifiedReason } from '../../store/index/types.ts';
import { isFile } from '../../store/read-batches.ts';
import type { TreeEntry, VersionStore } from '../../store/version-store.ts';
import { missingFiles } from '../missing-files.ts';
import { caseTwins } from './case-twins.ts';
import { keptOut } from './kept-out.ts';
import type { AdoptRecord, BroughtIn } from './report.ts';

/** One thought file to bring in as it is committed. */
export interface Candidate {
  readonly path: string;
  readonly blob: string;
  readonly change: BroughtIn;
}

export interface Collected {
  /** By path. */
  readonly candidates: readonly Candidate[];
  /** Everything that stays out. */
  readonly left: readonly AdoptRecord[];
}

export interface CollectSources {
  readonly index: Index;
  readonly store: Pick<VersionStore, 'readBlobs'>;
  /** All files of the commit. */
  readonly tree: readonly TreeEntry[];
  /** Only what differs by line ends or a byte order mark. */
  readonly eol: boolean;
}

const LEFT: Readonly<Partial<Record<UnverifiedReason, string>>> = {
  event_invalid: 'its last event does not count: "waymark verify" says why; restore the file or remove that event',
  event_lacks_authority: 'the key of its last event may not set this status: restore the file from history',
  conflict_markers: 'it holds conflict markers: resolve them and commit',
};

export async function collect(sources: CollectSources): Promise<Collected> {
  const { index, tree, eol } = sources;
  const twins = caseTwins(tree.map((entry) => entry.path));
  const candidates: Candidate[] = [];
  const left: AdoptRecord[] = [...oddFiles(tree), ...malformed(index), ...missing(index, tree)];
  const skip = (path: string, why: string) => void left.push({ path, becomes: 'skipped', why });
  const edited: StoredThought[] = [];
  for (const { path, reason } of index.unverified(Number.MAX_SAFE_INTEGER)) {
    const row = index.thoughtByPath(path);
    if (row === null) continue;
    const voided = reason === 'event_invalid' && isVoided(index, row);
    const fault = voided ? undefined : LEFT[reason];
    const { thought_id } = row.thought;
    if (index.isErased(thought_id)) skip(path, `erased: its text was erased: run "waymark erase ${thought_id}" again`);
    else if (fault !== undefined) skip(path, `${reason}: ${fault}`);
    else if (twins.has(path)) skip(path, 'case_twin: another path differs in upper and lower case alone: rename one');
    else if (reason === 'changed_since_event') edited.push(row);
    else if (eol) skip(path, `${voided ? 'voided' : 'new'}: only line ends were asked for`);
    else candidates.push({ path, blob: row.blob, change: voided ? 'voided' : 'new' });
  }
  let at = 0;
  for await (const bytes of sources.store.readBlobs(edited.map((row) => row.blob))) {
    const row = edited[at++];
    if (row === undefined) continue;
    const change = differsInLineEnds(index, row.path, bytes) ? 'line_ends' : 'edited';
    if (eol && change === 'edited') skip(row.path, 'edited: it differs in more than line ends');
    else candidates.push({ path: row.path, blob: row.blob, change });
  }
  const paths = candidates.map(({ path }) => path);
  const kept = await keptOut(index, paths);
  for (const [path, { tombstone, reason }] of kept) {
    skip(path, `tombstone: a person rejected its value, ${reason}; "waymark lift ${tombstone}" lets it in`);
  }
  const free = candidates.filter(({ path }) => !kept.has(path));
  const sound = await withoutSecrets(sources.store, free.sort(byPath), skip);
  return { candidates: sound, left: left.sort(byPath) };
}

/** What holds a secret is not signed for, so it stays unverified and is shown to nobody. */
async function withoutSecrets(
  store: CollectSources['store'],
  candidates: readonly Candidate[],
  skip: (path: string, why: string) => void,
): Promise<readonly Candidate[]> {
  const sound: Candidate[] = [];
  let at = 0;
  for await (const bytes of store.readBlobs(candidates.map(({ blob }) => blob))) {
    const candidate = candidates[at++];
    if (candidate === undefined) continue;
    const { path } = candidate;
    const found = await findSecretThoroughly({ [path]: Buffer.from(bytes).toString('utf8') });
    if (found === null) sound.push(candidate);
    else skip(path, `secret: it holds what looks like one (rule "${found.rule}"): revoke it, remove it and commit`);
  }
  return sound;
}

/** No thought is a link or a submodule, wherever it leads. */
function oddFiles(tree: readonly TreeEntry[]): readonly AdoptRecord[] {
  return tree
    .filter(({ path, mode }) => path.startsWith('trails/') && !isFile(mode))
    .map(({ path, mode }) => {
      const kind = mode === '160000' ? 'submodule' : 'link';
      return { path, becomes: 'skipped' as const, why: `${kind}: only regular files are thoughts` };
    });
}

function malformed(index: Index): readonly AdoptRecord[] {
  return index
    .problems()
    .filter(({ path }) => isThoughtLike(path))
    .map(({ path, line, code, message }) => ({
      path,
      becomes: 'malformed' as const,
      line,
      why: `${code}: ${message}`,
    }));
}

/** Who signed lost the right to, which says nothing of the text: that is for whoever adopts to judge. */
function isVoided(index: Index, { event }: StoredThought): boolean {
  return event !== undefined && index.eventByHash(event)?.invalidReason === 'after_revocation';
}

/** Gone, and not moved: whoever removed it has not said so. */
function missing(index: Index, tree: readonly TreeEntry[]): readonly AdoptRecord[] {
  const files = new Set(tree.filter(({ mode }) => isFile(mode)).map(({ path }) => path));
  return missingFiles(index, files)
    .filter((path) => isThoughtLike(path) && !isMoved(index, path))
    .map((path) => ({
      path,
      becomes: 'skipped' as const,
      why: 'missing_file: the ledger says it exists: restore it from history',
    }));
}

/** FAVA's approval moves a file: the same thought lies elsewhere now. */
function isMoved(index: Index, path: string): boolean {
  const id = parseThoughtPath(path)?.id;
  return id !== undefined && index.thoughtById(id).some((row) => !row.held);
}

/** Tried with each kind of line end, with and without a mark: one of them is what was signed. */
function differsInLineEnds(index: Index, path: string, bytes: Uint8Array): boolean {
  const last = index.lastEventOfPath(path);
  const nonce = last?.event.envelope._local?.nonce;
  const signed = last?.change.after;
  if (nonce === undefined || signed == null) return false;
  // One byte, one character: what is no UTF-8 stays what it is.
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll('\r\n', '\n');
  const variants = [text, text.replaceAll('\n', '\r\n')].flatMap((variant) => [variant, `\xef\xbb\xbf${variant}`]);
  return variants.some((variant) => matchesDigest(nonce, Buffer.from(variant, 'latin1'), signed));
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1;
}
