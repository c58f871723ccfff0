/** docs/trace.md: its commands run as pasted, in order, and show what the text around them says. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from './support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOC = readFileSync(join(ROOT, 'docs/trace.md'), 'utf8');

function fenced(language: string): readonly string[] {
  return [...DOC.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, body = '']) =>
    name === language ? [body] : [],
  );
}

/** What a folder of its own needs to be a built checkout; `unzip` for machines that have none. */
function checkout(): { readonly root: string; readonly env: Record<string, string> } {
  const root = tempDir();
  for (const name of ['dist', 'tools', 'node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(root, name));
  const [home, bin] = [join(root, 'home'), join(root, 'bin')];
  for (const folder of [home, bin]) mkdirSync(folder);
  writeFileSync(join(bin, 'unzip'), UNZIP);
  chmodSync(join(bin, 'unzip'), 0o755);
  const PATH = [process.env['PATH'] ?? '', bin].join(delimiter);
  return { root, env: { PATH, HOME: home, TERM: 'dumb', NODE_PATH: join(ROOT, 'node_modules') } };
}

const UNZIP = `#!/usr/bin/env node
const { unzipSync } = require('fflate');
const fs = require('node:fs');
const path = require('node:path');
const [, archive, , folder] = process.argv.slice(2);
for (const [name, bytes] of Object.entries(unzipSync(fs.readFileSync(archive)))) {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), bytes);
}
`;

/** Lines without what differs each time: hashes, keys, times, the order of siblings and the width of columns. */
function shapes(text: string): readonly string[] {
  return text.split('\n').map((line) =>
    line
      .replace(/^[├└│─ ]+/, '')
      .replace(/, see (above|below)$/, '')
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
      .replace(/"[\w-]{43}"/g, '"KEY"')
      .replace(/\b[0-9a-f]{8,64}\b/g, 'HASH')
      .replace(/ {2,}/g, '  '),
  );
}

test('docs/trace.md runs as pasted, and prints what it shows', { timeout: 120_000 }, () => {
  const { root, env } = checkout();
  const blocks = fenced('sh');
  writeFileSync(join(root, 'session.sh'), `shopt -s expand_aliases\nset -e\n${blocks.join('\necho "=== next"\n')}`);
  const ran = spawnSync('bash', ['session.sh'], { cwd: root, env, encoding: 'utf8' });
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  const said = ran.stdout.split('=== next\n');
  const [, tree = '', path = '', kept = '', removed = '', evidence = '', mirrored = ''] = said;
  const shown = fenced('text');
  expect(shown.length).toBe(3);
  for (const [at, output] of [tree, removed, mirrored].entries()) {
    expect(shapes(output)).toEqual(expect.arrayContaining([...shapes(shown[at] ?? 'none')]));
  }
  expect(path).toMatch(/^informed by: approve: The card g/m);
  expect(readFileSync(join(root, 'why.mmd'), 'utf8')).toMatch(/^flowchart /);
  expect(readFileSync(join(root, 'why.json'), 'utf8')).toContain('wasDerivedFrom');
  for (const sound of [kept, evidence]) expect(sound).toMatch(/^Verified at /m);
  expect(removed.match(/^\w+ +ledger\//gm)).toEqual([expect.stringMatching(/^removed /)]);
});
