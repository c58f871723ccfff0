/** Runs test files for real and reads what they counted; a test adds a figure by a line that starts with `figure:`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Item, Shown } from './item.ts';

const reportSchema = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
});

export function testFiles(...files: readonly string[]): Item['show'] {
  return async (): Promise<Shown> => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-show-'));
    const file = join(folder, 'report.json');
    try {
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
      const output = await run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...files]);
      const report = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      const figures = [...output.matchAll(/^figure: (.*)$/gm)].map(([, text]) => text ?? '');
      const counts = `${report.numPassedTests} tests passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`;
      return { ok: report.success && report.numPassedTests > 0, figures: [counts, ...figures].join('; ') };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
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
