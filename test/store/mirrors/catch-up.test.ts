import { spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { MirrorIndexError, type MirrorState } from '../../../src/store/mirrors/index.ts';
import { envelope, observation, type TestMirror, type TestRecord, testMirror } from './support.ts';

const READER = fileURLToPath(new URL('../../../.tools/test/children/mirror-reader.js', import.meta.url));

function many(count: number, prefix: string): readonly TestRecord[] {
  return Array.from({ length: count }, (_, at) => observation(`${prefix} ${at}`));
}

function indexFile(mirror: TestMirror): string {
  const name = readdirSync(mirror.cacheFolder).find((found) => found.endsWith('.sqlite'));
  return join(mirror.cacheFolder, name ?? 'none');
}

/** A file changed at this time shows no other. */
const FROZEN = new Date('2026-01-02T03:04:05Z');

/** Writes over bytes of a file in place. */
function overwrite(path: string, at: number, bytes: string): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, bytes, at);
  closeSync(fd);
}

test('what is appended is found, by this process and by one that had it indexed', async () => {
  const mirror = testMirror();
  const [first, second, third] = many(3, 'record');
  if (first === undefined || second === undefined || third === undefined) throw new Error('Three records');
  mirror.append('a.jsonl', ...many(20, 'before').map(({ record }) => record), first.record);
  const [one, other] = [mirror.open(), mirror.open()];
  expect(await one.catchUp()).toMatchObject({ records: 21 });
  mirror.append('a.jsonl', 'bad', second.record);
  mirror.append('b.jsonl', third.record);
  expect(one.has(second.hash)).toBe(false);
  const state = await other.catchUp();
  expect(state).toMatchObject({ files: 2, records: 23, skipped: { total: 1, first: [{ line: 22 }] } });
  expect([first, second, third].map(({ hash }) => other.read(hash))).toMatchObject([
    { record: first.record },
    { record: second.record },
    { record: third.record },
  ]);
  expect(await one.catchUp()).toEqual(state);
  expect(one.has(second.hash)).toBe(true);
});

test('only what is new is read of a file that has grown', async () => {
  const mirror = testMirror();
  const records = many(30, 'record');
  mirror.append('a.jsonl', ...records.map((one) => envelope(one)));
  const mirrors = mirror.open();
  await mirrors.catchUp();
  const [, , third] = records;
  const path = mirror.path('a.jsonl');
  // Between the first and the last 4 KiB, which are compared: seen only by whoever reads it again.
  const at = readFileSync(path, 'utf8').indexOf('"what":"record 15"');
  expect(at).toBeGreaterThan(4096);
  overwrite(path, at, '"what":"recoRD 15"');
  mirror.append('a.jsonl', observation('new').record);
  expect(await mirrors.catchUp()).toMatchObject({ records: 31 });
  expect(mirrors.read(records[15]?.hash ?? '')).toMatchObject({ local: { content: { what: 'recoRD 15' } } });
  expect(mirrors.read(third?.hash ?? '')).toMatchObject({ record: third?.record });
});

