import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Intent, intentFile, readIntent, removeIntent, writeIntent } from '../../src/store/intent.ts';

const INTENT: Intent = {
  version: 1,
  branch: 'main',
  kind: 'git',
  changes: {
    parent: 'a'.repeat(40),
    commits: [
      {
        author: { name: 'agent-1', email: 'a@x' },
        seconds: 1_700_000_000,
        message: 'save ünï\n',
        files: new Map<string, Uint8Array | null>([
          ['a/b.md', new Uint8Array([0, 255, 13, 10, 254])],
          ['empty', new Uint8Array()],
          ['__proto__', new Uint8Array([1])],
          ['gone', null],
        ]),
      },
    ],
  },
  children: [{ pid: 12, started: 345 }],
};

describe('the intent', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'waymark-intent-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('reads back as it was written, byte for byte, readable by its owner alone', async () => {
    expect(await readIntent(dir)).toBeNull();
    await writeIntent(dir, INTENT);
    expect(await readIntent(dir)).toEqual({ ok: true, intent: INTENT });
    expect(statSync(intentFile(dir)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dir, 'tmp'))).toEqual([]);
    await removeIntent(dir);
    await removeIntent(dir);
    expect(await readIntent(dir)).toBeNull();
  });

  test('holds files of megabytes', async () => {
    const large = new Uint8Array(2_000_000).fill(7);
    const commits = INTENT.changes.commits.map((commit) => ({ ...commit, files: new Map([['large', large]]) }));
    await writeIntent(dir, { ...INTENT, changes: { ...INTENT.changes, commits } });
    const read = await readIntent(dir);
    const bytes = read?.ok ? read.intent.changes.commits[0]?.files.get('large') : undefined;
    expect(Buffer.compare(bytes ?? new Uint8Array(), large)).toBe(0);
  });

  test('that is damaged is a value that names the file and the fault', async () => {
    await writeIntent(dir, INTENT);
    const whole = readFileSync(intentFile(dir), 'utf8');
    const damaged = [
      '',
      whole.slice(0, -20),
      whole.replace('"version":1', '"version":2'),
      whole.replace('a'.repeat(40), 'a'.repeat(39)),
      whole.replace('AP8NCv4=', 'AP8N*v4='),
      '[]',
    ];
    for (const text of damaged) {
      writeFileSync(intentFile(dir), text);
      expect(await readIntent(dir)).toMatchObject({ ok: false, code: 'damaged', file: intentFile(dir) });
    }
    writeFileSync(intentFile(dir), whole);
    expect((await readIntent(dir))?.ok).toBe(true);
  });
});
