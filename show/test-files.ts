/** Runs test files for real and reads what they counted; a test adds a figure by a line that starts with `figure:`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import * as z from 'zod';
import type { Item, Shown } from './item.ts';

const reportSchema = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});
type Report = z.infer<typeof reportSchema>;

/** Paths of files, or beginnings of them. A file of which every test was skipped, as without jj, shows nothing. */
export function testFiles(...files: readonly string[]): Item['show'] {
  return async (): Promise<Shown> => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-show-'));
    const file = join(folder, 'report.json');
    try {
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
      const output = await run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...files]);
      const report = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      const idle = [...notRun(report, files), ...allSkipped(report)].map((name) => `nothing ran in ${name}`);
      const figures = [...output.matchAll(/^figure: (.*)$/gm)].map(([, text]) => text ?? '');
      const counts = `${report.numPassedTests} tests passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`;
      return { ok: report.success && idle.length === 0, figures: [counts, ...idle, ...figures].join('; ') };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

function notRun({ testResults }: Report, files: readonly string[]): readonly string[] {
  const ran = testResults.map(({ name }) => relative('', name));
  return files.filter((file) => !ran.some((name) => name.startsWith(file)));
}

function allSkipped({ testResults }: Report): readonly string[] {
  return testResults
    .filter(({ assertionResults }) => !assertionResults.some(({ status }) => status === 'passed'))
    .map(({ name }) => relative('', name));
}

function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', WAYMARK_TEST_LONG: '1' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
