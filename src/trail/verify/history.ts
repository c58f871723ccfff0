/**
 * Walks version control against the log: every commit since the ledger began only adds to it, and changes a thought or a
 * governed file only together with the event that says so. Also what a later commit undid is found.
 *
 * Several commits are read at once, so that one child process reads the objects of all of them; no more of them are held
 * in memory than it takes.
 */
import {
  isLeftOf,
  matchesDigest,
  parseEventPath,
  readEventLine,
  recordHash,
  type Sidecar,
  seenHistory,
  verifyRecord,
} from '../../ledger/index.ts';
import type { Hash, SidecarSkeleton } from '../../ledger/types.ts';
import { scopeOfSettings } from '../../record/paths.ts';
import { readEventFile } from '../../store/event-file.ts';
import { KEYS_FILE } from '../../store/keys-view.ts';
import type { BlobId, CommitId, VersionStore } from '../../store/version-store.ts';
import { BeforeLedger, type ChangedRecordFile, type CommitChanges, changesOf } from './commit-changes.ts';
import type { Finding } from './report.ts';

/** What an event says of a history that was made anew. */
export interface Purge {
  readonly old_head: CommitId;
  readonly agent_id: string;
}

export interface HistoryOptions {
  readonly store: VersionStore;
  readonly head: CommitId;
  /** Folder of what this machine remembers of the repository. */
  readonly seenFolder: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Valid events of operators who made the history anew. */
  readonly purges: readonly Purge[];
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Changes that are read together. */
const WINDOW = 4_096;

/** Goes on from the last commit whose history was found sound here. */
export async function verifyHistory(options: HistoryOptions): Promise<readonly Finding[]> {
  const { store, head, seenFolder } = options;
  if (await store.isShallow()) {
    const message = 'The clone is shallow: run "git fetch --unshallow", then verify again';
    return [{ verdict: 'cannot_tell', code: 'history_shallow', message }];
  }
  const seen = seenHistory(seenFolder);
  const isContinued = seen === null || (await store.contains(seen, head));
  const findings: Finding[] = isContinued || seen === null ? [] : await rewritten(options, seen);
  const from = isContinued ? seen : null;
  const found = await new HistoryWalk(options).walk(from);
  // A merge may bring an erasure that was made before the walk begins.
  const isPartial = from !== null && found.some(({ code }) => code === 'history_replaced');
  findings.push(...(isPartial ? await new HistoryWalk(options).walk(null) : found));
  return findings;
}

/**
 * What it means that the remembered commit is not in the history. Nothing where an operator signed that a history which
 * held it was made anew: the new one is then held to the ledger from its start. Whether it held it shows only where the old
 * commits still are.
 */
async function rewritten({ store, head, purges }: HistoryOptions, seen: CommitId): Promise<Finding[]> {
  const isHere = (commit: CommitId) =>
    store.countCommits(commit, commit).then(
      () => true,
      () => false,
    );
  const isSeenHere = await isHere(seen);
  for (const { old_head } of purges) {
    if (isSeenHere && (await isHere(old_head)) && (await store.contains(seen, old_head))) return [];
  }
  const message = `Commit ${seen}, which was found sound here, is no longer in the history of the branch`;
  if (isSeenHere && (await store.contains(head, seen))) return [{ verdict: 'cut_tail', code: 'history_cut', message }];
  const [purge] = purges;
  if (purge === undefined) return [{ verdict: 'forked', code: 'history_rewritten', message }];
  const ask = `"${purge.agent_id}" made anew what ended at ${purge.old_head}, which is not here: ask whether it held that commit`;
  return [{ verdict: 'cannot_tell', code: 'history_purged', message: `${message}; ${ask}` }];
}

/** What an event of the commit says of a path. */
interface Naming {
  readonly nonce: string;
  readonly before: string | null;
  readonly after: string | null;
  /** An operator takes the file as somebody else committed it. */
  readonly takesOver: boolean;
}

/** A change that no event named, until an operator takes it over. */
interface Unrecorded {
  readonly commit: CommitId;
  /** As it was before the first of them. */
  readonly original: BlobId | null;
  readonly blob: BlobId | null;
  readonly follows: boolean;
}

class HistoryWalk {
  readonly #options: HistoryOptions;
  readonly #findings: Finding[] = [];
  readonly #unrecorded = new Map<string, Unrecorded[]>();
  /** What events of the commits so far put in the place of sidecars, by record. */
  readonly #erased = new Map<Hash, readonly SidecarSkeleton[]>();
  /** Where records came in without a sidecar, as in a history that was made anew. */
  readonly #bare = new Map<Hash, CommitId>();

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  async walk(from: CommitId | null): Promise<readonly Finding[]> {
    const { store, head, report } = this.#options;
    const before = new BeforeLedger();
    let window: CommitChanges[] = [];
    let weight = 0;
    let done = 0;
    for await (const walked of store.walk(from, head)) {
      const judged = before.judged(walked);
      if (judged === null) continue;
      const changes = changesOf(walked.commit, judged);
      window.push(changes);
      weight += 1 + changes.added.length + changes.files.length;
      if (weight < WINDOW) continue;
      await this.#judge(window);
      done += window.length;
      report(`Held ${done} commits to the ledger`);
      window = [];
      weight = 0;
    }
    await this.#judge(window);
    return [...this.#findings, ...[...this.#unrecorded].flatMap(([path, all]) => all.map((one) => finding(path, one)))];
  }

  async #judge(window: readonly CommitChanges[]): Promise<void> {
    const read = await this.#read(window);
    for (const { hash, commit } of read.bare) this.#bare.set(hash, commit);
    for (const changes of window) {
      const isBroken = await this.#judgeLedger(changes, read);
      const named = read.named.get(changes.commit) ?? NOTHING;
      await this.#takeOver(named);
      for (const file of changes.files) {
        const isNamed = read.recorded.has(file) || (file.after === null && saysGone(named.get(file.path)));
        if (!isNamed && !(file.path === KEYS_FILE && read.keys.has(changes.commit))) {
          this.#addUnrecorded(file, { commit: changes.commit, follows: isBroken });
        }
      }
    }
  }

