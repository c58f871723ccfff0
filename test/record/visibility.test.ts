import { expect, test } from 'vitest';
import type { Verb } from '../../src/ledger/types.ts';
import { type Principal, ROLES, type Role } from '../../src/record/principal.ts';
import { STATUSES } from '../../src/record/thought.ts';
import {
  classesOf,
  type EventVisibilityFacts,
  isEventVisible,
  isVisible,
  VIEWS,
  type View,
  type VisibilityFacts,
  visibilityClass,
} from '../../src/record/visibility.ts';

const READER = 'reader';

interface Row {
  readonly name: string;
  readonly facts: VisibilityFacts;
}

/** All 48 combinations, named e.g. `approved held current own`. */
const ROWS: readonly Row[] = STATUSES.flatMap((status) =>
  [true, false].flatMap((held) =>
    [true, false].flatMap((superseded) =>
      ['own', 'other'].map((author) => ({
        name: [status, held ? 'held' : 'unverified', superseded ? 'superseded' : 'current', author].join(' '),
        facts: { scope: 'acme', status, held, superseded, agent_id: author === 'own' ? READER : 'somebody' },
      })),
    ),
  ),
);
const ALL = ROWS.map((row) => row.name);

const GOVERNED = ['approved held current own', 'approved held current other'];
const AUTHORING = [
  'draft held current own',
  'draft held superseded own',
  'proposed held current own',
  'proposed held superseded own',
  'rejected held current own',
  'rejected held superseded own',
  'error held current own',
  'error held superseded own',
];
const LINEAGE = [
  ...GOVERNED,
  'approved held superseded own',
  'approved held superseded other',
  ...AUTHORING,
  'tombstoned held current own',
  'tombstoned held superseded own',
];

const REVIEW = ROWS.filter(({ facts }) => facts.status === 'proposed' && facts.held).map(({ name }) => name);

const EXPECTED: Readonly<Record<View, Readonly<Record<Role, readonly string[]>>>> = {
  governed: { agent: GOVERNED, reviewer: GOVERNED, operator: GOVERNED },
  authoring: { agent: AUTHORING, reviewer: AUTHORING, operator: AUTHORING },
  history: { agent: [], reviewer: [], operator: ALL },
  lineage: { agent: LINEAGE, reviewer: LINEAGE, operator: LINEAGE },
  review: { agent: [], reviewer: REVIEW, operator: REVIEW },
};

test('isVisible shows exactly the expected rows of 48 to each role in each view', () => {
  expect(new Set(ALL).size).toBe(48);
  for (const view of VIEWS) {
    for (const role of ROLES) {
      const principal: Principal = { agent_id: READER, role, via: 'library' };
      const seen = ROWS.filter(({ facts }) => isVisible(facts, { principal, view })).map(({ name }) => name);
      expect(seen.toSorted(), `${view} ${role}`).toEqual([...EXPECTED[view][role]].sort());
    }
  }
});

test('classesOf never leaves out a class that some principal sees in the view', () => {
  for (const view of VIEWS) {
    const principal: Principal = { agent_id: READER, role: 'operator', via: 'library' };
    const seen = ROWS.filter(({ facts }) => isVisible(facts, { principal, view }));
    expect([...new Set(seen.map(({ facts }) => visibilityClass(facts)))].sort(), view).toEqual(classesOf(view));
  }
});

test('an event is seen with every thought it names; without one, by what it is about and whose it is', () => {
  const open: VisibilityFacts = {
    scope: 'acme',
    status: 'approved',
    held: true,
    superseded: false,
    agent_id: 'somebody',
  };
  const retired: VisibilityFacts = { ...open, superseded: true };
  const secret: VisibilityFacts = { ...open, status: 'draft' };
  const own: VisibilityFacts = { ...secret, agent_id: READER };
  const sees = (
    said: NonNullable<EventVisibilityFacts['said']> | null,
    thoughts: EventVisibilityFacts['thoughts'] = [],
  ) => {
    const facts = { ...(said === null ? {} : { said }), thoughts };
    return isEventVisible(facts, { agent_id: READER, role: 'agent', via: 'stdio' });
  };
  const by = (verb: Verb, agent_id = 'somebody', role: 'agent' | 'operator' = 'agent') => ({ verb, agent_id, role });
  expect(sees(by('approve'), [[open], [retired], [own]])).toBe(true);
  expect(sees(by('save'), [[secret, open]])).toBe(true);
  expect(sees(by('approve'), [[open], [secret]])).toBe(false);
  expect(sees(by('approve'), [[open], []])).toBe(false);
  expect(sees(null, [[open]])).toBe(false);
  for (const verb of ['init', 'enrol', 'protect'] as const) expect(sees(by(verb))).toBe(true);
  for (const verb of ['accept', 'save', 'approve'] as const) expect(sees(by(verb, READER))).toBe(false);
  for (const verb of ['start', 'deny'] as const) {
    expect([sees(by(verb, READER)), sees(by(verb)), sees(by(verb, READER, 'operator'))]).toEqual([true, false, false]);
    expect([sees(by(verb, READER), [[open]]), sees(by(verb), [[open]])]).toEqual([true, false]);
    expect(sees(by(verb, READER), [[secret]])).toBe(false);
  }
  const operator = { agent_id: 'carol', role: 'operator', via: 'cli' } as const;
  expect(isEventVisible({ thoughts: [[]] }, operator)).toBe(true);
});

test('an event without a thought is of the scope it states: grants hide it with that scope, from operators too', () => {
  const grants = [{ scope: 'acme', rights: ['read' as const] }];
  const agent = { agent_id: READER, role: 'agent', via: 'http', grants } as const;
  const operator = { ...agent, role: 'operator' } as const;
  const said = { verb: 'start', agent_id: READER, role: 'agent' } as const;
  for (const principal of [agent, operator]) {
    expect(isEventVisible({ said: { ...said, scope: 'acme' }, thoughts: [] }, principal)).toBe(true);
    expect(isEventVisible({ said: { ...said, scope: 'vault' }, thoughts: [] }, principal)).toBe(false);
    expect(isEventVisible({ said, thoughts: [] }, principal)).toBe(false);
    expect(isEventVisible({ said: { ...said, verb: 'enrol' }, thoughts: [] }, principal)).toBe(true);
  }
  const facts: VisibilityFacts = {
    scope: 'vault',
    status: 'approved',
    held: true,
    superseded: false,
    agent_id: READER,
  };
  const decided = { ...said, verb: 'approve' } as const;
  expect(isEventVisible({ said: decided, thoughts: [[{ ...facts, scope: 'acme' }]] }, operator)).toBe(true);
  expect(isEventVisible({ said: decided, thoughts: [[{ ...facts, scope: 'acme' }], [facts]] }, operator)).toBe(false);
  expect(isEventVisible({ said: decided, thoughts: [[]] }, operator)).toBe(false);
  // Without grants both see their own line of work, as ever.
  const { grants: _, ...ungranted } = agent;
  expect(isEventVisible({ said: { ...said, scope: 'vault' }, thoughts: [] }, ungranted)).toBe(true);
});
