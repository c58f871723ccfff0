/**
 * Change sets in the language of `git fast-import`.
 *
 * The bytes depend on the change set alone, so publishing it again makes the same commit ids.
 */
import type { ChangeSet, PlannedCommit } from '../version-store.ts';
import { assertRepositoryPath } from './repository-path.ts';

/** The commands that make the commits of `changes` on the ref and report their ids, one chunk a commit. */
export function* importCommands(ref: string, changes: ChangeSet): Generator<Buffer> {
  // Without a parent the commands would go on from whatever the process remembers of the branch.
  if (changes.parent === null) yield Buffer.from(forgetBranch(ref));
  for (const [at, commit] of changes.commits.entries()) {
    const from = at === 0 ? changes.parent : `:${at}`;
    yield Buffer.concat([...commitCommands(ref, commit, { mark: at + 1, from })]);
  }
}

/**
 * Drops what the process remembers of the branch. Without it `done` would move the branch to the last published
 * commit again, after a person has reset it.
 */
export function forgetBranch(ref: string): string {
  return `reset ${ref}\n\n`;
}

function* commitCommands(
  ref: string,
  commit: PlannedCommit,
  place: { readonly mark: number; readonly from: string | null },
): Generator<Buffer> {
  const identity = `${clean(commit.author.name)} <${clean(commit.author.email)}> ${commit.seconds} +0000`;
  yield Buffer.from(`commit ${ref}\nmark :${place.mark}\nauthor ${identity}\ncommitter ${identity}\n`);
  yield* data(Buffer.from(commit.message));
  if (place.from !== null) yield Buffer.from(`from ${place.from}\n`);
  const files = [...commit.files];
  // Deletions first: a file may take the place of a folder that this commit empties.
  for (const [path, bytes] of files) if (bytes === null) yield Buffer.from(`D ${quote(path)}\n`);
  for (const [path, bytes] of files) {
    if (bytes === null) continue;
    yield Buffer.from(`M 100644 inline ${quote(path)}\n`);
    yield* data(bytes);
  }
  yield Buffer.from(`\nget-mark :${place.mark}\n`);
}

function* data(bytes: Uint8Array): Generator<Buffer> {
  yield Buffer.from(`data ${bytes.length}\n`);
  yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  yield Buffer.from('\n');
}

function quote(path: string): string {
  assertRepositoryPath(path);
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

// These end or forge an identity line.
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/[<>\u0000-\u001f\u007f]/g, '').trim();
}
