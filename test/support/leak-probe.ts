/** Looks for an erased text in every file a record has at its head, in whatever form somebody could read or guess it. */
import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Places {
  /** Root of the repository. */
  readonly root: string;
  /** Folders beside it: keys, state, mirrors, caches. */
  readonly others: readonly string[];
}

export interface Guess {
  readonly text: string;
  /** Everything that held the text, byte for byte: bodies, files of every version. */
  readonly bytes: readonly Uint8Array[];
}

interface Found {
  readonly where: string;
  readonly bytes: Buffer;
}

/** Places and forms in which it was found, sorted; empty when nothing tells of it. */
export function leaksOf(guess: Guess, places: Places): readonly string[] {
  const files = [...filesAt(places), ...treeOf(places.root)];
  const needles = new Map([...formsOf(guess.text), ...digestsOf(guess, keysIn(files))]);
  return files
    .flatMap(({ where, bytes }) =>
      [...needles].flatMap(([form, needle]) => (bytes.includes(needle) ? `${where}: ${form}` : [])),
    )
    .sort();
}

/** The text as people and programs write it down. */
function formsOf(text: string): readonly (readonly [string, Buffer])[] {
  const utf16 = Buffer.from(text, 'utf16le');
  const base64 = [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift, 'x'), Buffer.from(text)]).toString('base64');
    // Of the first and the last group only some bits are the text's.
    return [`base64 at ${shift}`, Buffer.from(shifted.slice(4, -4))] as const;
  });
  return [
    ['UTF-8', Buffer.from(text)],
    ['folded', Buffer.from(text.normalize('NFC').toLowerCase())],
    ['UTF-16LE', utf16],
    ['UTF-16BE', Buffer.from(utf16).swap16()],
    ['JSON', Buffer.from(JSON.stringify(text).slice(1, -1))],
    ['JSON in JSON', Buffer.from(JSON.stringify(JSON.stringify(text)).slice(2, -2))],
    ['hex', Buffer.from(Buffer.from(text).toString('hex'))],
    ...base64,
  ];
}

/** What a guess would be compared with: plain digests, and keyed ones under every key that is at hand. */
function digestsOf({ text, bytes }: Guess, keys: ReadonlySet<string>): readonly (readonly [string, Buffer])[] {
  const values = [Buffer.from(text), ...bytes.map((value) => Buffer.from(value))];
  const digests = values.flatMap((value) => {
    const blob = createHash('sha1').update(`blob ${value.length}\0`).update(value).digest();
    const plain = ['sha256', 'sha1', 'md5'].map((name) => [name, createHash(name).update(value).digest()] as const);
    const keyed = [...keys].map((key) => {
      return ['HMAC', createHmac('sha256', Buffer.from(key, 'base64url')).update(value).digest()] as const;
    });
    const ofDigests = plain.flatMap(([name, digest]) =>
      [...keys].map((key) => {
        const hmac = createHmac('sha256', Buffer.from(key, 'base64url')).update(digest.toString('hex'));
        return [`HMAC of ${name}`, hmac.digest()] as const;
      }),
    );
    return [['blob', blob] as const, ...plain, ...keyed, ...ofDigests];
  });
  return digests.flatMap(([name, digest]) =>
    (['hex', 'base64', 'base64url'] as const).map((form) => {
      return [`${name} ${digest.toString('hex', 0, 4)} in ${form}`, Buffer.from(digest.toString(form))] as const;
    }),
  );
}

/** Nonces of sidecars and keys of files: 32 bytes in base64url, 16 as salts. */
function keysIn(files: readonly Found[]): ReadonlySet<string> {
  const text = files.map(({ bytes }) => bytes.toString('latin1')).join('\n');
  return new Set(text.match(/(?<![A-Za-z0-9_-])(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])/g) ?? []);
}

/** Working files, `.waymark/` with SQLite's pages and logs, git's own files but its objects, and what lies beside. */
function filesAt({ root, others }: Places): readonly Found[] {
  return [root, ...others].flatMap((folder) => {
    if (!existsSync(folder)) return [];
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !/[\\/]\.git[\\/]objects(?:[\\/]|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((where) => ({ where, bytes: readFileSync(where) }));
  });
}

/** Objects of the head's tree. */
function treeOf(root: string): readonly Found[] {
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: root, maxBuffer: 2 ** 28 });
  const entries = git('ls-tree', '-r', '-t', 'main').toString().split('\n').filter(Boolean);
  const all = entries.map((line) => line.split(/\s+/, 3)[2] ?? '');
  const input = `${all.join('\n')}\n`;
  const bytes = execFileSync('git', ['cat-file', '--batch'], { cwd: root, input, maxBuffer: 2 ** 28 });
  return [
    { where: 'tree of the head', bytes: Buffer.from(entries.join('\n')) },
    { where: 'objects of the head', bytes },
  ];
}
