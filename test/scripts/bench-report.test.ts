import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { favaSchema, renderReport, shortfalls } from '../../bench/report.ts';
import { figureAt, readResults, writeSection } from '../../bench/results.ts';
import { tempDir } from '../support/temp-dir.ts';

const environment = { cpus: 2, cpu: 'Test', memoryGiB: 1, system: 'linux 1', node: '20.0.0', git: '2.39.5' };
const fava = favaSchema.parse(
  JSON.parse(readFileSync(new URL('../../bench/results/fava.json', import.meta.url), 'utf8')),
);

describe('writeSection()', () => {
  it('replaces its section, keeps the others, and rounds to three digits', () => {
    const folder = tempDir();
    const write = (name: string, p50: number): void =>
      writeSection(folder, { count: 1000, name, environment, figures: { p50, wait: { p99: 0.123456 } } });
    write('save', 1);
    write('start', 2);
    write('save', 2.71654);
    const results = readResults(folder, 1000);
    expect(figureAt(results, { section: 'save', path: ['p50'] })).toBe(2.72);
    expect(figureAt(results, { section: 'start', path: ['p50'] })).toBe(2);
    expect(figureAt(results, { section: 'start', path: ['wait', 'p99'] })).toBe(0.123);
    expect(figureAt(results, { section: 'start', path: ['wait'] })).toBeUndefined();
  });
});

describe('renderReport()', () => {
  const section = (figures: Record<string, number>) => ({ measuredAt: '2026-01-02T00:00:00Z', environment, figures });
  const results = (count: number, p50: number) => ({ count, sections: { save: section({ p50 }) } });

  it('has a column a size in order, units, and what falls short in bold', () => {
    const report = renderReport([results(100_000, 30), results(1_000, 30), { count: 10_000, sections: {} }], fava);
    expect(report).toContain('| Figure | Aim | 1,000 | 100,000 |');
    expect(report).toMatch(/\| Save, p50 \| .* \| \*\*30 ms\*\* \| 30 ms \|/);
    expect(shortfalls(results(1_000, 30))).toEqual(['Save, p50']);
    expect(shortfalls(results(100_000, 30))).toEqual([]);
    expect(report).not.toContain('Recall, rare');
  });

  it("puts FAVA's figure of the largest record not larger than ours beside ours", () => {
    const report = renderReport([results(1_000, 10), results(10_000, 10)], fava);
    expect(report).toContain('| Save, p50 | 1,000 | 10 ms | 200 ms at 200 | 20 times |');
    expect(report).toContain('| Save, p50 | 10,000 | 10 ms | 600 ms at 5,000 | 60 times |');
  });
});
