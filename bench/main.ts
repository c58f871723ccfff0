/**
 * Measures the built product from outside and writes docs/benchmarks.md.
 *
 *     node .tools/bench/main.js [--size 1k,10k,100k] [--only save,recall,...] [--keep] [--smoke]
 *
 * `--smoke` runs every measurement for a moment on 200 thoughts and prints the report: it shows that the bench works,
 * and its figures are written nowhere.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hideJj } from '../test/support/hide-jj.ts';
import { measureAdopt } from './adopt.ts';
import { measureConcurrent } from './concurrent.ts';
import { measureJujutsu } from './jujutsu.ts';
import { describeEnvironment, timed } from './measure.ts';
import { measureRecall } from './recall.ts';
import { measureReindex, untilIndexed } from './reindex.ts';
import { favaSchema, renderReport, shortfalls } from './report.ts';
import { readResults, writeSection } from './results.ts';
import { measureSave } from './save.ts';
import { seedRepository } from './seed.ts';
import type { Measurement, Session } from './session.ts';
import { measureSize } from './size.ts';
import { measureStart } from './start.ts';

/** In this order: what reads comes before what adds thoughts, then the index is thrown away, then git becomes jj. */
const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  start: measureStart,
  recall: measureRecall,
  save: measureSave,
  concurrent: measureConcurrent,
  size: measureSize,
  reindex: measureReindex,
  adopt: measureAdopt,
  jujutsu: measureJujutsu,
};
const RESULTS = 'bench/results';
const SMOKE_COUNT = 200;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '1k,10k,100k' },
      only: { type: 'string', default: Object.keys(MEASUREMENTS).join(',') },
      keep: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
    },
  });
  const { keep, smoke } = values;
  const only = values.only.split(',');
  const unknown = only.filter((name) => !(name in MEASUREMENTS));
  if (unknown.length > 0) {
    throw new Error(`No measurement "${unknown.join(', ')}": there are ${Object.keys(MEASUREMENTS).join(', ')}`);
  }
  const sizes = smoke ? [SMOKE_COUNT] : values.size.split(',').map(parseSize);
  // On the disk of the checkout: the temporary folder may be memory, which makes durable writes look free.
  mkdirSync('.bench', { recursive: true });
  const work = mkdtempSync(join(process.cwd(), '.bench/run-'));
  hideJj(work);
  const results = smoke ? join(work, 'results') : RESULTS;
  try {
    for (const count of sizes) await measureAll(count);
    const report = reportOf(results);
    if (smoke) console.log(report);
    else writeReport(report);
    for (const count of sizes) {
      for (const label of shortfalls(readResults(results, count))) say(`${count}: falls short: ${label}`);
    }
  } finally {
    if (!keep) rmSync(work, { recursive: true, force: true });
  }

  async function measureAll(count: number): Promise<void> {
    const record = join(work, `${count}`);
    const home = join(work, `${count}-home`);
    const { ms, value: scopes } = await timed(() => seedRepository({ root: record, home, count, scopes: 20 }));
    say(`${count}: seeded in ${Math.round(ms / 1000)} s`);
    const session: Session = { record, home, count, scopes, smoke };
    await untilIndexed(session);
    for (const [name, measure] of Object.entries(MEASUREMENTS)) {
      if (!only.includes(name)) continue;
      const { ms: took, value: figures } = await timed(() => measure(session));
      if (figures === null) {
        say(`${count}: ${name} left out`);
        continue;
      }
      writeSection(results, { count, name, environment: describeEnvironment(), figures });
      say(`${count}: ${name} measured in ${Math.round(took / 1000)} s`);
    }
    if (!keep) for (const folder of [record, home]) rmSync(folder, { recursive: true, force: true });
  }
}

function reportOf(folder: string): string {
  const fava = favaSchema.parse(JSON.parse(readFileSync(join(RESULTS, 'fava.json'), 'utf8')));
  const counts = readdirSync(folder).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
  return renderReport(
    counts.map((count) => readResults(folder, Number(count))),
    fava,
  );
}

function writeReport(report: string): void {
  mkdirSync('docs', { recursive: true });
  writeFileSync('docs/benchmarks.md', report);
}

/** `10k` or `10000`. */
function parseSize(text: string): number {
  const match = /^(\d+)(k?)$/.exec(text.trim());
  if (match === null) throw new Error(`Expected a size like 10k, got "${text}"`);
  return Number(match[1]) * (match[2] === 'k' ? 1000 : 1);
}

function say(message: string): void {
  console.error(`bench: ${message}`);
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
