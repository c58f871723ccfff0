/**
 * Looks at everything a record consists of and says what does not fit together: the branch's tree, working files, git's
 * index, object store, every writer's log and checkpoint, the index, and what transactions leave behind.
 *
 * Reads the record with git and `node:fs`, not with the store under test.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  appendLeaf,
  checkpointOrigin,
  checkpointPath,
  leafHash,
  logEntry,
  logNameOf,
  orderEvents,
  parseCheckpoint,
  parseEventPath,
  readEventLine,
  recordHash,
  rootOf,
  verifyRecord,
} from '../../src/ledger/index.ts';
import type { EventEnvelope, Sidecar } from '../../src/ledger/types.ts';
import { decodeThought } from '../../src/record/codec/index.ts';
import { isThoughtLike } from '../../src/record/paths.ts';
import type { Thought } from '../../src/record/thought.ts';
import { jjFaults } from '../support/jj.ts';
import { untilClean } from './clean.ts';
import type { Opened } from './home.ts';

export interface Examined {
  /** By path. */
  readonly thoughts: ReadonlyMap<string, Thought>;
  /** Each with its place, in no order between logs. */
  readonly events: readonly { readonly log: string; readonly seq: number; readonly sidecar: Sidecar }[];
  /** Number of events by log. */
  readonly logs: ReadonlyMap<string, number>;
  /** What does not fit together; empty when all is well. */
  readonly faults: readonly string[];
}

export async function examine({ record }: Opened): Promise<Examined> {
  const { root, trust, index } = record.repository;
  const faults: string[] = [];
  const tree = await readTree(root);
  faults.push(...compareWorkingFiles(root, tree));
  faults.push(...(await gitFaults(root)));
  if (existsSync(join(root, '.jj'))) faults.push(...jjFaults(root));
  const { events, logs } = readLedger(tree, { repositoryId: trust.repositoryId, faults });

  const thoughts = new Map<string, Thought>();
  for (const [path, bytes] of tree) {
    if (!isThoughtLike(path)) continue;
    const decoded = decodeThought(bytes);
    if (decoded.ok) thoughts.set(path, decoded.thought);
    else faults.push(`${path} is no thought: ${decoded.message}`);
  }

  // Brings the index in step first, as any reader does.
  const { state } = await record.repository.read(() => null);
  if (state !== undefined) faults.push(`The index is behind: ${JSON.stringify(state)}`);
  const reader = index.reader();
  const head = readFileSync(join(root, '.git/refs/heads/main'), 'utf8').trim();
  if (reader.indexedCommit() !== head) faults.push(`The index is at ${reader.indexedCommit()}, the branch at ${head}`);
  faults.push(...reader.problems().map((problem) => `Problem: ${JSON.stringify(problem)}`));
  const counts = reader.counts();
  if (counts.thoughts !== thoughts.size) faults.push(`${counts.thoughts} rows for ${thoughts.size} thoughts`);
  if (counts.events !== events.length) faults.push(`${counts.events} indexed events for ${events.length}`);
  for (const [path, thought] of thoughts) {
    const row = reader.thoughtByPath(path);
    if (row === null) faults.push(`${path} is not in the index`);
    else if (!row.held) faults.push(`${path} is unverified: ${row.reason}`);
    else if (JSON.stringify(row.thought) !== JSON.stringify(thought)) faults.push(`${path} differs from its row`);
  }
  for (const [log, size] of logs) {
    const tail = reader.writerTail(log);
    if (tail?.size !== size) faults.push(`The index has ${tail?.size} events of log ${log}, the tree ${size}`);
  }
  return { thoughts, events, logs, faults };
}

type Tree = ReadonlyMap<string, Buffer>;

