/** The scripts of package.json on a synthetic fresh clone: real processes, with small programs in place of npm, tsc and vitest. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCK = JSON.stringify({
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/mac': { version: '1.0.0', optional: true },
  },
});

/** `npm ci`: what it leaves behind, and a line in calls.log. */
const NPM = `
const fs = require('node:fs');
if (process.argv[2] === 'test') {
  require('node:child_process').spawnSync(process.execPath, ['scripts/test.mjs'], { stdio: 'inherit' });
  process.exit(1);
}
fs.appendFileSync('calls.log', 'npm ' + process.argv[2] + '\\n');
if (process.env.STUB_NPM_FAILS) process.exit(7);
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules/typescript/bin', { recursive: true });
fs.mkdirSync('node_modules/vitest', { recursive: true });
fs.copyFileSync('stub/tsc.cjs', 'node_modules/typescript/bin/tsc');
fs.copyFileSync('stub/vitest.mjs', 'node_modules/vitest/vitest.mjs');
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
delete packages[''];
delete packages['node_modules/mac'];
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

/** tsc: puts the program that is "compiled" where --outDir says. */
const TSC = `
const fs = require('node:fs');
const config = process.argv[3];
const out = process.argv[5];
fs.appendFileSync('calls.log', 'tsc ' + config + '\\n');
if (fs.readFileSync('src/main.ts', 'utf8').includes('broken')) process.exit(2);
fs.mkdirSync(out + '/cli', { recursive: true });
fs.mkdirSync(out + '/bench', { recursive: true });
fs.copyFileSync('stub/main.mjs', out + '/cli/main.js');
fs.copyFileSync('stub/main.mjs', out + '/bench/main.js');
`;

/** The command: notes how it was called, makes a record on init, ends as STUB_EXIT says. */
const MAIN = `
import fs from 'node:fs';
import path from 'node:path';
const [verb, ...rest] = process.argv.slice(2);
const short = (text) => (text ? path.relative(process.cwd(), text) : '');
fs.appendFileSync('calls.log', ['main', verb, ...rest.map((arg) => path.isAbsolute(arg) ? short(arg) : arg), 'in', short(process.env.WAYMARK_DATA_REPO)].join(' ') + '\\n');
if (verb === 'init') { fs.mkdirSync(rest[0], { recursive: true }); fs.writeFileSync(rest[0] + '/config.yaml', ''); }
else if (process.env.STUB_SIGNAL) {
  process.on('SIGTERM', () => process.exit(42));
  setTimeout(() => process.exit(43), 10_000);
  process.kill(process.ppid, process.env.STUB_SIGNAL);
} else process.exit(Number(process.env.STUB_EXIT || 0));
`;

/** vitest: writes the report it is given in STUB_REPORT and ends as STUB_EXIT says. */
const VITEST = `
import { appendFileSync, writeFileSync } from 'node:fs';
const out = process.argv.find((arg) => arg.startsWith('--outputFile.json=')).split('=')[1];
appendFileSync('calls.log', 'vitest ' + process.argv.slice(6).join(' ') + '\\n');
if (process.env.STUB_REPORT) writeFileSync(out, process.env.STUB_REPORT);
console.log('runner talk');
console.error('runner noise');
process.exit(Number(process.env.STUB_EXIT || 0));
`;

interface Clone {
  readonly folder: string;
  run(script: string, options?: RunOptions): Ended;
  /** What was called since the last look. */
  calls(): string[];
  write(path: string, text: string): void;
}

interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

interface Ended {
  readonly code: number | null;
  readonly lastLine: string | undefined;
  readonly stderr: string;
}

function freshClone(): Clone {
  const folder = tempDir();
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  cpSync(join(ROOT, '.ci'), join(folder, '.ci'), { recursive: true });
  write('package.json', '{"type":"module"}');
  write('package-lock.json', LOCK);
  for (const config of ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.tools.json']) write(config, '{}');
  write('src/main.ts', 'export {};');
  write('bench/main.ts', 'export {};');
  write('stub/npm-cli.js', NPM);
  write('stub/package.json', '{"type":"commonjs"}');
  write('stub/tsc.cjs', TSC);
  write('stub/main.mjs', MAIN);
  write('stub/vitest.mjs', VITEST);
  // As the real `bin` of npm: a program on PATH, for .ci/run.
  write('stub/bin/npm', `#!/bin/sh\n[ "$1" = --silent ] && shift\nexec "${process.execPath}" stub/npm-cli.js "$@"\n`);
  write('stub/bin/apt-get', '#!/bin/sh\nexit 1\n');
  for (const program of ['npm', 'apt-get']) chmodSync(join(folder, 'stub/bin', program), 0o755);
  return {
    folder,
    write,
    run(script, { args = [], env = {}, nodeOptions = [] } = {}) {
      const ended = spawnSync(process.execPath, [...nodeOptions, script, ...args], {
        cwd: folder,
        encoding: 'utf8',
        // A signal that is not passed on would otherwise leave both waiting for ever.
        timeout: 15_000,
        killSignal: 'SIGKILL',
        env: { PATH: process.env['PATH'], npm_execpath: join(folder, 'stub/npm-cli.js'), ...env },
      });
      return { code: ended.status, lastLine: ended.stdout.trimEnd().split('\n').at(-1), stderr: ended.stderr };
    },
    calls() {
      const log = join(folder, 'calls.log');
      const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
      rmSync(log, { force: true });
      return lines;
    },
  };
}