  /** Reads the objects of a window, events first: they say which digests the files must have. */
  async #read(window: readonly CommitChanges[]): Promise<ReadWindow> {
    const { store } = this.#options;
    const read: ReadWindow = {
      named: new Map(),
      recorded: new Set(),
      keys: new Set(),
      sizes: new Map(),
      erased: new Map(),
      bare: [],
    };
    const wanted: { readonly blob: BlobId; readonly take: (bytes: Uint8Array) => void }[] = [];
    for (const { commit, added, checkpoints } of window) {
      for (const { blob } of added) wanted.push({ blob, take: (bytes) => takeEvent(read, commit, bytes) });
      for (const { before, after } of checkpoints) {
        for (const blob of [before, after]) {
          if (blob !== null && !read.sizes.has(blob)) {
            read.sizes.set(blob, Number.NaN);
            wanted.push({ blob, take: (bytes) => void read.sizes.set(blob, sizeOf(bytes)) });
          }
        }
      }
    }
    for (const { commit, files } of window) {
      for (const file of files) {
        const { path, after: blob, isPlain } = file;
        if (blob === null || !isPlain) continue;
        const take = (bytes: Uint8Array) => {
          const said = read.named.get(commit)?.get(path) ?? [];
          if (said.some(({ nonce, after }) => after !== null && matchesDigest(nonce, bytes, after))) {
            read.recorded.add(file);
          }
        };
        wanted.push({ blob, take });
      }
    }
    let at = 0;
    for await (const bytes of store.readBlobs(wanted.map(({ blob }) => blob))) wanted[at++]?.take(bytes);
    return read;
  }

