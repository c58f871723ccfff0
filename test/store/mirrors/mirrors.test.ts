import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Hash, LINK_KINDS, provenanceToken } from '../../../src/ledger/index.ts';
import { CONTEXT, NOW } from '../../ledger/support.ts';
import { IS_LONG } from '../../support/long.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { envelope, observation, testMirror } from './support.ts';

const UNKNOWN: Hash = `sha256:${'0'.repeat(64)}`;
const REPEATS = IS_LONG ? 100_000 : 20_000;
const isRoot = process.getuid?.() === 0;

test('a mirror gives every record back as it is stored, with its sidecar and the file it is in', async () => {
  const mirror = testMirror();
  const [bare, full, old] = [observation('bare'), observation('full'), observation('old')];
  mirror.append('a.jsonl', bare.record, envelope(full, { producer: 'emit' }));
  mirror.append('b.jsonl', { signed_record: old.record, record_hash: old.hash });
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ files: 2, records: 3, duplicates: 0, empty: false });
  expect(mirrors.read(bare.hash)).toEqual({ hash: bare.hash, record: bare.record, local: null, source: 'a.jsonl' });
  expect(mirrors.read(full.hash)).toEqual({
    hash: full.hash,
    record: full.record,
    local: { ...full.local, producer: 'emit' },
    source: 'a.jsonl',
  });
  expect(mirrors.read(old.hash)).toMatchObject({ record: old.record, source: 'b.jsonl' });
  expect([bare, UNKNOWN].map((one) => mirrors.has(typeof one === 'string' ? one : one.hash))).toEqual([true, false]);
  expect(mirrors.read(UNKNOWN)).toBeNull();
  expect(mirrors.warnings()).toEqual([]);
});

test('children are those that name a record by the links asked for, oldest first, then by hash', async () => {
  const mirror = testMirror();
  const root = observation('root');
  const { hash } = root;
  const other = { context_id: 'b'.repeat(32) };
  const late = observation('late', { informed_by: [hash], timestamp: NOW + 2 });
  const twins = ['one', 'two', 'three'].map((what) => observation(what, { informed_by: [hash], timestamp: NOW + 1 }));
  const next = observation('next', { chain_root: hash, informed_by: [hash], timestamp: NOW + 3 });
  const token = observation('token', { ...other, provenance_token: provenanceToken(hash), timestamp: NOW + 4 });
  const note = observation('note', { annotates: hash, timestamp: NOW + 5 });
  const revision = observation('revision', { revises: hash, timestamp: NOW + 6 });
  mirror.append('a.jsonl', ...[late, next, revision, note].map((one) => envelope(one)));
  mirror.append('b.jsonl', ...[...twins, token, root].map((one) => envelope(one)));
  const mirrors = mirror.open();
  await mirrors.catchUp();
  const hashes = (records: readonly { readonly hash: Hash }[]) => records.map((record) => record.hash);
  const informed = [...hashes(twins).sort(), late.hash, next.hash];
  expect(mirrors.children(hash, ['informed_by'])).toEqual(informed);
  expect(mirrors.children(hash, ['chain'])).toEqual([next.hash]);
  expect(mirrors.children(hash, ['provenance'])).toEqual([token.hash]);
  expect(mirrors.children(hash, ['annotates', 'revises'])).toEqual(hashes([note, revision]));
  expect(mirrors.children(hash, LINK_KINDS)).toEqual([...informed, token.hash, note.hash, revision.hash]);
  expect(mirrors.children(hash, [])).toEqual([]);
  expect(mirrors.children(UNKNOWN, LINK_KINDS)).toEqual([]);
});