function report(counts: { passed?: number; failed?: number; skipped?: number; unloaded?: number }): string {
  return JSON.stringify({
    numPassedTests: counts.passed ?? 0,
    numFailedTests: counts.failed ?? 0,
    numPendingTests: counts.skipped ?? 0,
    numTodoTests: 0,
    testResults: Array.from({ length: counts.unloaded ?? 0 }, () => ({ status: 'failed', assertionResults: [] })),
  });
}

const BUILT = ['npm ci', 'tsc tsconfig.build.json'];

describe('start.mjs', () => {
  it('installs, builds, makes ./data and serves it on a fresh clone, then only serves', () => {
    const clone = freshClone();
    const first = clone.run('scripts/start.mjs', { args: ['--port', '9000'] });
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('better-sqlite3 may compile from source, which takes about a minute');
    expect(clone.calls()).toEqual([...BUILT, 'main init data in ', 'main serve --port 9000 in data']);
    expect(clone.run('scripts/start.mjs').code).toBe(0);
    expect(clone.calls()).toEqual(['main serve in data']);
  });

  it('leaves a record that WAYMARK_DATA_REPO names to its owner', () => {
    const clone = freshClone();
    clone.run('scripts/start.mjs', { env: { WAYMARK_DATA_REPO: join(clone.folder, 'mine') } });
    expect(clone.calls()).toEqual([...BUILT, 'main serve in mine']);
    expect(existsSync(join(clone.folder, 'data'))).toBe(false);
  });

  it('ends with the exit code of the server, and passes SIGTERM on to it', () => {
    const clone = freshClone();
    expect(clone.run('scripts/start.mjs', { env: { STUB_EXIT: '3' } }).code).toBe(3);
    expect(clone.run('scripts/start.mjs', { env: { STUB_SIGNAL: 'SIGTERM' } }).code).toBe(42);
  });

  it('refuses without git or with an old Node, with exit code 3 and a next step', () => {
    const clone = freshClone();
    const noGit = clone.run('scripts/start.mjs', { env: { PATH: clone.folder } });
    expect(noGit.code).toBe(3);
    expect(noGit.stderr).toContain('next: install git');
    const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.1' } });";
    const oldNode = clone.run('scripts/start.mjs', {
      nodeOptions: ['--import', `data:text/javascript,${encodeURIComponent(old)}`],
    });
    expect(oldNode.code).toBe(3);
    expect(oldNode.stderr).toContain('Node 18.20.1 is too old');
    expect(clone.calls()).toEqual([]);
    expect(clone.run('scripts/start.mjs').code).toBe(0);
  });
});