  /** Whether the commit did something to the ledger that it may not: what else it changed follows from that. */
  async #judgeLedger(changes: CommitChanges, { sizes, erased }: ReadWindow): Promise<boolean> {
    const { commit, gone, checkpoints } = changes;
    const before = this.#findings.length;
    const own = erased.get(commit) ?? [];
    for (const skeleton of own) this.#standFor(skeleton);
    for (const skeleton of own)
      this.#erased.set(skeleton.record, [...(this.#erased.get(skeleton.record) ?? []), skeleton]);
    const replaced: CommitChanges['replaced'][number][] = [];
    for (const file of changes.replaced) if (!(await this.#isErasure(file, changes, own))) replaced.push(file);
    for (const { path, blob } of replaced) {
      const isSigned = blob !== null && (await this.#isSigned(path, blob));
      const message = `Commit ${commit} puts another event in its place`;
      this.#findings.push({ verdict: isSigned ? 'forked' : 'edited', code: 'history_replaced', path, message });
    }
    const logs = new Set(replaced.map(({ path }) => path.split('/')[1] ?? ''));
    const moved = new Set(changes.added.map(({ blob }) => blob));
    for (const { path, blob } of gone) {
      const log = parseEventPath(path)?.log ?? '';
      if (logs.has(log)) continue;
      logs.add(log);
      const verdict = moved.has(blob) ? 'reordered' : await this.#verdictOfGone(commit, path);
      this.#findings.push({ verdict, code: 'history_removed', path, message: `Commit ${commit} removes events` });
    }
    for (const { path, before: old, after } of checkpoints) {
      const [was, is] = [sizes.get(old) ?? Number.NaN, after === null ? null : (sizes.get(after) ?? Number.NaN)];
      if (is !== null && is > was) continue;
      const follows = logs.has(path.split('/')[1] ?? '');
      const verdict = is === null ? 'removed' : is < was ? 'cut_tail' : 'edited';
      const message = `Commit ${commit} does not move the checkpoint forward`;
      this.#findings.push({ ...(follows ? {} : { verdict }), code: 'history_checkpoint', path, message });
    }
    return this.#findings.length > before;
  }

  /** What a commit changed without a sidecar that says so is what the one that stands for it says it was about. */
  #standFor({ record, scope, enrolment, files = [] }: SidecarSkeleton): void {
    const commit = this.#bare.get(record);
    if (commit === undefined) return;
    const named = new Set(files.map(({ path }) => path));
    // A first save makes the settings of its scope, and a first record brings its key in.
    const isOf = (path: string, { original }: Unrecorded) =>
      named.has(path) ||
      (path === KEYS_FILE && enrolment !== undefined) ||
      (original === null && scope !== undefined && scopeOfSettings(path) === scope);
    for (const [path, all] of this.#unrecorded) {
      const left = all.filter((one) => one.commit !== commit || !isOf(path, one));
      if (left.length > 0) this.#unrecorded.set(path, left);
      else this.#unrecorded.delete(path);
    }
  }

  /** Whether a sidecar was taken away and the commit says so; in a merge, whether a commit before it did. */
  async #isErasure(
    { path, before, blob }: CommitChanges['replaced'][number],
    { isMerge }: CommitChanges,
    own: readonly SidecarSkeleton[],
  ): Promise<boolean> {
    if (blob === null) return false;
    const { store } = this.#options;
    const [was, is] = [
      readEventFile(path, await store.readBlob(before)),
      readEventFile(path, await store.readBlob(blob)),
    ];
    if (!was.ok || !is.ok || was.event.hash !== is.event.hash || is.event.envelope._local !== undefined) return false;
    const sidecar = was.event.envelope._local;
    const stated = isMerge ? (this.#erased.get(is.event.hash) ?? []) : own;
    return stated.some(
      (skeleton) => skeleton.record === is.event.hash && (sidecar === undefined || isLeftOf(skeleton, sidecar)),
    );
  }

  async #isSigned(path: string, blob: BlobId): Promise<boolean> {
    const { store, now } = this.#options;
    const file = readEventFile(path, await store.readBlob(blob));
    return file.ok && verifyRecord(file.event.envelope.record, { now }).ok;
  }

