import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Index, isIndexDamage, openIndex, removeIndex } from '../../../src/store/index/index.ts';
import { row, tempIndexFile, write } from './support.ts';

function filled(file: string): void {
  const index = openIndex({ file });
  write(index, () => {
    index.putThought(row(1, 'needle'));
    index.setIndexedCommit('c'.repeat(40));
  });
  index.close();
}

function forReading(file: string): Index {
  const index = openIndex({ file, readonly: true });
  if (index === 'absent') throw new Error('Expected an index');
  return index;
}

describe('openIndex', () => {
  test('keeps what was committed, and reads it on a read-only connection that cannot write', () => {
    const file = tempIndexFile();
    filled(file);
    const again = openIndex({ file });
    expect(again.indexedCommit()).toBe('c'.repeat(40));
    const reader = forReading(file);
    expect(reader.counts().thoughts).toBe(1);
    expect(() => reader.putThought(row(2, 'x'))).toThrow(/readonly/);
  });

  test('answers absent for reading where there is no file, and makes none', () => {
    const file = tempIndexFile();
    expect(openIndex({ file, readonly: true })).toBe('absent');
    expect(existsSync(file)).toBe(false);
  });

  test.each<[string, (file: string) => void]>([
    ['is no database', (file) => writeFileSync(file, 'not a database, but long enough to have a header'.repeat(50))],
    ['is cut short', (file) => truncateSync(file, 8192)],
    ["is another program's", (file) => replaceBy(file, 'CREATE TABLE other (x)')],
    ['has another table of the same name', (file) => replaceBy(file, 'CREATE TABLE meta (a, b)')],
    [
      'has another layout',
      (file) => new Database(file).exec(`UPDATE meta SET value = '0' WHERE key = 'layout'`).close(),
    ],
    ['is overwritten from the second page on', (file) => overwrite(file)],
  ])('makes a file anew that %s, and answers absent for reading', (_, spoil) => {
    const file = tempIndexFile();
    filled(file);
    spoil(file);
    expect(openIndex({ file, readonly: true })).toBe('absent');
    const index = openIndex({ file });
    expect(index.indexedCommit()).toBeNull();
    expect(index.counts().thoughts).toBe(0);
    write(index, () => index.putThought(row(3, 'works')));
    expect(forReading(file).counts().thoughts).toBe(1);
  });

  test('survives the loss of its write-ahead log (B25)', () => {
    const file = tempIndexFile();
    const index = openIndex({ file });
    write(index, () => index.putThought(row(1, 'needle')));
    writeFileSync(`${file}-copy`, readFileSync(file));
    index.close();
    const without = openIndex({ file: `${file}-copy` });
    expect(without.counts().thoughts).toBe(0);
    write(without, () => without.putThought(row(1, 'needle')));
    expect(without.counts().thoughts).toBe(1);
  });

  test('overwrites the text of a removed thought', () => {
    const file = tempIndexFile();
    const holds = (text: string) => readFileSync(file).includes(text);
    // Closing moves what was written from the write-ahead log into the file.
    const change = (work: (index: Index) => void) => {
      const index = openIndex({ file });
      write(index, () => work(index));
      index.close();
    };
    change((index) => [row(1, 'a removed sentence'), row(2, 'a kept sentence')].forEach(index.putThought));
    expect([holds('a removed sentence'), holds('a kept sentence')]).toEqual([true, true]);
    change((index) => index.removeThought(row(1, '').path));
    expect([holds('a removed sentence'), holds('a kept sentence')]).toEqual([false, true]);
  });

  test('two openers of a missing file share one', () => {
    const file = tempIndexFile();
    const [one, two] = [openIndex({ file }), openIndex({ file })];
    write(one, () => one.putThought(row(1, 'needle')));
    expect(two.counts().thoughts).toBe(1);
  });

  test('isCurrent tells a replaced file', () => {
    const file = tempIndexFile();
    filled(file);
    const reader = forReading(file);
    expect(reader.isCurrent()).toBe(true);
    removeIndex(file);
    expect(reader.isCurrent()).toBe(false);
    filled(file);
    expect(reader.isCurrent()).toBe(statSync(file).ino === 0);
  });

  test('isIndexDamage tells damage from mistakes', () => {
    const file = tempIndexFile();
    filled(file);
    const index = openIndex({ file });
    expect(isIndexDamage(new Error('other'))).toBe(false);
    overwrite(file);
    let caught: unknown;
    try {
      new Database(file).prepare('SELECT count(*) FROM thought').get();
    } catch (error) {
      caught = error;
    }
    expect(isIndexDamage(caught)).toBe(true);
    index.close();
  });
});

function replaceBy(file: string, sql: string): void {
  removeIndex(file);
  new Database(file).exec(sql).close();
}

function overwrite(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 8192));
}