async function readTree(root: string): Promise<Tree> {
  const listed = (await git(root, 'ls-tree', '-r', '-z', 'main')).split('\0').filter(Boolean);
  const entries = listed.map((line) => ({
    path: line.slice(line.indexOf('\t') + 1),
    blob: line.split(/[ \t]/)[2] ?? '',
  }));
  const child = spawn('git', ['cat-file', '--batch', '--buffer'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(entries.map(({ blob }) => `${blob}\n`).join(''));
  const output = Buffer.concat(await child.stdout.toArray());
  const tree = new Map<string, Buffer>();
  let at = 0;
  for (const { path } of entries) {
    const line = output.indexOf('\n', at);
    const size = Number(output.toString('latin1', at, line).split(' ')[2]);
    tree.set(path, output.subarray(line + 1, line + 1 + size));
    at = line + 1 + size + 1;
  }
  return tree;
}

function compareWorkingFiles(root: string, tree: Tree): readonly string[] {
  const found = readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/^\.(?:git|jj|waymark)\//.test(path));
  const extra = found.filter((path) => !tree.has(path)).map((path) => `${path} is not in the branch`);
  const missing = [...tree.keys()].filter((path) => !found.includes(path)).map((path) => `${path} has no file`);
  const other = [...tree].filter(
    ([path, bytes]) => found.includes(path) && !readFileSync(join(root, path)).equals(bytes),
  );
  return [...extra, ...missing, ...other.map(([path]) => `${path} differs from its file`)];
}

async function gitFaults(root: string): Promise<readonly string[]> {
  // git's index follows within a second of a save, under git's own lock.
  const status = await untilClean(async () => `${await git(root, 'status', '--porcelain')}${leftovers(root)}`);
  const fsck = await git(root, 'fsck', '--strict', '--no-dangling', '--no-progress').catch(String);
  return [...(status === '' ? [] : [`git status: ${status}`]), ...(fsck === '' ? [] : [`git fsck: ${fsck}`])];
}

/** What a finished transaction has removed, a line each. */
function leftovers(root: string): string {
  const locks = ['.git/index.lock', '.git/HEAD.lock', '.git/refs/heads/main.lock', '.git/packed-refs.lock'];
  const left = ['.waymark/intent', '.waymark/jj-child', ...locks].filter((path) => existsSync(join(root, path)));
  return left.map((path) => `${path} was left behind\n`).join('');
}

function readLedger(tree: Tree, context: { readonly repositoryId: string; readonly faults: string[] }) {
  const { faults } = context;
  const byLog = new Map<string, { readonly seq: number; readonly envelope: EventEnvelope }[]>();
  for (const [path, bytes] of tree) {
    const place = parseEventPath(path);
    if (place === null) continue;
    const line = readEventLine(bytes);
    if (!line.ok) faults.push(`${path}: ${line.message}`);
    else byLog.set(place.log, [...(byLog.get(place.log) ?? []), { seq: place.seq, envelope: line.envelope }]);
  }
  const all = [...byLog.values()].flat().map(({ envelope: { record } }) => ({
    hash: recordHash(record),
    timestamp: record.timestamp,
    prev: record.waymark?.prev ?? null,
    seen: record.waymark?.seen ?? null,
  }));
  faults.push(...orderEvents(all).problems.map(({ hash, code }) => `Event ${hash}: ${code}`));
  const events: { log: string; seq: number; sidecar: Sidecar }[] = [];
  for (const [log, unsorted] of byLog) {
    const entries = unsorted.sort((a, b) => a.seq - b.seq);
    let prev: string | null = null;
    let peaks: readonly Uint8Array[] = [];
    for (const [at, { seq, envelope }] of entries.entries()) {
      const { record, _local: sidecar } = envelope;
      const where = `Event ${seq} of log ${log}`;
      if (seq !== at || record.waymark?.seq !== at) faults.push(`${where} is in place ${at}`);
      if (record.waymark?.prev !== prev) faults.push(`${where} does not follow the one before it`);
      if (logNameOf(record.creator_key) !== log) faults.push(`${where} is signed by another key`);
      const verdict = verifyRecord(record, { now: Date.now() });
      if (!verdict.ok) faults.push(`${where}: ${verdict.code}`);
      if (sidecar === undefined) faults.push(`${where} has no sidecar`);
      else events.push({ log, seq, sidecar });
      prev = recordHash(record);
      peaks = appendLeaf(peaks, at, leafHash(logEntry(record, prev)));
    }
    const publicKey = entries[0]?.envelope.record.creator_key ?? '';
    const text = tree.get(checkpointPath(log))?.toString('utf8') ?? '';
    const read = parseCheckpoint(text, { origin: checkpointOrigin(context.repositoryId, log), publicKey });
    if (!read.ok) faults.push(`Checkpoint of ${log}: ${read.message}`);
    else if (read.checkpoint.size !== entries.length) faults.push(`Checkpoint of ${log} has ${read.checkpoint.size}`);
    else if (!Buffer.from(read.checkpoint.root).equals(rootOf(peaks))) faults.push(`Checkpoint of ${log}: other root`);
  }
  return { events, logs: new Map([...byLog].map(([log, entries]) => [log, entries.length])) };
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  // Looking must not take a lock from under a writer.
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  return (await promisify(execFile)('git', args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
}
