import { expect, test } from 'vitest';
import { VERBS } from '../../src/ledger/types.ts';
import { checkDecide, checkEdit, checkPropose, isFrozen, mayProduce, TRANSITIONS } from '../../src/record/lifecycle.ts';
import { ROLES } from '../../src/record/principal.ts';
import { STATUSES, type Status } from '../../src/record/thought.ts';
import { exampleThought } from './example-thought.ts';

const at = (validation_status: Status) => ({ thought: exampleThought({ validation_status }), superseded: false });
const superseded = (validation_status: Status) => ({ ...at(validation_status), superseded: true });

/** [status, edit, propose, approve, reject, request_changes]: a status reached, `=` for no change, or a refusal's code. */
const TABLE = [
  ['draft', 'ok', 'proposed', 'approved', 'rejected', 'draft'],
  ['proposed', 'ok', 'proposed', 'approved', 'rejected', 'draft'],
  ['error', 'ok', 'proposed', 'approved', 'rejected', 'draft'],
  ['approved', 'frozen', '=', '=', 'conflict', 'conflict'],
  ['rejected', 'frozen', 'frozen', 'conflict', 'conflict', 'conflict'],
  ['tombstoned', 'frozen', 'frozen', 'frozen', 'frozen', 'frozen'],
] as const;

function shown(outcome: ReturnType<typeof checkPropose>): string {
  if (!outcome.ok) return outcome.code;
  return outcome.value.changes ? outcome.value.to : '=';
}

test('every status answers every verb as the table of transitions says', () => {
  expect(TABLE.map(([status]) => status).toSorted()).toEqual([...STATUSES].sort());
  for (const [status, ...expected] of TABLE) {
    const thought = at(status);
    expect([
      checkEdit(thought)?.code ?? 'ok',
      shown(checkPropose(thought)),
      shown(checkDecide(thought, 'approve')),
      shown(checkDecide(thought, 'reject')),
      shown(checkDecide(thought, 'request_changes')),
    ]).toEqual(expected);
  }
  expect(TRANSITIONS.update.to).toBe('draft');
});

test('a superseded thought is frozen in every status', () => {
  for (const status of STATUSES) {
    expect(isFrozen(at(status)), status).toBe(['approved', 'rejected', 'tombstoned'].includes(status));
    expect(isFrozen(superseded(status)), status).toBe(true);
    expect(checkEdit(superseded(status)), status).toMatchObject({ code: 'frozen', rule: 'frozen' });
  }
  expect(checkPropose(superseded('draft'))).toMatchObject({ code: 'frozen' });
  expect(checkDecide(superseded('proposed'), 'approve')).toMatchObject({ code: 'frozen' });
  expect(checkPropose(superseded('approved'))).toMatchObject({ value: { changes: false } });
});

test('a back-link to a thought that is not approved freezes nothing (fava.md 3.1)', () => {
  const legacy = { thought: exampleThought({ validation_status: 'draft', superseded_by: 'x' }), superseded: false };
  expect(isFrozen(legacy)).toBe(false);
  expect(isFrozen({ ...legacy, superseded: true })).toBe(true);
});

test('each refusal carries a message, a rule and a next step', () => {
  for (const refusal of [
    checkEdit(at('approved')),
    checkEdit(at('rejected')),
    checkEdit(at('tombstoned')),
    checkEdit(superseded('draft')),
    checkPropose(at('rejected')),
    checkDecide(at('rejected'), 'approve'),
  ]) {
    expect(refusal).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Thought "01KD2Q8W5N7YJ3V9T4B6RCXEMA" is /),
      next: expect.stringMatching(/\w/),
      rule: expect.stringMatching(/^(frozen|already_decided)$/),
    });
  }
});

test('mayProduce admits exactly the listed verb, role and status', () => {
  const author = ['save draft', 'update draft', 'supersede draft', 'change_scope draft', 'propose proposed'];
  const reviewer = [...author, 'approve approved', 'reject rejected', 'request_changes draft', 'error error'];
  const anyStatus = STATUSES.flatMap((status) => [`adopt ${status}`, `rollback ${status}`]);
  const operator = [...reviewer, 'forget tombstoned', 'erase tombstoned', 'merge approved', ...anyStatus];
  const expected = { agent: author, reviewer, operator, owner: [] } as const;
  for (const role of [...ROLES, 'owner'] as const) {
    const admitted = VERBS.flatMap((verb) =>
      STATUSES.filter((status) => mayProduce(verb, role, status)).map((status) => `${verb} ${status}`),
    );
    expect(admitted.toSorted(), role).toEqual([...expected[role]].sort());
  }
});
