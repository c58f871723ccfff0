/** A folder of signed records as atrib's programs leave it: about 1 KB a line, over four files, each line an envelope. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  contentId,
  genesisChainRoot,
  type Hash,
  hashOf,
  jcs,
  recordHash,
  type Signer,
  signerFromSeed,
  signRecord,
} from '#waymark/ledger/index.js';
import { createRandom } from './random.ts';

export interface SeededMirror {
  readonly folder: string;
  /** The last records, which nothing follows from. */
  readonly tips: readonly Hash[];
  /** A record that many others name, and how many. */
  readonly hub: Hash;
  readonly hubChildren: number;
}

const FILES = 4;
const KEYS = 4;
/** Records of one session. */
const SESSION = 250;
/** A cause lies this many records back at most. */
const REACH = 60;
const MOST_CHILDREN = 10_000;
const OBSERVATION = 'https://atrib.dev/v1/types/observation';
const START = Date.UTC(2026, 0, 1);

/** Each record follows from one to three of the records just before it and the previous one of its session. */
export function seedMirror(folder: string, count: number): SeededMirror {
  mkdirSync(folder, { recursive: true });
  const random = createRandom(count);
  const signers = Array.from({ length: KEYS }, (_, at) =>
    signerFromSeed(Buffer.alloc(32, at + 1), { protection: 'none' }),
  );
  const files = Array.from({ length: FILES }, (_, at) => openSync(join(folder, `agent-${at}.jsonl`), 'w'));
  const hashes: Hash[] = [];
  const hubChildren = Math.min(MOST_CHILDREN, Math.floor(count / 2));
  let [hub, previous] = ['', ''];
  for (let at = 0; at < count; at += 1) {
    const causes = new Set<Hash>();
    for (let left = 1 + Math.floor(random() * 3); left > 0 && hashes.length > 0; left -= 1) {
      causes.add(hashes[hashes.length - 1 - Math.floor(random() * Math.min(REACH, hashes.length))] ?? hub);
    }
    if (at > 0 && at <= hubChildren) causes.add(hub);
    const { hash, line } = makeLine({ at, causes, previous, signer: signers[at % KEYS] });
    writeSync(files[at % FILES] ?? 0, line);
    if (at === 0) hub = hash;
    previous = hash;
    hashes.push(hash);
    if (hashes.length > 2 * REACH) hashes.splice(0, REACH);
  }
  for (const fd of files) closeSync(fd);
  return { folder, tips: hashes.slice(-REACH), hub, hubChildren };
}

export interface LineOptions {
  /** Number of the record: its time and text follow from it. */
  readonly at: number;
  readonly causes: Iterable<Hash>;
  /** Record before this one in its session. */
  readonly previous: Hash;
  readonly signer: Signer | undefined;
}

export function makeLine({ at, causes, previous, signer }: LineOptions): {
  readonly hash: Hash;
  readonly line: string;
} {
  if (signer === undefined) throw new Error('No signer');
  const context_id = Math.floor(at / SESSION)
    .toString(16)
    .padStart(32, '0');
  const content = {
    what: `Step ${at}`,
    why_noted: 'The retry budget of the queue is shared. '.repeat(5),
    topics: ['retry'],
  };
  const informed = [...causes].toSorted();
  const record = signRecord(
    {
      spec_version: 'atrib/1.0',
      content_id: contentId('mcp://atrib-emit', 'observation'),
      creator_key: signer.publicKey,
      chain_root: at % SESSION === 0 ? genesisChainRoot(context_id) : previous,
      event_type: OBSERVATION,
      context_id,
      timestamp: START + at * 1000,
      ...(informed.length > 0 ? { informed_by: informed } : {}),
      args_hash: hashOf(jcs(content)),
    },
    signer,
  );
  const _local = { content, producer: 'atrib-emit' };
  const line = `${JSON.stringify({ record, proof: null, written_at: record.timestamp, _local })}\n`;
  return { hash: recordHash(record), line };
}
