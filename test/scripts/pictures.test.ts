/** The pictures of README: small, readable in both themes, and still what the commands print. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMITTED = join(ROOT, 'docs/pictures');
const NAMES = ['recall.svg', 'review.svg', 'status.svg', 'trace.svg', 'verify.svg'];

function picture(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** The text of a picture without what differs from one record to the next, in no order: logs are sorted by key. */
function linesOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)]
    .map(([, line = '']) =>
      line
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\b[0-9A-Z]{26}\b/g, 'ID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'TIME')
        .replaceAll(/\b(?:[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{16})\b/g, 'HEX'),
    )
    .sort();
}

/** Of a trace, what was done: causes of one record stand in the order of their hashes, which differs from run to run. */
function facts(name: string, lines: readonly string[]): readonly string[] {
  if (name !== 'trace.svg') return lines;
  return lines.map((line) => line.replace(/^[│├└─ ]+/, '').split(':')[0] ?? '').sort();
}

test('every picture is under 20 KB, has a title and both themes, and needs nothing from outside', () => {
  expect(readdirSync(COMMITTED).sort()).toEqual(NAMES);
  for (const name of NAMES) {
    const svg = picture(COMMITTED, name);
    expect(svg.length).toBeLessThan(20_000);
    expect(svg).toMatch(/<title id="title">\w/);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|url\(|@import|<image|<script|href/,
    );
    expect(svg).toContain(`$ waymark ${name.replace('.svg', '')}`);
    // Nothing of the machine it was drawn on.
    expect(svg).not.toMatch(/\/(tmp|home|work|root|Users)\//);
  }
});

test('the pictures show what the commands print on the demo record', () => {
  const out = tempDir();
  const drawn = spawnSync(process.execPath, [join(ROOT, 'scripts/pictures.mjs'), out], { encoding: 'utf8' });
  expect(drawn.status, drawn.stderr).toBe(0);
  for (const name of NAMES) {
    const fresh = linesOf(picture(out, name));
    expect(fresh.length).toBeGreaterThan(1);
    expect(facts(name, linesOf(picture(COMMITTED, name))), name).toEqual(facts(name, fresh));
  }
});
