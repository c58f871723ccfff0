/** The figures of the last benchmark run, from its committed results. */
import { readFileSync } from 'node:fs';
import type { Item, Shown } from './item.ts';

/** @param labels Beginnings of the rows to show, each of which there must be; none takes all. */
export function bench(...labels: readonly string[]): Item['show'] {
  return async (): Promise<Shown> => {
    const text = readFileSync('docs/benchmarks.md', 'utf8');
    const measured = text.split('\n').filter((line) => line.startsWith('| ') && /\d/.test(line));
    if (labels.length === 0) return { ok: measured.length > 0, figures: summary(measured) };
    const absent = labels.filter((label) => !measured.some((line) => line.startsWith(`| ${label}`)));
    const rows = measured.filter((line) => labels.some((label) => line.startsWith(`| ${label}`)));
    const named = rows.map((line) => line.replace(/^\| | \|$/g, '').replaceAll(' | ', ', '));
    const figures = [...absent.map((label) => `no row "${label.trim()}"`), ...named, summary(rows)].join('; ');
    return { ok: absent.length === 0, figures };
  };
}

function summary(rows: readonly string[]): string {
  const held = rows.filter((line) => !line.includes('**')).length;
  return `${rows.length} rows in docs/benchmarks.md, ${held} without a missed aim`;
}
