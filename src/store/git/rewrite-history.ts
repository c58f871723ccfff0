/**
 * Makes anew every commit in which some files are to be others, with all that build on it; the rest keeps its id. Nothing
 * refers to the new commits until `swapHistory`.
 *
 * Headers of a commit stay as they are, ids aside; a signature goes, since it would be wrong.
 */
import type { BlobId, CommitId } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { missing, ObjectReader } from './object-reader.ts';
import { ObjectWriter } from './write-objects.ts';

export interface RewriteOptions {
  /** Path to what it holds in every commit that has it. */
  readonly replacements: ReadonlyMap<string, Uint8Array>;
  /** Commits and tags to make anew, with all they build on. */
  readonly tips: readonly string[];
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

export interface Rewritten {
  /** Old commits and tags to new ones; those that stay are not in it. */
  readonly ids: ReadonlyMap<string, string>;
  /** What lay at the paths and is to be gone. */
  readonly replaced: ReadonlySet<BlobId>;
  /** Bytes of the first {@link MOST_TEXTS} of them. */
  readonly texts: readonly Buffer[];
  /** Commits and tags that lost a signature. */
  readonly unsigned: number;
}

/** A folder of paths; a leaf is the blob to put there. */
type Wanted = Map<string, Wanted | BlobId>;

/** So that what is left of them can be looked for. */
const MOST_TEXTS = 200;
const ID_BYTES = 20;
const LINE_EVERY = 2_000;
const WHOLE_HISTORY_MS = 10 * 60_000;

export async function rewriteHistory(location: GitLocation, options: RewriteOptions): Promise<Rewritten> {
  const reader = new ObjectReader(location);
  try {
    return await new Rewriting(location, reader).run(options);
  } finally {
    await reader.restart();
  }
}

class Rewriting {
  readonly #location: GitLocation;
  readonly #reader: ObjectReader;
  readonly #writer: ObjectWriter;
  readonly #ids = new Map<string, string>();
  readonly #replaced = new Set<BlobId>();
  readonly #trees = new Map<Wanted, Map<string, string>>();
  #unsigned = 0;

  constructor(location: GitLocation, reader: ObjectReader) {
    this.#location = location;
    this.#reader = reader;
    this.#writer = new ObjectWriter(location);
  }

  async run({ replacements, tips, report }: RewriteOptions): Promise<Rewritten> {
    const wanted: Wanted = new Map();
    for (const [path, bytes] of replacements) put(wanted, path, await this.#writer.put('blob', Buffer.from(bytes)));
    const input = `${tips.join('\n')}\n`;
    const asked = ['rev-list', '--topo-order', '--reverse', '--stdin'];
    const { stdout } = await git(this.#location, asked, { input, timeoutMs: WHOLE_HISTORY_MS });
    const commits = stdout.toString().split('\n').filter(Boolean);
    for (const [at, commit] of commits.entries()) {
      await this.#rewriteCommit(commit, wanted);
      if ((at + 1) % LINE_EVERY === 0) report(`Rewrote ${at + 1} of ${commits.length} commits`);
    }
    for (const tip of tips) await this.#rewriteTag(tip);
    await this.#writer.flush();
    const texts: Buffer[] = [];
    for (const blob of [...this.#replaced].slice(0, MOST_TEXTS)) texts.push(await this.#read(blob));
    return { ids: this.#ids, replaced: this.#replaced, texts, unsigned: this.#unsigned };
  }

  async #rewriteCommit(commit: CommitId, wanted: Wanted): Promise<void> {
    const bytes = await this.#read(commit);
    const end = bytes.indexOf('\n\n');
    const lines = bytes.toString('latin1', 0, end).split('\n');
    const changed: string[] = [];
    for (const line of lines) {
      const [name = '', id = ''] = line.split(' ');
      if (name === 'tree') changed.push(`tree ${await this.#rewriteTree(id, wanted)}`);
      else if (name === 'parent') changed.push(`parent ${this.#ids.get(id) ?? id}`);
      else changed.push(line);
    }
    if (changed.every((line, at) => line === lines[at])) return;
    const header = withoutSignature(changed);
    if (header.length < changed.length) this.#unsigned += 1;
    const text = Buffer.concat([Buffer.from(header.join('\n'), 'latin1'), bytes.subarray(end)]);
    this.#ids.set(commit, await this.#writer.put('commit', text));
  }

  /** Its new id, or the same where nothing in it changes. */
  async #rewriteTree(tree: string, wanted: Wanted): Promise<string> {
    const known = this.#trees.get(wanted) ?? new Map<string, string>();
    this.#trees.set(wanted, known);
    const done = known.get(tree);
    if (done !== undefined) return done;
    const bytes = Buffer.from(await this.#read(tree));
    let isChanged = false;
    for (let at = 0; at < bytes.length; ) {
      const space = bytes.indexOf(0x20, at);
      const nul = bytes.indexOf(0, space);
      const mode = bytes.toString('latin1', at, space);
      const id = bytes.toString('hex', nul + 1, nul + 1 + ID_BYTES);
      const next = wanted.get(bytes.toString('utf8', space + 1, nul));
      let replaced = id;
      if (typeof next === 'string' && mode.startsWith('100')) replaced = next;
      else if (typeof next === 'object' && mode === '40000') replaced = await this.#rewriteTree(id, next);
      if (replaced !== id) {
        if (typeof next === 'string') this.#replaced.add(id);
        bytes.write(replaced, nul + 1, 'hex');
        isChanged = true;
      }
      at = nul + 1 + ID_BYTES;
    }
    const result = isChanged ? await this.#writer.put('tree', bytes) : tree;
    known.set(tree, result);
    return result;
  }

  /** Also one of another tag. */
  async #rewriteTag(tag: string): Promise<string> {
    const done = this.#ids.get(tag);
    const object = done === undefined ? await this.#reader.read(tag) : null;
    if (done !== undefined || object?.type !== 'tag') return done ?? tag;
    const text = object.bytes.toString('latin1');
    const [, target = ''] = /^object ([0-9a-f]{40})\n/.exec(text) ?? [];
    const next = await this.#rewriteTag(target);
    if (next === target) return tag;
    const unsigned = text.replace(/-----BEGIN (?:PGP|SSH) SIGNATURE-----[\s\S]*$/, '');
    if (unsigned !== text) this.#unsigned += 1;
    const id = await this.#writer.put('tag', Buffer.from(unsigned.replace(target, next), 'latin1'));
    this.#ids.set(tag, id);
    return id;
  }

  async #read(id: string): Promise<Buffer> {
    const object = await this.#reader.read(id);
    if (object === null) throw missing(id);
    return object.bytes;
  }
}

function put(wanted: Wanted, path: string, blob: BlobId): void {
  const [folder = '', ...rest] = path.split('/');
  if (rest.length === 0) {
    wanted.set(folder, blob);
    return;
  }
  const below = wanted.get(folder);
  const folders: Wanted = typeof below === 'object' ? below : new Map();
  wanted.set(folder, folders);
  put(folders, rest.join('/'), blob);
}

/** A header goes on in the lines that begin with a blank. */
function withoutSignature(lines: readonly string[]): readonly string[] {
  let isSignature = false;
  return lines.filter((line) => {
    if (!line.startsWith(' ')) isSignature = /^gpgsig(?:-sha256)? /.test(line);
    return !isSignature;
  });
}
