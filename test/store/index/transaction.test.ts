import { describe, expect, test } from 'vitest';
import { openIndex } from '../../../src/store/index/index.ts';
import { row, tempIndexFile, write } from './support.ts';

describe('the index transaction', () => {
  test('admits one writer, answers false at once to another, and lets readers read the state before', () => {
    const file = tempIndexFile();
    const [one, two] = [openIndex({ file }), openIndex({ file })];
    expect(one.begin()).toBe(true);
    one.putThought(row(1, 'needle'));
    expect(two.begin()).toBe(false);
    expect(two.counts().thoughts).toBe(0);
    one.commit();
    expect(two.counts().thoughts).toBe(1);
    expect(two.begin()).toBe(true);
    two.rollback();
  });

  test('rollback undoes everything, scopes included', () => {
    const index = openIndex({ file: tempIndexFile() });
    index.begin();
    index.putThought(row(1, 'needle', { scope: 'gone' }));
    index.setIndexedCommit('c'.repeat(40));
    index.rollback();
    index.rollback();
    expect(index.scopes()).toEqual([]);
    expect(index.indexedCommit()).toBeNull();
    write(index, () => index.putThought(row(2, 'needle', { scope: 'kept' })));
    expect(index.scopes()).toEqual([{ scope: 'kept', governed: 1 }]);
  });

  test('rollbackTo undoes one operation and leaves the others, search terms included', () => {
    const index = openIndex({ file: tempIndexFile() });
    index.begin();
    index.savepoint();
    index.putThought(row(1, 'needle one'));
    index.release();
    index.savepoint();
    index.putThought(row(2, 'needle two'));
    index.removeThought(row(1, '').path);
    index.rollbackTo();
    index.savepoint();
    index.putThought(row(3, 'needle three'));
    index.release();
    index.commit();
    const page = index.recall({
      scopes: ['team'],
      classes: [1],
      tokens: ['needle'],
      filters: {},
      order: 'newest',
      limit: 9,
    });
    expect(page.hits.map((hit) => hit.thought.body)).toEqual(['needle three', 'needle one']);
  });

  test('snapshot reads one state while another connection commits', () => {
    const file = tempIndexFile();
    const [writer, reader] = [openIndex({ file }), openIndex({ file })];
    const counts = reader.snapshot(() => {
      const before = reader.counts().thoughts;
      write(writer, () => writer.putThought(row(1, 'needle')));
      return [before, reader.counts().thoughts];
    });
    expect(counts).toEqual([0, 0]);
    expect(reader.counts().thoughts).toBe(1);
  });
});