test('a last line without a newline counts once it is a record, and is read again when it goes on', async () => {
  const mirror = testMirror();
  const [one, two] = [observation('one'), observation('two')];
  const line = JSON.stringify(two.record);
  mirror.append('a.jsonl', one.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  appendFileSync(mirror.path('a.jsonl'), line.slice(0, 100));
  expect(await mirrors.catchUp()).toMatchObject({ records: 1, skipped: { total: 0 }, unfinished: ['a.jsonl'] });
  expect(mirrors.warnings()).toEqual([
    'The last line of "a.jsonl" has no end yet and counts once it is a whole record',
  ]);
  appendFileSync(mirror.path('a.jsonl'), line.slice(100));
  expect(await mirrors.catchUp()).toMatchObject({ records: 2, unfinished: [] });
  expect(mirrors.read(two.hash)).toMatchObject({ record: two.record });
  // As another program would see it who reads the file now for the first time: the line is no record.
  appendFileSync(mirror.path('a.jsonl'), 'and more\n');
  expect(await mirrors.catchUp()).toMatchObject({ records: 1, skipped: { total: 1, first: [{ line: 2 }] } });
  expect(mirrors.has(two.hash)).toBe(false);
  mirror.append('a.jsonl', two.record);
  expect(await mirrors.catchUp()).toMatchObject({ records: 2, duplicates: 0, skipped: { total: 1 } });
});

test('a record changed in place is not given, and what stands there now is', async () => {
  const mirror = testMirror();
  const records = many(30, 'record');
  mirror.append('a.jsonl', ...records.map(({ record }) => record));
  const path = mirror.path('a.jsonl');
  utimesSync(path, FROZEN, FROZEN);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  const victim = records[15];
  if (victim === undefined) throw new Error('Thirty records');
  const at = readFileSync(path, 'utf8').indexOf(String(victim.record.signature));
  // The same length and the same times: nothing but the bytes can tell.
  overwrite(path, at, 'AAAA');
  utimesSync(path, FROZEN, FROZEN);
  await mirrors.catchUp();
  expect(mirrors.read(victim.hash)).toBe('unreadable');
  expect(mirrors.read(records[14]?.hash ?? '')).toMatchObject({ record: records[14]?.record });
  await mirrors.catchUp();
  expect(mirrors.read(victim.hash)).toBeNull();
  const tampered = { ...victim.record, signature: `AAAA${victim.record.signature?.slice(4)}` };
  expect(mirrors.ofContext(victim.record.context_id, 100)).toHaveLength(30);
  expect(mirrors.ofContext(victim.record.context_id, 100).map((hash) => mirrors.read(hash))).toContainEqual(
    expect.objectContaining({ record: tampered }),
  );
});

test('a copy that was changed in place costs nothing as long as another one holds', async () => {
  const mirror = testMirror();
  const one = observation('one');
  mirror.append('a.jsonl', envelope(one));
  mirror.append('b.jsonl', one.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  overwrite(mirror.path('a.jsonl'), 20, 'XXXX');
  expect(mirrors.read(one.hash)).toMatchObject({ record: one.record, source: 'b.jsonl', local: null });
});

const CHANGES: Readonly<Record<string, (mirror: TestMirror, kept: readonly TestRecord[]) => void>> = {
  'cut short': (mirror, kept) =>
    truncateSync(
      mirror.path('a.jsonl'),
      kept.reduce((sum, { record }) => sum + JSON.stringify(record).length + 1, 0),
    ),
  'written anew': (mirror, kept) => {
    unlinkSync(mirror.path('a.jsonl'));
    mirror.append('a.jsonl', ...kept.map(({ record }) => record));
  },
  'written over, and longer': (mirror, kept) => {
    const text = [...kept.map(({ record }) => JSON.stringify(record)), 'x'.repeat(50_000)].join('\n');
    writeFileSync(mirror.path('a.jsonl'), `${text}\n`);
  },
  'replaced by a copy': (mirror, kept) => {
    mirror.append('copy', ...kept.map(({ record }) => record));
    copyFileSync(mirror.path('copy'), mirror.path('a.jsonl'));
  },
};

test.each(Object.entries(CHANGES))('a file that was %s is read again and what is gone is gone', async (_, change) => {
  const mirror = testMirror();
  const records = many(25, 'record');
  mirror.append('a.jsonl', ...records.map(({ record }) => record));
  mirror.append('b.jsonl', observation('elsewhere').record);
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ records: 26 });
  change(mirror, records.slice(0, 10));
  expect(await mirrors.catchUp()).toMatchObject({ records: 11, duplicates: 0 });
  expect(records.map(({ hash }) => mirrors.has(hash))).toEqual(records.map((_record, at) => at < 10));
  expect(mirrors.read(records[9]?.hash ?? '')).toMatchObject({ record: records[9]?.record });
  expect(mirrors.read(observation('elsewhere').hash)).toMatchObject({ source: 'b.jsonl' });
});

