/** Traces over mirrors of atrib, and the index beneath them, with a whole-file scan beside it in the same run. */
import { execFile } from 'node:child_process';
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Hash, signerFromSeed, verifyRecord } from '#waymark/ledger/index.js';
import { type Mirrors, openMirrors } from '#waymark/store/mirrors/index.js';
import { timed } from './measure.ts';
import { scanAndTrace } from './naive-scan.ts';
import { makeLine, seedMirror } from './seed-mirrors.ts';
import type { Figures } from './session.ts';
import { summarise } from './statistics.ts';

export interface MirrorsSession {
  /** An empty folder to work in. */
  readonly folder: string;
  /** Records to seed. */
  readonly count: number;
  readonly smoke: boolean;
}

const FILES = 100;
const FEW = 100;
const MANY = 500;
const HUB_PAGE = 200;
const childSchema = z.object({ ms: z.number(), peak: z.number(), longest: z.number(), records: z.number() });

export async function measureMirrors({ folder, count, smoke }: MirrorsSession): Promise<Figures> {
  const seeded = seedMirror(join(folder, 'records'), count);
  const cacheFolder = join(folder, 'cache');
  const first = await indexInChild(seeded.folder, cacheFolder);
  if (first.records !== count) throw new Error(`Indexed ${first.records} records of ${count}`);
  const mirrors = openMirrors({ folder: seeded.folder, cacheFolder });
  await mirrors.catchUp();
  const rounds = smoke ? 3 : 50;
  const traces = (maxNodes: number) => repeat(rounds, (at) => trace(mirrors, { start: tip(at), maxNodes }));
  const tip = (at: number): Hash => seeded.tips[at % seeded.tips.length] ?? seeded.hub;
  traces(MANY);
  const [few, many] = [traces(FEW), traces(MANY)];
  const [atFew, atMany] = [summarise(few), summarise(many)];
  const pages = repeat(rounds, (at) => hubPage(mirrors, { hub: seeded.hub, at: at * HUB_PAGE }));
  const scans = repeat(3, (at) => scanAndTrace(seeded.folder, { start: tip(at), maxNodes: FEW }));
  const catchUp = await measureCatchUp(mirrors, { folder: seeded.folder, rounds, count });
  mirrors.close();
  return {
    megabytes: folderSize(seeded.folder),
    firstIndex: { seconds: first.ms / 1000, peakMiB: first.peak, longestStallMs: first.longest },
    indexMiB: folderSize(cacheFolder),
    trace: { ...atFew },
    furtherRecordMs: (atMany.p50 - atFew.p50) / (MANY - FEW),
    hubPage: { ...summarise(pages), children: seeded.hubChildren },
    catchUp,
    wholeFileScan: { ...summarise(scans) },
    scanOverTrace: summarise(scans).p50 / atFew.p50,
  };
}

async function indexInChild(folder: string, cacheFolder: string) {
  const program = join(process.cwd(), '.tools/bench/index-mirror.js');
  const { stdout } = await promisify(execFile)(process.execPath, [program, folder, cacheFolder]);
  return childSchema.parse(JSON.parse(stdout));
}

/** One append to one of many files, each time another. */
async function measureCatchUp(
  mirrors: Mirrors,
  { folder, rounds, count }: { readonly folder: string; readonly rounds: number; readonly count: number },
): Promise<Figures> {
  const signer = signerFromSeed(Buffer.alloc(32, 1), { protection: 'none' });
  const names = Array.from({ length: FILES - readdirSync(folder).length }, (_, at) => `other-${at}.jsonl`);
  for (const name of names) writeFileSync(join(folder, name), '');
  await mirrors.catchUp();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { hash, line } = makeLine({ at: count + round, causes: [], previous: '', signer });
    appendFileSync(join(folder, names[round % names.length] ?? ''), line);
    times.push((await timed(() => mirrors.catchUp())).ms);
    if (!mirrors.has(hash)) throw new Error('What was appended is not in the index');
  }
  return { ...summarise(times), files: FILES };
}

/** Milliseconds of each round; whatever the work returns is not looked at. */
function repeat(rounds: number, work: (round: number) => unknown): readonly number[] {
  return Array.from({ length: rounds }, (_, round) => {
    const started = performance.now();
    work(round);
    return performance.now() - started;
  });
}

/** Visits, verifies and asks for every neighbour, as a trace does. */
function trace(mirrors: Mirrors, { start, maxNodes }: { readonly start: Hash; readonly maxNodes: number }): void {
  const queue = [start];
  const visited = new Set<Hash>();
  for (const hash of queue) {
    if (visited.size >= maxNodes) break;
    if (visited.has(hash)) continue;
    const found = mirrors.read(hash);
    if (found === null || found === 'unreadable') throw new Error(`Not in the mirror: ${hash}`);
    if (!verifyRecord(found.record, { now: Date.now() }).ok) throw new Error(`Does not verify: ${hash}`);
    visited.add(hash);
    queue.push(...(found.record.informed_by ?? []).filter((cause) => mirrors.has(cause)));
  }
}

function hubPage(mirrors: Mirrors, { hub, at }: { readonly hub: Hash; readonly at: number }): void {
  const children = mirrors.children(hub, ['informed_by']);
  const from = at % children.length;
  for (const hash of children.slice(from, from + HUB_PAGE)) {
    const found = mirrors.read(hash);
    if (found === null || found === 'unreadable') throw new Error(`Not in the mirror: ${hash}`);
    if (!verifyRecord(found.record, { now: Date.now() }).ok) throw new Error(`Does not verify: ${hash}`);
  }
}

/** In MiB. */
function folderSize(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 2 ** 20;
}
