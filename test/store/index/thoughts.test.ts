import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../src/record/matching.ts';
import { visibilityClass } from '../../../src/record/visibility.ts';
import type { Index } from '../../../src/store/index/index.ts';
import { indexOf, type RowOptions, row, write } from './support.ts';

const OLD = row(1, 'needle old').thought.thought_id;
const NEW = row(2, 'needle new').thought.thought_id;

/** Bodies found in a class, by both ways into the index. */
function found(
  index: Index,
  visibility: 1 | 2 | 3 | 4,
  scopes: readonly string[] = ['team', 'other'],
): readonly string[] {
  const [byTerm, byTime] = ['needle', ''].map((query) =>
    index
      .recall({
        scopes,
        classes: [visibility],
        tokens: tokensOf(query),
        filters: {},
        order: 'newest',
        limit: 50,
      })
      .hits.map((hit) => {
        expect(visibilityClass(hit.facts)).toBe(visibility);
        return hit.thought.body;
      }),
  );
  expect(byTerm).toEqual(byTime);
  return byTerm ?? [];
}

function old(superseded_scope?: string): ReturnType<typeof row> {
  return row(1, 'needle old', {
    thought: { superseded_by: NEW, ...(superseded_scope === undefined ? {} : { superseded_scope }) },
  });
}

function successor(options: RowOptions = {}): ReturnType<typeof row> {
  return row(2, 'needle new', { ...options });
}

describe('thoughts', () => {
  test('come back as they were put, by id, prefix and path', () => {
    const full = row(7, 'body\n', {
      held: false,
      thought: {
        parent_id: OLD,
        unknown: { later: [1, null] },
        relationships: [{ type: 'REFERENCES', target_id: OLD }],
      },
      metadata: { project: 'p', tags: ['t'], extra: { a: { b: 1 } } },
    });
    const given = { ...full, reason: 'no_event' as const, event: 'sha256:1' };
    const index = indexOf([given, row(1, 'needle old')]);
    const facts = { scope: given.scope, status: 'approved', agent_id: 'alice', held: false, superseded: false };
    const expected = { ...given, superseded: false, facts };
    expect(index.thoughtByPath(given.path)).toEqual(expected);
    expect(index.thoughtById(given.thought.thought_id)).toEqual([expected]);
    expect([...index.placesByPrefix('01J')].map((place) => place.path)).toEqual([
      index.thoughtById(OLD)[0]?.path,
      given.path,
    ]);
    expect([...index.placesByPrefix('01J')][1]).toEqual({ path: given.path, scope: given.scope, facts });
    expect([...index.placesByPrefix('02')]).toEqual([]);
    expect(index.thoughtByPath('absent')).toBeNull();
    expect(index.thoughtById('absent')).toEqual([]);
  });

  test('are replaced by path: the old text is found no more, a removed one nowhere (B33)', () => {
    const index = indexOf([row(1, 'needle first')]);
    write(index, () => index.putThought(row(1, 'needle second')));
    expect(found(index, 1)).toEqual(['needle second']);
    write(index, () => index.removeThought(row(1, '').path));
    expect(found(index, 1)).toEqual([]);
    expect(index.thoughtById(OLD)).toEqual([]);
    write(index, () => index.removeThought('absent'));
    expect(index.counts().thoughts).toBe(0);
  });

  test('move between classes with their status and with the ledger', () => {
    const index = indexOf([row(1, 'needle', { thought: { validation_status: 'draft' } })]);
    expect([found(index, 1), found(index, 2)]).toEqual([[], ['needle']]);
    write(index, () => index.putThought(row(1, 'needle')));
    expect([found(index, 1), found(index, 2)]).toEqual([['needle'], []]);
    write(index, () => index.putThought(row(1, 'needle', { held: false })));
    expect([found(index, 1), found(index, 4)]).toEqual([[], ['needle']]);
    write(index, () => index.putThought(row(1, 'needle', { thought: { validation_status: 'tombstoned' } })));
    expect([found(index, 4), found(index, 3)]).toEqual([[], ['needle']]);
  });

  test('put and removed several times in one transaction leave one trace', () => {
    const index = indexOf([]);
    write(index, () => {
      for (let round = 0; round < 3; round++) {
        index.putThought(row(1, `needle ${round}`));
        index.settleSupersession();
        index.removeThought(row(1, '').path);
        index.putThought(row(2, 'needle kept'));
      }
    });
    expect(found(index, 1)).toEqual(['needle kept']);
  });
});

describe('supersession', () => {
  test('retires the old thought when its replacement is approved, not when it is written', () => {
    const index = indexOf([old(), successor({ thought: { validation_status: 'draft' } })]);
    expect(found(index, 1)).toEqual(['needle old']);
    write(index, () => index.putThought(successor()));
    expect([found(index, 1), found(index, 3)]).toEqual([['needle new'], ['needle old']]);
    expect(index.thoughtById(OLD)[0]).toMatchObject({ superseded: true, facts: { superseded: true } });
    write(index, () => index.putThought(successor({ thought: { validation_status: 'tombstoned' } })));
    expect(found(index, 1)).toEqual(['needle old']);
  });

  test.each([
    ['predecessor first', [old(), successor()]],
    ['successor first', [successor(), old()]],
  ])('does not depend on the order of writing: %s', (_, rows) => {
    expect(found(indexOf(rows), 1)).toEqual(['needle new']);
  });

  test('ends when the successor goes or loses the ledger', () => {
    const index = indexOf([old(), successor()]);
    write(index, () => index.removeThought(successor().path));
    expect(found(index, 1)).toEqual(['needle old']);
    write(index, () => index.putThought(successor({ held: false })));
    expect(found(index, 1)).toEqual(['needle old']);
    write(index, () => index.putThought(successor()));
    expect(found(index, 1)).toEqual(['needle new']);
  });

  test('an id that two held files share retires nothing, unless the scope tells them apart', () => {
    const index = indexOf([old(), successor(), successor({ scope: 'other' })]);
    expect(found(index, 3)).toEqual([]);
    write(index, () => index.putThought(old('other')));
    expect(found(index, 3)).toEqual(['needle old']);
    write(index, () => index.putThought(old('absent')));
    expect(found(index, 3)).toEqual([]);
    write(index, () => index.putThought(old()));
    write(index, () => index.removeThought(successor({ scope: 'other' }).path));
    expect(found(index, 3)).toEqual(['needle old']);
  });

  test('an unverified copy of the successor brings nothing back', () => {
    const index = indexOf([old(), successor()]);
    write(index, () => index.putThought(successor({ scope: 'other', held: false })));
    expect([found(index, 1), found(index, 3)]).toEqual([['needle new'], ['needle old']]);
  });

  test('an unverified predecessor stays unverified and knows its successor', () => {
    const index = indexOf([{ ...old(), held: false }, successor()]);
    expect(found(index, 4)).toEqual(['needle old']);
    expect(index.thoughtById(OLD)[0]?.superseded).toBe(true);
  });

  test('is settled when asked, before the commit', () => {
    const index = indexOf([old()]);
    expect(index.begin()).toBe(true);
    index.putThought(successor());
    index.settleSupersession();
    expect(found(index, 1)).toEqual(['needle new']);
    index.rollback();
    expect(found(index, 1)).toEqual(['needle old']);
  });
});