  async #verdictOfGone(commit: CommitId, path: string): Promise<'removed' | 'cut_tail'> {
    const place = parseEventPath(path);
    const left = await this.#options.store.list(commit, `ledger/${place?.log}`);
    const isLater = left.some((entry) => (parseEventPath(entry.path)?.seq ?? -1) > (place?.seq ?? 0));
    return isLater ? 'removed' : 'cut_tail';
  }

  #addUnrecorded(
    { path, before, after }: ChangedRecordFile,
    { commit, follows }: Pick<Unrecorded, 'commit' | 'follows'>,
  ): void {
    const earlier = this.#unrecorded.get(path) ?? [];
    const original = earlier[0]?.original ?? before;
    // Undone: the change stays, and bringing back what was recorded is none.
    if (earlier.length > 0 && after === original) return;
    earlier.push({ commit, original, blob: after, follows });
    this.#unrecorded.set(path, earlier);
  }

  /** An operator who adopts or accepts a file as it lies says whose doing it is from then on. */
  async #takeOver(named: ReadonlyMap<string, readonly Naming[]>): Promise<void> {
    if (this.#unrecorded.size === 0) return;
    for (const [path, all] of named) {
      const blob = this.#unrecorded.get(path)?.at(-1)?.blob;
      const says = all.filter(({ takesOver }) => takesOver);
      if (blob === undefined || says.length === 0) continue;
      const bytes = blob === null ? null : await this.#options.store.readBlob(blob);
      const isOf = (nonce: string, digest: string | null) =>
        bytes === null || digest === null ? bytes === digest : matchesDigest(nonce, bytes, digest);
      if (says.some(({ nonce, before, after }) => isOf(nonce, before) || isOf(nonce, after)))
        this.#unrecorded.delete(path);
    }
  }
}

interface ReadWindow {
  /** By commit, then by path. */
  readonly named: Map<CommitId, Map<string, Naming[]>>;
  /** Changed files that an event of their commit describes. */
  readonly recorded: Set<ChangedRecordFile>;
  /** Commits with an event about keys, which also writes the view of them. */
  readonly keys: Set<CommitId>;
  /** What each checkpoint says its size is, not a number when it says none. */
  readonly sizes: Map<BlobId, number>;
  /** What the events of a commit put in the place of sidecars. */
  readonly erased: Map<CommitId, readonly SidecarSkeleton[]>;
  /** Records without a sidecar. */
  readonly bare: { readonly hash: Hash; readonly commit: CommitId }[];
}

const NOTHING: ReadonlyMap<string, readonly Naming[]> = new Map();

function takeEvent(read: ReadWindow, commit: CommitId, bytes: Uint8Array): void {
  const line = readEventLine(bytes);
  const sidecar = line.ok ? line.envelope._local : undefined;
  if (line.ok && sidecar === undefined) read.bare.push({ hash: recordHash(line.envelope.record), commit });
  if (sidecar === undefined) return;
  if (sidecar.enrolment !== undefined || sidecar.revocation !== undefined || sidecar.verb === 'protect') {
    read.keys.add(commit);
  }
  if (sidecar.erased !== undefined) {
    read.erased.set(commit, [...(read.erased.get(commit) ?? []), ...sidecar.erased]);
  }
  const named = read.named.get(commit) ?? new Map<string, Naming[]>();
  read.named.set(commit, named);
  const takesOver = takesFilesOver(sidecar);
  for (const { path, before, after } of sidecar.files ?? []) {
    const ofPath = named.get(path) ?? [];
    ofPath.push({ nonce: sidecar.nonce, before, after, takesOver });
    named.set(path, ofPath);
  }
}

function takesFilesOver({ verb, role }: Sidecar): boolean {
  return (verb === 'adopt' || verb === 'accept') && (role === 'operator' || role === 'owner');
}

function saysGone(named: readonly Naming[] | undefined): boolean {
  return named?.some(({ after }) => after === null) === true;
}

function sizeOf(checkpoint: Uint8Array): number {
  const [, size = ''] = Buffer.from(checkpoint).toString('latin1').split('\n', 2);
  return /^[0-9]{1,15}$/.test(size) ? Number(size) : Number.NaN;
}

function finding(path: string, { commit, follows }: Unrecorded): Finding {
  const message = `Commit ${commit} changes the file without an event that says so`;
  return { ...(follows ? {} : { verdict: 'unrecorded_change' }), code: 'history_unrecorded', path, message };
}
