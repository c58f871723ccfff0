/** What the repository may not carry: addresses, paths of one machine, loose pins. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

// Built by joining, so that this file does not name what it forbids.
const REGISTRIES = [
  ['registry', 'npmjs', 'org'],
  ['registry', 'yarnpkg', 'com'],
  ['registry', 'npmmirror', 'com'],
  ['npm', 'pkg', 'github', 'com'],
].map((labels) => new RegExp(labels.join('\\.')));
const FOLDERS = ['work', 'tmp', 'root', `home/${'\\w+'}`, `Users/${'\\w+'}`].join('|');
/** An absolute path; `a/tmp/`, `$x/tmp/`, `"$x"/root/` are parts of longer ones. */
const MACHINE_PATH = new RegExp(`(?<!\\$\\w+"|[\\w.$}~*)>\\]-])/(?:${FOLDERS})/`);
/** Copied from elsewhere and kept byte for byte. */
const COPIED = /^test\/(vectors|fixtures)\//;

const packageSchema = z.object({
  bin: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  allowScripts: z.record(z.string(), z.boolean()),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      resolved: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
      optional: z.boolean().optional(),
    }),
  ),
});

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function trackedFiles(): string[] {
  // The owner of a checkout in a container is often not the user who runs the tests.
  const list = execFileSync('git', ['-c', `safe.directory=${ROOT.replace(/\/$/, '')}`, 'ls-files', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return list.split('\0').filter((path) => path !== '' && !COPIED.test(path));
}

function offences(text: string): string[] {
  return [...REGISTRIES, MACHINE_PATH].flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}

describe('tracked files', () => {
  it('name no registry and no path of one machine', () => {
    const files = trackedFiles();
    expect(files).toContain('package.json');
    const found = files.flatMap((path) => offences(readText(path)).map((what) => `${path}: ${what}`));
    expect(found).toEqual([]);
  });

  it('would be caught if they did', () => {
    const slash = '/';
    expect(offences(`see https:${slash}${slash}${['registry', 'npmjs', 'org'].join('.')}/x`)).toHaveLength(1);
    expect(offences(`cd ${slash}work${slash}x`)).toHaveLength(1);
    expect(offences(`"${slash}home${slash}ann${slash}x"`)).toHaveLength(1);
    expect(offences(`.waymark${slash}tmp${slash}x and $dir${slash}tmp${slash}x and https://x.example/a`)).toEqual([]);
  });
});

describe('npm run test:long', () => {
  it('runs every test that does more there', () => {
    const files = trackedFiles().filter((path) => path.endsWith('.test.ts'));
    const more = files.filter(
      (path) => /import \{[^}]*\bIS_LONG\b/.test(readText(path)) || path.startsWith('test/long/'),
    );
    const named = [
      ...(/const LONG = \[([^\]]*)\]/.exec(readText('scripts/test.mjs'))?.[1] ?? '').matchAll(/'([^']+)'/g),
    ];
    expect(more.length).toBeGreaterThan(10);
    expect(more.filter((path) => !named.some(([, part = '']) => path.includes(part)))).toEqual([]);
    expect(named.filter(([, part = '']) => !files.some((path) => path.includes(part)))).toEqual([]);
  });
});

describe('package.json', () => {
  const manifest = packageSchema.parse(JSON.parse(readText('package.json')));
  const lock = lockSchema.parse(JSON.parse(readText('package-lock.json')));

  it('pins every package exactly', () => {
    const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
    const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !exact.test(version),
    );
    expect(loose).toEqual([]);
    expect(exact.test('^1.2.3')).toBe(false);
  });

  it('has a lock file without addresses', () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(10);
    expect(Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
  });

  it('lets only better-sqlite3 run an install script', () => {
    expect(manifest.allowScripts).toEqual({ 'better-sqlite3': true });
    const scripted = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript && !entry.optional);
    expect(scripted.map(([path]) => path)).toEqual(['node_modules/better-sqlite3']);
  });

  it('has commands that are build output', () => {
    const outside = Object.values(manifest.bin).filter((path) => !/^(\.\/)?dist\/(?!.*\.\.)/.test(path));
    expect(Object.keys(manifest.bin)).toEqual(['waymark']);
    expect(outside).toEqual([]);
    expect(trackedFiles().filter((path) => path.startsWith('dist/'))).toEqual([]);
  });
});