test('a rotated file keeps its records under its new name, and the new file is read', async () => {
  const mirror = testMirror();
  const [one, two] = [observation('one'), observation('two', { informed_by: [observation('one').hash] })];
  mirror.append('a.jsonl', one.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  renameSync(mirror.path('a.jsonl'), mirror.path('a.1.jsonl'));
  mirror.append('a.jsonl', two.record);
  expect(await mirrors.catchUp()).toMatchObject({ files: 2, records: 2, duplicates: 0 });
  expect(mirrors.read(one.hash)).toMatchObject({ source: 'a.1.jsonl' });
  expect(mirrors.read(two.hash)).toMatchObject({ source: 'a.jsonl' });
  expect(mirrors.children(one.hash, ['informed_by'])).toEqual([two.hash]);
});

test('a removed file takes its records along, and they come back with it', async () => {
  const mirror = testMirror();
  const one = observation('one');
  const two = observation('two', { informed_by: [one.hash] });
  mirror.append('a.jsonl', one.record);
  mirror.append('b.jsonl', two.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  renameSync(mirror.path('b.jsonl'), mirror.path('b'));
  expect(await mirrors.catchUp()).toMatchObject({ files: 1, records: 1 });
  expect(mirrors.read(two.hash)).toBeNull();
  expect(mirrors.children(one.hash, ['informed_by'])).toEqual([]);
  expect(mirrors.ofContext(two.record.context_id, 9)).toEqual([one.hash]);
  renameSync(mirror.path('b'), mirror.path('b.jsonl'));
  await mirrors.catchUp();
  expect(mirrors.children(one.hash, ['informed_by'])).toEqual([two.hash]);
  rmSync(mirror.folder, { recursive: true });
  expect(await mirrors.catchUp()).toMatchObject({ records: 0, empty: true });
  mkdirSync(mirror.folder);
  mirror.append('c.jsonl', two.record);
  expect(await mirrors.catchUp()).toMatchObject({ records: 1, empty: false });
  expect(mirrors.children(one.hash, ['informed_by'])).toEqual([two.hash]);
});

test('readings at the same time share one, and a closed mirror ends its own', async () => {
  const mirror = testMirror();
  mirror.append('a.jsonl', ...many(500, 'record').map(({ record }) => record));
  const mirrors = mirror.open();
  const states = await Promise.all([mirrors.catchUp(), mirrors.catchUp()]);
  expect(states[0]).toBe(states[1]);
  mirror.append('b.jsonl', ...many(500, 'other').map(({ record }) => record));
  const running = mirrors.catchUp();
  mirrors.close();
  await running;
  const again = mirror.open();
  expect(await again.catchUp()).toMatchObject({ records: 1000 });
});

test('an index that is damaged, foreign or gone is made anew', async () => {
  const mirror = testMirror();
  const records = many(200, 'record');
  mirror.append('a.jsonl', ...records.map(({ record }) => record));
  const first = mirror.open();
  await first.catchUp();
  first.close();
  const file = indexFile(mirror);

  writeFileSync(file, 'no database '.repeat(1000));
  const second = mirror.open();
  expect(await second.catchUp()).toMatchObject({ records: 200 });
  second.close();

  rmSync(file);
  const foreign = new Database(file);
  foreign.exec('CREATE TABLE other (x)');
  foreign.close();
  const third = mirror.open();
  expect(await third.catchUp()).toMatchObject({ records: 200 });

  for (const name of readdirSync(mirror.cacheFolder)) rmSync(join(mirror.cacheFolder, name));
  mirror.append('a.jsonl', observation('new').record);
  expect(await third.catchUp()).toMatchObject({ records: 201 });
  expect(third.has(observation('new').hash)).toBe(true);
});

test('an index that is found damaged by a question is made anew by the next reading', async () => {
  const mirror = testMirror();
  const records = many(300, 'record');
  mirror.append('a.jsonl', ...records.map(({ record }) => record));
  const first = mirror.open();
  await first.catchUp();
  first.close();
  const mirrors = mirror.open();
  const file = indexFile(mirror);
  overwrite(file, 4096 * 2, '?'.repeat(statSync(file).size - 4096 * 2));
  const hash = records[7]?.hash ?? '';
  expect(() => mirrors.read(hash)).toThrow(MirrorIndexError);
  expect(await mirrors.catchUp()).toMatchObject({ records: 300 });
  expect(mirrors.read(hash)).toMatchObject({ record: records[7]?.record });
});

/** What a process of its own says of the mirror; it begins when `start` is called. */
async function reader(mirror: TestMirror): Promise<{ start(): void; readonly state: Promise<MirrorState> }> {
  const child = spawn(process.execPath, [READER, mirror.folder, mirror.cacheFolder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    start: () => void child.stdin.write('go\n'),
    state: lines.next().then(({ value }) => JSON.parse(String(value))),
  };
}

test('processes that index one mirror at once share the work and agree', async () => {
  const mirror = testMirror();
  for (let at = 0; at < 4; at += 1) {
    mirror.append(`file-${at}.jsonl`, ...many(400, `file ${at}`).map((one) => envelope(one)), 'bad');
  }
  const readers = await Promise.all([reader(mirror), reader(mirror)]);
  for (const { start } of readers) start();
  const mirrors = mirror.open();
  const states = await Promise.all([mirrors.catchUp(), ...readers.map(({ state }) => state)]);
  for (const state of states) {
    expect(state).toMatchObject({ files: 4, records: 1600, duplicates: 0, skipped: { total: 4 }, behind: false });
  }
  expect(mirrors.read(observation('file 3 399').hash)).toMatchObject({ source: 'file-3.jsonl' });
});

test('what a killed process left half done is finished by the next', async () => {
  const mirror = testMirror();
  mirror.append('a.jsonl', ...many(2_000, 'record').map((one) => envelope(one)));
  const killed = spawn(process.execPath, [READER, mirror.folder, mirror.cacheFolder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => killed.once('close', resolve));
  await createInterface({ input: killed.stdout })[Symbol.asyncIterator]().next();
  killed.stdin.write('go\n');
  while (!(readdirSync(join(mirror.folder, '..')).includes('cache') && readdirSync(mirror.cacheFolder).length > 2)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  killed.kill('SIGKILL');
  await closed;
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ records: 2_000, duplicates: 0 });
});

test('a process that keeps the index to itself holds up no answer', async () => {
  const mirror = testMirror();
  const one = observation('one');
  mirror.append('a.jsonl', one.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  const other = new Database(indexFile(mirror));
  other.exec('BEGIN IMMEDIATE');
  mirror.append('a.jsonl', observation('two').record);
  const running = mirrors.catchUp();
  expect(mirrors.read(one.hash)).toMatchObject({ record: one.record });
  other.exec('ROLLBACK');
  other.close();
  expect(await running).toMatchObject({ records: 2, behind: false });
});