test('children of a record that is only named are known', async () => {
  const mirror = testMirror();
  const child = observation('child', { informed_by: [UNKNOWN] });
  mirror.append('a.jsonl', child.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  expect(mirrors.has(UNKNOWN)).toBe(false);
  expect(mirrors.read(UNKNOWN)).toBeNull();
  expect(mirrors.children(UNKNOWN, ['informed_by'])).toEqual([child.hash]);
});

test('hashes that share their first eight bytes are told apart', async () => {
  const mirror = testMirror();
  const target = observation('target');
  const twin: Hash = `${target.hash.slice(0, 'sha256:'.length + 16)}${'0'.repeat(48)}`;
  const half: Hash = `${target.hash.slice(0, 'sha256:'.length + 32)}${'0'.repeat(32)}`;
  const ofTarget = observation('of the target', { informed_by: [target.hash] });
  const ofTwin = observation('of the twin', { informed_by: [twin], provenance_token: provenanceToken(twin) });
  mirror.append('a.jsonl', ...[ofTwin, target, ofTarget].map((one) => envelope(one)));
  const mirrors = mirror.open();
  await mirrors.catchUp();
  expect(mirrors.children(target.hash, ['informed_by', 'provenance'])).toEqual([ofTarget.hash]);
  expect(mirrors.children(twin, ['informed_by'])).toEqual([ofTwin.hash]);
  expect([target.hash, twin, half].map(mirrors.has)).toEqual([true, false, false]);
  expect(mirrors.byPrefix(twin.slice(0, 'sha256:'.length + 20), 5)).toEqual([]);
  expect(mirrors.byPrefix(target.hash.slice(0, 'sha256:'.length + 20), 5)).toEqual([target.hash]);
});

test('byPrefix takes any number of digits, and nothing else', async () => {
  const mirror = testMirror();
  const records = Array.from({ length: 40 }, (_, at) => observation(`record ${at}`));
  mirror.append('a.jsonl', ...records.map(({ record }) => record));
  const mirrors = mirror.open();
  await mirrors.catchUp();
  const sorted = records.map(({ hash }) => hash).sort();
  expect(mirrors.byPrefix('sha256:', 100)).toEqual(sorted);
  expect(mirrors.byPrefix('sha256:', 3)).toEqual(sorted.slice(0, 3));
  for (const digits of [1, 7, 16, 17, 31, 64]) {
    const prefix = sorted[9]?.slice(0, 'sha256:'.length + digits) ?? '';
    expect(mirrors.byPrefix(prefix, 100)).toEqual(sorted.filter((hash) => hash.startsWith(prefix)));
  }
  for (const wrong of ['', 'sha256', 'sha256:%', 'sha256:_', 'sha256:A', `${sorted[0]}0`]) {
    expect(mirrors.byPrefix(wrong, 100)).toEqual([]);
  }
});

test('ofContext gives one context, oldest first', async () => {
  const mirror = testMirror();
  const long = 'long '.repeat(100_000);
  const [third, first, second] = [3, 1, 2].map((at) => observation(`record ${at}`, { timestamp: NOW + at }));
  const elsewhere = observation('elsewhere', { context_id: long });
  mirror.append('a.jsonl', ...[third, first, second, elsewhere].map((one) => one?.record));
  const mirrors = mirror.open();
  await mirrors.catchUp();
  expect(mirrors.ofContext(CONTEXT, 10)).toEqual([first?.hash, second?.hash, third?.hash]);
  expect(mirrors.ofContext(CONTEXT, 2)).toEqual([first?.hash, second?.hash]);
  expect(mirrors.ofContext(long, 10)).toEqual([elsewhere.hash]);
  expect(mirrors.ofContext('c'.repeat(32), 10)).toEqual([]);
});

test('without some logs of Waymark their records are in no method, unreadable ones included, and use up no limit', async () => {
  const mirror = testMirror();
  const [ours, theirs, odd] = ['a'.repeat(16), 'b'.repeat(16), 'odd '.repeat(200)];
  const root = observation('root', { waymark: { log: ours } });
  const at = (seq: number, log: unknown) =>
    observation(`record ${seq}`, { informed_by: [root.hash], timestamp: NOW + seq, waymark: { log, seq } });
  const hidden = [1, 2, 3].map((seq) => at(seq, ours));
  const shown = [at(4, theirs), at(5, odd), at(6, 7), observation('bare', { timestamp: NOW + 9 })];
  mirror.append('a.jsonl', ...[root, ...hidden, ...shown].map(({ record }) => record));
  mirror.append('b.jsonl', at(7, ours).record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  writeFileSync(mirror.path('b.jsonl'), 'gone');
  const unreadable = at(7, ours).hash;
  expect(mirrors.read(unreadable)).toBe('unreadable');
  const rest = mirrors.withoutLogs((log) => log === ours);
  const hashes = (records: readonly { readonly hash: Hash }[]) => records.map((record) => record.hash);
  for (const hash of [root.hash, unreadable, ...hashes(hidden)]) {
    expect([mirrors.has(hash), rest.has(hash), rest.read(hash)]).toEqual([true, false, null]);
  }
  for (const { hash, record } of shown) expect([rest.has(hash), rest.read(hash)]).toMatchObject([true, { record }]);
  expect(mirrors.children(root.hash, ['informed_by'])).toHaveLength(7);
  expect(rest.children(root.hash, ['informed_by'])).toEqual(hashes(shown.slice(0, 3)));
  expect(rest.ofContext(CONTEXT, 2)).toEqual(hashes(shown.slice(0, 2)));
  expect(rest.ofContext(CONTEXT, 9)).toEqual(hashes(shown));
  expect(rest.byPrefix('sha256:', 9)).toEqual(hashes(shown).sort());
  expect(rest.byPrefix('sha256:', 2)).toEqual(hashes(shown).sort().slice(0, 2));
});

test('of several copies the sidecar that the record commits to wins, and contradictions are named', async () => {
  const mirror = testMirror();
  const one = observation('one');
  mirror.append('a-bare.jsonl', one.record);
  mirror.append('b-true.jsonl', envelope(one));
  mirror.append('c-forged.jsonl', { record: one.record, _local: { content: { what: `forged ${'x'.repeat(500)}` } } });
  mirror.append('d-more.jsonl', envelope(one, { producer: 'emit' }));
  mirror.append('e-bare.jsonl', one.record);
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ records: 5, duplicates: 4 });
  expect(mirrors.read(one.hash)).toMatchObject({
    local: { ...one.local, producer: 'emit' },
    source: 'd-more.jsonl',
    conflicts: ['c-forged.jsonl'],
  });
});

