import { expect, test } from 'vitest';
import { type Earlier, returnTo, standingName } from '../../src/record/return-to.ts';
import { STATUSES, type Status, type Thought } from '../../src/record/thought.ts';
import { exampleThought } from './example-thought.ts';

type Known = Exclude<Earlier, { kind: 'unproved' }>;

const ABSENT: Known = { kind: 'absent' };
const then = (validation_status: Status, over: Partial<Thought> = {}, superseded = false): Known => ({
  kind: 'proved',
  thought: exampleThought({ validation_status, ...over }),
  superseded,
});
const now = (validation_status: Status, over: Partial<Thought> = {}, superseded = false) => ({
  thought: exampleThought({ validation_status, ...over }),
  superseded,
  approvedSince: validation_status === 'approved',
});
const LINK = { superseded_by: 'X', superseded_scope: 'acme/web' };
const X = { id: 'X', scope: 'acme/web' };

test('what was not there is withdrawn, whatever it is', () => {
  for (const status of STATUSES) {
    const result = returnTo(ABSENT, now(status));
    if (status === 'tombstoned') expect(result).toBeNull();
    else expect(result).toEqual({ status: 'tombstoned', successor: null, bringsTextBack: false });
  }
});

test('the same text has the status of then, and what was approved since is withdrawn', () => {
  for (const was of STATUSES) {
    for (const is of STATUSES) {
      const wanted = is === 'approved' && was !== 'approved' ? 'tombstoned' : was;
      const result = returnTo(then(was), now(is));
      if (wanted === is) expect(result, `${was} ${is}`).toBeNull();
      else expect(result, `${was} ${is}`).toEqual({ status: wanted, successor: null, bringsTextBack: false });
    }
  }
});

test('a text that was approved once since then is never open again', () => {
  const present = { ...now('tombstoned'), approvedSince: true };
  expect(returnTo(then('draft'), present)).toBeNull();
  expect(returnTo(then('draft'), { ...present, approvedSince: false })?.status).toBe('draft');
  expect(returnTo(then('approved'), present)?.status).toBe('approved');
});

test('an edited text stays, its proposal is taken back, and the text of then comes back beside it', () => {
  const edited = { body: 'edited' };
  expect(returnTo(then('draft'), now('draft', edited))).toMatchObject({ status: 'draft', bringsTextBack: true });
  expect(returnTo(then('draft'), now('proposed', edited))).toMatchObject({ status: 'draft', bringsTextBack: true });
  expect(returnTo(then('draft'), now('approved', edited))).toMatchObject({
    status: 'tombstoned',
    bringsTextBack: true,
  });
  expect(returnTo(then('draft'), now('rejected', edited))).toMatchObject({ status: 'rejected', bringsTextBack: true });
  expect(returnTo(then('rejected'), now('draft', edited))).toBeNull();
  expect(returnTo(then('tombstoned'), now('draft', edited))).toBeNull();
});

test('a back-link is what it was, and one that retires nothing does not count', () => {
  expect(returnTo(then('approved'), now('approved', LINK, true))).toMatchObject({
    status: 'approved',
    successor: null,
  });
  expect(returnTo(then('approved', LINK, true), now('approved'))).toMatchObject({ status: 'approved', successor: X });
  expect(returnTo(then('approved', LINK, true), now('approved', LINK, true))).toBeNull();
  expect(returnTo(then('approved', LINK), now('approved'))).toBeNull();
  expect(returnTo(then('draft'), now('draft', LINK, true))).toMatchObject({ status: 'draft', successor: null });
  // What goes keeps the link: it says how it came to that.
  expect(returnTo(ABSENT, now('approved', LINK, true))).toMatchObject({ status: 'tombstoned', successor: X });
});

test('a standing is named by its status, and superseded where another one took the place', () => {
  expect(STATUSES.map((status) => standingName(status, X))).toEqual([
    ...['superseded', 'superseded', 'superseded', 'rejected', 'superseded', 'tombstoned'],
  ]);
  expect(STATUSES.map((status) => standingName(status, null))).toEqual([...STATUSES]);
});
