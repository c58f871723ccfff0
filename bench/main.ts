/**
 * Measures the built product from outside and writes docs/benchmarks.md.
 *
 *     node .tools/bench/main.js [--size 1k,10k,100k] [--mirrors 10k,100k,1m] [--only save,recall,...] [--keep] [--smoke]
 *
 * `--size` counts thoughts of a record, `--mirrors` records of atrib mirrors; `--only mirrors` measures these alone.
 * `--smoke` runs every measurement for a moment on 200 thoughts and prints the report: it shows that the bench works,
 * and its figures are written nowhere.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hideJj } from '../test/support/hide-jj.ts';
import { measureAdopt } from './adopt.ts';
import { measureConcurrent } from './concurrent.ts';
import { measureHttp } from './http.ts';
import { measureJujutsu } from './jujutsu.ts';
import { describeEnvironment, timed } from './measure.ts';
import { measureMirrors } from './mirrors.ts';
import { measurePages } from './pages.ts';
import { measureRecall } from './recall.ts';
import { measureReindex, untilIndexed } from './reindex.ts';
import { favaSchema, renderReport, shortfalls } from './report.ts';
import { readResults, writeSection } from './results.ts';
import { measureSave } from './save.ts';
import { seedRepository } from './seed.ts';
import type { Figures, Measurement, Session } from './session.ts';
import { measureSign } from './sign.ts';
import { measureSize } from './size.ts';
import { measureStart } from './start.ts';
import { measureVerify } from './verify.ts';

/** In this order: what reads comes before what adds thoughts, then the index is thrown away, then git becomes jj. */
const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  verify: measureVerify,
  start: measureStart,
  recall: measureRecall,
  pages: measurePages,
  save: measureSave,
  sign: measureSign,
  concurrent: measureConcurrent,
  http: measureHttp,
  size: measureSize,
  reindex: measureReindex,
  adopt: measureAdopt,
  jujutsu: measureJujutsu,
};
/** Measured without a record, on sizes of its own. */
const MIRRORS = 'mirrors';
const RESULTS = 'bench/results';
const SMOKE_COUNT = 200;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '1k,10k,100k' },
      mirrors: { type: 'string', default: '10k,100k,1m' },
      only: { type: 'string', default: [...Object.keys(MEASUREMENTS), MIRRORS].join(',') },
      keep: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
    },
  });
  const { keep, smoke } = values;
  const only = values.only.split(',');
  const known = [...Object.keys(MEASUREMENTS), MIRRORS];
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`No measurement "${unknown.join(', ')}": there are ${known.join(', ')}`);
  const sizesOf = (list: string) => (smoke ? [SMOKE_COUNT] : list.split(',').map(parseSize));
  const sizes = only.some((name) => name in MEASUREMENTS) ? sizesOf(values.size) : [];
  const mirrorSizes = only.includes(MIRRORS) ? sizesOf(values.mirrors) : [];
  // On the disk of the checkout: the temporary folder may be memory, which makes durable writes look free.
  mkdirSync('.bench', { recursive: true });
  const work = mkdtempSync(join(process.cwd(), '.bench/run-'));
  hideJj(work);
  const results = smoke ? join(work, 'results') : RESULTS;
  try {
    for (const count of sizes) await measureAll(count);
    for (const count of mirrorSizes) {
      const folder = join(work, `mirrors-${count}`);
      await note({ count, name: MIRRORS, measure: () => measureMirrors({ folder, count, smoke }) });
      if (!keep) rmSync(folder, { recursive: true, force: true });
    }
    const report = reportOf(results);
    if (smoke) console.log(report);
    else writeReport(report);
    for (const count of new Set([...sizes, ...mirrorSizes])) {
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
      if (only.includes(name)) await note({ count, name, measure: () => measure(session) });
    }
    if (!keep) for (const folder of [record, home]) rmSync(folder, { recursive: true, force: true });
  }

  async function note(of: { count: number; name: string; measure: () => Promise<Figures | null> }): Promise<void> {
    const { count, name } = of;
    const { ms, value: figures } = await timed(of.measure);
    if (figures === null) return say(`${count}: ${name} left out`);
    writeSection(results, { count, name, environment: describeEnvironment(), figures });
    say(`${count}: ${name} measured in ${Math.round(ms / 1000)} s`);
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

/** `1m`, `10k` or `10000`. */
function parseSize(text: string): number {
  const match = /^(\d+)([km]?)$/.exec(text.trim());
  if (match === null) throw new Error(`Expected a size like 10k, got "${text}"`);
  return Number(match[1]) * ({ k: 1_000, m: 1_000_000 }[match[2] ?? ''] ?? 1);
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