test('of copies that match nothing the richest wins, and copies that agree are no conflict', async () => {
  const mirror = testMirror();
  const one = observation('one', { args_hash: UNKNOWN });
  mirror.append('a.jsonl', envelope(one, { producer: 'emit', more: 'x'.repeat(50) }), one.record);
  mirror.append('b.jsonl', envelope(one, { producer: 'emit' }), one.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  const found = mirrors.read(one.hash);
  expect(found).toMatchObject({ source: 'a.jsonl', local: { more: 'x'.repeat(50) } });
  expect(found).not.toHaveProperty('conflicts');
});

test('one record repeated many thousand times is one record', async () => {
  const mirror = testMirror();
  const [one, child] = [observation('one'), observation('child', { informed_by: [observation('one').hash] })];
  mirror.append('a.jsonl', child.record);
  const line = `${JSON.stringify(one.record)}\n`;
  writeFileSync(mirror.path('b.jsonl'), line.repeat(REPEATS));
  mirror.append('c.jsonl', envelope(one));
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ records: REPEATS + 2, duplicates: REPEATS });
  expect(mirrors.read(one.hash)).toMatchObject({ source: 'c.jsonl', local: one.local });
  expect(mirrors.children(one.hash, ['informed_by'])).toEqual([child.hash]);
});

test('a bad line costs that line, is counted and located, and hides nothing', async () => {
  const mirror = testMirror();
  const [one, two] = [observation('one'), observation('two')];
  const long = 'x'.repeat(5 * 2 ** 20);
  mirror.append('a.jsonl', one.record, 'not JSON', '', '  ', { no: 'record' }, `"${long}"`, two.record);
  mirror.append('b.jsonl', '['.repeat(100_000), JSON.stringify(one.record).replace('{', '{"s":"\\udc00",'));
  const mirrors = mirror.open();
  const state = await mirrors.catchUp();
  expect(state).toMatchObject({ records: 2, skipped: { total: 5 } });
  expect(state.skipped.first.map(({ file, line, code }) => [file, line, code])).toEqual([
    ['a.jsonl', 2, 'not_json'],
    ['a.jsonl', 5, 'not_a_record'],
    ['a.jsonl', 6, 'too_long'],
    ['b.jsonl', 1, 'too_deep'],
    ['b.jsonl', 2, 'not_canonical'],
  ]);
  expect([one, two].map(({ hash }) => mirrors.has(hash))).toEqual([true, true]);
  expect(mirrors.warnings()).toEqual(['Skipped 5 lines of the mirror, first "a.jsonl" line 2: The line is not JSON']);
});

test('lines longer than a chunk and files that end in the middle of one are read whole', async () => {
  const mirror = testMirror();
  const records = Array.from({ length: 5 }, (_, at) => observation(`${at} ${'\u00e9'.repeat(400_000)}`));
  mirror.append('a.jsonl', ...records.map((one) => envelope(one)));
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ records: 5, skipped: { total: 0 } });
  for (const { hash, local } of records) expect(mirrors.read(hash)).toMatchObject({ local });
});

