/** Traces over mirrors of atrib, and the index beneath them, with a whole-file scan beside it in the same run. */
import { execFile } from 'node:child_process';
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Hash, signerFromSeed } from '#waymark/ledger/index.js';
import { type Mirrors, openMirrors } from '#waymark/store/mirrors/index.js';
import { LazyMirrors } from '#waymark/trail/trace/mirrors.js';
import { traceMirrors } from '#waymark/trail/trace/trace-mirrors.js';
import { Tracer } from '#waymark/trail/trace/tracer.js';
import type { TraceInput, TraceResult } from '#waymark/trail/trace/types.js';
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
const DEEPEST = 10;
const childSchema = z.object({
  ms: z.number(),
  cpuMs: z.number(),
  peak: z.number(),
  longest: z.number(),
  records: z.number(),
});

export async function measureMirrors({ folder, count, smoke }: MirrorsSession): Promise<Figures> {
  const seeded = seedMirror(join(folder, 'records'), count);
  const cacheFolder = join(folder, 'cache');
  const first = await indexInChild(seeded.folder, cacheFolder);
  if (first.records !== count) throw new Error(`Indexed ${first.records} records of ${count}`);
  const rounds = smoke ? 3 : 50;
  const tip = (at: number): Hash => seeded.tips[at % seeded.tips.length] ?? seeded.hub;
  const lazy = new LazyMirrors({ folder: seeded.folder, cacheFolder });
  const traces = (max_nodes: number, tracer?: Tracer) =>
    repeat(rounds, (at) => trace(lazy, { tracer, input: { record_hash: tip(at), max_nodes, depth: DEEPEST } }));
  const tracer = new Tracer(Date.now);
  await traces(MANY, tracer);
  const [few, many] = [await traces(FEW, tracer), await traces(MANY, tracer)];
  const firstTime = await traces(FEW);
  const pages = await hubPages(lazy, { hub: seeded.hub, rounds });
  lazy.close();
  const scans = await repeat(3, async (at) => scanAndTrace(seeded.folder, { start: tip(at), maxNodes: FEW }).length);
  const mirrors = openMirrors({ folder: seeded.folder, cacheFolder });
  const catchUp = await measureCatchUp(mirrors, { folder: seeded.folder, rounds, count });
  mirrors.close();
  const [atFew, atMany, scan] = [summarise(few.times), summarise(many.times), summarise(scans.times)];
  return {
    megabytes: folderSize(seeded.folder),
    firstIndex: {
      seconds: first.ms / 1000,
      cpuSeconds: first.cpuMs / 1000,
      peakMiB: first.peak,
      longestStallMs: first.longest,
    },
    indexMiB: folderSize(cacheFolder),
    trace: { ...atFew, visited: few.visited },
    firstTrace: { ...summarise(firstTime.times), visited: firstTime.visited },
    furtherRecordMs: (atMany.p50 - atFew.p50) / (many.visited - few.visited),
    manyVisited: many.visited,
    hubPage: { ...summarise(pages.times), visited: pages.visited, children: seeded.hubChildren },
    catchUp,
    wholeFileScan: { ...scan },
    scanOverTrace: scan.p50 / atFew.p50,
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

interface Sample {
  /** Milliseconds of each round. */
  readonly times: readonly number[];
  /** Records that a round visited, on average. */
  readonly visited: number;
}

/** @param work answers how many records it visited */
async function repeat(rounds: number, work: (round: number) => Promise<number>): Promise<Sample> {
  const times: number[] = [];
  let visited = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { ms, value } = await timed(() => work(round));
    times.push(ms);
    visited += value;
  }
  return { times, visited: visited / rounds };
}

/** As `waymark trace-server` answers it. @param options.tracer one that has checked signatures before; else a new one */
async function trace(
  mirrors: LazyMirrors,
  { tracer = new Tracer(Date.now), input }: { readonly tracer?: Tracer | undefined; readonly input: TraceInput },
): Promise<number> {
  return (await ask(mirrors, { tracer, input })).visited.length;
}

async function ask(
  mirrors: LazyMirrors,
  { tracer, input }: { readonly tracer: Tracer; readonly input: TraceInput },
): Promise<TraceResult> {
  const answer = await traceMirrors(input, { tracer, mirrors });
  if (!answer.ok) throw new Error(`The trace was refused: ${answer.message}`);
  const wrong = answer.value.visited.find(({ verification }) => verification?.status !== 'valid');
  if (wrong !== undefined) throw new Error(`Does not verify: ${wrong.record_hash}`);
  return answer.value;
}

/** One page after the other of what follows from the hub, the first page included; anew where they end, by one tracer. */
async function hubPages(
  mirrors: LazyMirrors,
  { hub, rounds }: { readonly hub: Hash; readonly rounds: number },
): Promise<Sample> {
  const tracer = new Tracer(Date.now);
  let cursor: string | undefined;
  const page = async () => {
    const input = { record_hash: hub, direction: 'forward', depth: 1, max_nodes: HUB_PAGE, cursor } as const;
    const answer = await ask(mirrors, { tracer, input });
    cursor = answer.cursor;
    return answer.visited.length;
  };
  do await page();
  while (cursor !== undefined);
  return repeat(rounds, page);
}

/** In MiB. */
function folderSize(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 2 ** 20;
}
