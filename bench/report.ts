/** docs/benchmarks.md from the figures on disk. Writes no number of its own. */
import { z } from 'zod';
import { AIMS, type Aim, limitAt } from './aims.ts';
import type { Environment } from './measure.ts';
import { figureAt, type Results } from './results.ts';

const pointSchema = z.object({ thoughts: z.number(), ms: z.number() });
export const favaSchema = z.object({
  source: z.string(),
  saveMs: z.array(pointSchema),
  readMs: z.array(pointSchema),
});
export type FavaFigures = z.infer<typeof favaSchema>;

/** Markdown; sizes that were never measured are left out. */
export function renderReport(all: readonly Results[], fava: FavaFigures): string {
  const measured = all
    .filter((results) => Object.keys(results.sections).length > 0)
    .toSorted((a, b) => a.count - b.count);
  return `${[
    '# Benchmarks',
    '',
    'Written by `npm run bench` from `bench/results/*.json`; do not edit. Columns are numbers of thoughts, each about 1 KB,',
    'in 20 scopes, 60 % of them approved and current, all held to the ledger by signed events. Times are those of a real',
    'client over stdio, protocol included. **Bold** falls short of its aim. For rows of mirrors the columns are numbers of',
    'signed records of about 1 KB in four files of an atrib mirror, and times are those of the whole answer in one process,',
    'which hashes every record again and has checked its signature before, unless the row says otherwise; the scan reads,',
    'parses and hashes every record of every file for each trace, in the same run, and checks no signature. Verifications',
    'are whole runs of the command. Callers over HTTP and the measuring client share the processors with the server; pages',
    'are timed to their last byte.',
    '',
    ...figuresTable(measured),
    '',
    '## Beside FAVA Trails',
    '',
    `${fava.source}. Beside each of our figures stands its figure for the largest record not larger than ours, so the`,
    'factor understates the difference where ours is larger.',
    '',
    ...favaTable(measured, fava),
    '',
    '## Where and when',
    '',
    ...measured.flatMap(whereAndWhen),
  ].join('\n')}\n`;
}

/** Names of the aims that a size falls short of. */
export function shortfalls(results: Results): string[] {
  return AIMS.filter((aim) => fallsShort(aim, results)).map(({ label }) => label);
}

function figuresTable(all: readonly Results[]): string[] {
  const head = ['Figure', 'Aim', ...all.map(({ count }) => thousands(count))];
  const rows = AIMS.filter((aim) => all.some((results) => figureOf(aim, results) !== undefined)).map((aim) => [
    aim.label,
    aimText(aim),
    ...all.map((results) => {
      const value = figureOf(aim, results);
      if (value === undefined) return '';
      return fallsShort(aim, results) ? `**${withUnit(value, aim.unit)}**` : withUnit(value, aim.unit);
    }),
  ]);
  return table(head, rows);
}

function favaTable(all: readonly Results[], fava: FavaFigures): string[] {
  const rows = AIMS.flatMap((aim) => {
    const points = aim.fava === undefined ? [] : fava[aim.fava];
    return all.flatMap((results) => {
      const ours = figureOf(aim, results);
      const theirs = points.filter(({ thoughts }) => thoughts <= results.count).at(-1);
      if (ours === undefined || theirs === undefined) return [];
      return [
        [
          aim.label,
          thousands(results.count),
          withUnit(ours, 'ms'),
          `${withUnit(theirs.ms, 'ms')} at ${thousands(theirs.thoughts)}`,
          `${plain(theirs.ms / ours)} times`,
        ],
      ];
    });
  });
  return table(['Figure', 'Thoughts', 'Waymark', 'FAVA Trails', 'Factor'], rows);
}

function whereAndWhen(results: Results): string[] {
  const sections = Object.entries(results.sections);
  const places = new Map(sections.map(([, { environment }]) => [describe(environment), environment]));
  return [...places.keys()].map((place) => {
    const names = sections.filter(([, { environment }]) => describe(environment) === place);
    const days = [...new Set(names.map(([, { measuredAt }]) => measuredAt.slice(0, 10)))].sort().join(', ');
    return `- ${thousands(results.count)} (${names.map(([name]) => name).join(', ')}): ${days}, ${place}`;
  });
}

function describe(environment: Environment): string {
  const { cpus, cpu, memoryGiB, system, node, git } = environment;
  return `${cpus} x ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node}, git ${git}`;
}

function figureOf(aim: Aim, results: Results): number | undefined {
  return figureAt(results, { section: aim.section, path: aim.path });
}

function fallsShort(aim: Aim, results: Results): boolean {
  const value = figureOf(aim, results);
  if (value === undefined || aim.aim === undefined) return false;
  const limit = limitAt('most' in aim.aim ? aim.aim.most : aim.aim.least, results.count);
  if (limit === undefined) return false;
  return 'most' in aim.aim ? value > limit : value < limit;
}

function aimText({ aim, unit }: Aim): string {
  if (aim === undefined) return '';
  const [sign, limit] = 'most' in aim ? (['<=', aim.most] as const) : (['>=', aim.least] as const);
  if (typeof limit === 'number') return `${sign} ${withUnit(limit, unit)}`;
  return Object.entries(limit)
    .map(([count, value]) => `${sign} ${withUnit(value, unit)} at ${thousands(Number(count))}`)
    .join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function withUnit(value: number, unit: Aim['unit']): string {
  return unit === '' || unit === '/s' ? `${plain(value)}${unit}` : `${plain(value)} ${unit}`;
}

/** Three significant digits without an exponent. */
function plain(value: number): string {
  return thousands(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

function thousands(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