describe('ensure()', () => {
  it('installs again when the lock file changed, and not after a complete npm ci by hand', () => {
    const clone = freshClone();
    clone.run('scripts/start.mjs');
    rmSync(join(clone.folder, 'node_modules/.waymark-install'));
    clone.calls();
    clone.run('scripts/start.mjs');
    expect(clone.calls()).toEqual(['main serve in data']);
    clone.write('package-lock.json', LOCK.replace('1.0.0', '1.0.1'));
    clone.run('scripts/start.mjs');
    expect(clone.calls()).toEqual(['npm ci', 'main serve in data']);
  });

  it('installs again after an install that was cut off', () => {
    const clone = freshClone();
    clone.run('scripts/start.mjs');
    clone.calls();
    rmSync(join(clone.folder, 'node_modules/.waymark-install'));
    rmSync(join(clone.folder, 'node_modules/.package-lock.json'));
    clone.run('scripts/start.mjs');
    expect(clone.calls()).toEqual(['npm ci', 'main serve in data']);
  });

  it('ends with exit code 3 when npm ci fails, and tries again the next time', () => {
    const clone = freshClone();
    const failed = clone.run('scripts/start.mjs', { env: { STUB_NPM_FAILS: '1' } });
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain('npm ci ended with exit code 7');
    expect(clone.run('scripts/start.mjs').code).toBe(0);
  });

  it('builds again when a source changed, and keeps the old build when the new one fails', () => {
    const clone = freshClone();
    clone.run('scripts/start.mjs');
    clone.calls();
    appendFileSync(join(clone.folder, 'src/main.ts'), '\n');
    clone.run('scripts/start.mjs');
    expect(clone.calls()).toEqual(['tsc tsconfig.build.json', 'main serve in data']);
    clone.write('src/main.ts', 'broken');
    const broken = clone.run('scripts/start.mjs');
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain('the build of dist failed');
    expect(clone.calls()).toEqual(['tsc tsconfig.build.json']);
    expect(existsSync(join(clone.folder, 'dist/cli/main.js'))).toBe(true);
  });
});

describe('bench.mjs', () => {
  it('builds the tools too and passes arguments and exit code through', () => {
    const clone = freshClone();
    expect(clone.run('scripts/bench.mjs', { args: ['--smoke'], env: { STUB_EXIT: '1' } }).code).toBe(1);
    expect(clone.calls()).toEqual([...BUILT, 'tsc tsconfig.tools.json', 'main --smoke in']);
  });
});

describe('test.mjs', () => {
  it.each([
    ['all pass', report({ passed: 5 }), '0', 0, '5 passed, 0 failed'],
    ['some are skipped', report({ passed: 5, skipped: 2 }), '0', 0, '5 passed, 0 failed, 2 skipped'],
    ['one fails', report({ passed: 4, failed: 1 }), '1', 1, '4 passed, 1 failed'],
    ['a file cannot be loaded', report({ passed: 4, unloaded: 1 }), '1', 1, '4 passed, 1 failed'],
    ['an error happens outside a test', report({ passed: 4 }), '1', 1, '4 passed, 1 failed'],
    ['none ran', report({}), '0', 1, '0 passed, 0 failed'],
    ['the runner dies before its report', '', '1', 1, '0 passed, 1 failed'],
    ['the runner ends well without a report', '', '0', 1, '0 passed, 0 failed'],
  ])('ends with the plain line when %s', (_title, json, exit, code, line) => {
    const clone = freshClone();
    const ended = clone.run('scripts/test.mjs', { args: ['test/x'], env: { STUB_REPORT: json, STUB_EXIT: exit } });
    expect(ended).toMatchObject({ code, lastLine: line });
    expect(clone.calls().at(-1)).toBe('vitest test/x');
  });
});

describe('.ci/run', () => {
  it('ends with the plain line and the exit code of the tests, on stdout and stderr together', () => {
    const clone = freshClone();
    const ended = spawnSync('sh', ['-c', '.ci/run 2>&1'], {
      cwd: clone.folder,
      encoding: 'utf8',
      env: {
        PATH: `${join(clone.folder, 'stub/bin')}:${process.env['PATH']}`,
        npm_execpath: join(clone.folder, 'stub/npm-cli.js'),
        STUB_REPORT: report({ passed: 4, failed: 1 }),
        STUB_EXIT: '1',
      },
    });
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('4 passed, 1 failed');
    expect(ended.status).toBe(1);
  });
});