test('an empty mirror, an unreadable file and an unknown hash are three answers', async () => {
  const root = tempDir();
  const missing = testMirror().open({ file: join(root, 'missing.jsonl') });
  expect(await missing.catchUp()).toMatchObject({ empty: true, files: 0 });
  expect(missing.warnings()).toEqual(['The mirror is empty: its folder holds no file "*.jsonl", or is not there']);

  const mirror = testMirror();
  const mirrors = mirror.open();
  expect(await mirrors.catchUp()).toMatchObject({ empty: true });
  const one = observation('one');
  mirror.append('a.jsonl', one.record);
  writeFileSync(mirror.path('notes.txt'), 'no mirror');
  expect(await mirrors.catchUp()).toMatchObject({ empty: false, files: 1 });
  expect(mirrors.read(UNKNOWN)).toBeNull();
  expect(mirrors.warnings()).toEqual([]);
  mkdirSync(mirror.path('b.jsonl'));
  execFileSync('mkfifo', [mirror.path('c.jsonl')]);
  symlinkSync('nowhere', mirror.path('d.jsonl'));
  symlinkSync('e.jsonl', mirror.path('e.jsonl'));
  const state = await mirrors.catchUp();
  expect(state.unreadable).toEqual([
    { name: 'b.jsonl', reason: 'not a regular file' },
    { name: 'c.jsonl', reason: 'not a regular file' },
    { name: 'd.jsonl', reason: 'a link that leads nowhere' },
    { name: 'e.jsonl', reason: 'a loop of links' },
  ]);
  expect(mirrors.warnings()).toContain('Cannot read "c.jsonl" of the mirror: not a regular file');
  expect(mirrors.read(one.hash)).toMatchObject({ record: one.record });
});

test.skipIf(isRoot)('a file that may not be read keeps what is known of it unreadable, until it may', async () => {
  const mirror = testMirror();
  const one = observation('one');
  mirror.append('a.jsonl', one.record);
  const mirrors = mirror.open();
  await mirrors.catchUp();
  chmodSync(mirror.path('a.jsonl'), 0);
  expect(await mirrors.catchUp()).toMatchObject({ records: 1 });
  expect(mirrors.read(one.hash)).toBe('unreadable');
  expect(await mirrors.catchUp()).toMatchObject({ unreadable: [{ name: 'a.jsonl', reason: 'no permission' }] });
  chmodSync(mirror.folder, 0);
  const state = await mirrors.catchUp();
  chmodSync(mirror.folder, 0o700);
  expect(state).toMatchObject({ empty: false, unreadable: [{ name: 'records', reason: 'no permission' }] });
  chmodSync(mirror.path('a.jsonl'), 0o600);
  await mirrors.catchUp();
  expect(mirrors.read(one.hash)).toMatchObject({ record: one.record });
});

test('a link to a regular file is read, and one file alone when one is named', async () => {
  const mirror = testMirror();
  const elsewhere = join(tempDir(), 'elsewhere.txt');
  const [one, two] = [observation('one'), observation('two')];
  writeFileSync(elsewhere, `${JSON.stringify(one.record)}\n`);
  symlinkSync(elsewhere, mirror.path('a.jsonl'));
  mirror.append('b.jsonl', two.record);
  const whole = mirror.open();
  expect(await whole.catchUp()).toMatchObject({ files: 2, records: 2 });
  const alone = mirror.open({ file: mirror.path('b.jsonl') });
  expect(await alone.catchUp()).toMatchObject({ files: 1, records: 1 });
  expect([one, two].map(({ hash }) => [whole.has(hash), alone.has(hash)])).toEqual([
    [true, false],
    [true, true],
  ]);
});

test('the index is readable by its owner alone and holds no text of a sidecar', async () => {
  const mirror = testMirror();
  mirror.append('a.jsonl', envelope(observation('a private matter')));
  const mirrors = mirror.open();
  await mirrors.catchUp();
  expect(statSync(mirror.cacheFolder).mode & 0o777).toBe(0o700);
  const names = readdirSync(mirror.cacheFolder);
  expect(names.filter((name) => name.endsWith('.sqlite'))).toHaveLength(1);
  for (const name of names) {
    expect([name, statSync(join(mirror.cacheFolder, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(readFileSync(join(mirror.cacheFolder, name)).includes('a private matter')).toBe(false);
  }
});

test('where the cache cannot be written the mirror is read all the same, which is said', async () => {
  const mirror = testMirror();
  const one = observation('one');
  mirror.append('a.jsonl', one.record);
  writeFileSync(join(mirror.folder, 'in the way'), '');
  const mirrors = mirror.open({ cacheFolder: join(mirror.folder, 'in the way', 'cache') });
  expect(await mirrors.catchUp()).toMatchObject({ records: 1 });
  expect(mirrors.read(one.hash)).toMatchObject({ record: one.record });
  expect(mirrors.warnings()).toEqual([
    'The index of the mirror cannot be kept (ENOTDIR): every process reads the whole mirror',
  ]);
});
