/** What asks for another look is listed and marked, and nothing leaves the record by itself. */
import { expect, test } from 'vitest';
import { ok } from '../../src/record/outcome.ts';
import type { JsonObject } from '../../src/record/thought.ts';
import { reasonsOf } from '../../src/trail/due.ts';
import { stageNewThought } from '../../src/trail/stage.ts';
import { status } from '../../src/trail/status.ts';
import { write } from '../../src/trail/write.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/due';

/** A thought as another program wrote it: signed as it lies there, with dates that nobody checked. */
async function adopted(t: TestRecord, extra: JsonObject): Promise<string> {
  const context = await t.session('alice').context();
  const thought_id = context.newId();
  const thought = {
    schema_version: 1,
    thought_id,
    agent_id: 'alice',
    confidence: 0.5,
    source_type: 'observation',
    validation_status: 'draft',
    created_at: '2025-01-01T00:00:00Z',
    relationships: [],
    metadata: { tags: [], extra },
    body: 'from elsewhere',
  } as const;
  const saved = value(
    await write(context, { verb: 'save', input: {}, idempotencyKey: undefined }, async (draft) => {
      const files = value(await stageNewThought(draft, thought, { scope: trail_name, namespace: 'drafts' }));
      const local = { scope: trail_name, thought_id, status: 'draft' as const };
      return ok({ events: [{ verb: 'save' as const, informed_by: [], local, files }], answer: { thought_id } });
    }),
  );
  return saved.thought_id;
}

test('status lists what is due, lapsed or malformed, the longest due first, for operators alone', async () => {
  const now = Date.parse('2026-03-02T09:00:00.000Z');
  await using t = await makeRecord({ now: () => now });
  const operator = t.session('carol', { operator: true }).operations();
  const approve = async (thought_id: string) => {
    value(await operator.decide({ trail_name, thought_id, verdict: 'approve' }));
    return thought_id;
  };
  const save = async (dates: object) => {
    const { thought } = value(await operator.save({ trail_name, content: 'x', ...dates }));
    return thought.thought_id;
  };
  const due = await approve(await save({ review_by: '2026-03-02T09:00:00Z' }));
  const lapsed = await approve(await save({ valid_to: '2025-01-01', review_by: '2030-01-01' }));
  await approve(await save({ review_by: '2026-03-02T09:00:00.000001Z', valid_to: '2026-03-03' }));
  // A draft is not in the record.
  await save({ review_by: '2020-01-01' });
  const extra = { valid_from: '2025-02-30', review_by: 'soon', valid_to: '2027-01-01 00:00:00+00:00' };
  const malformed = await approve(await adopted(t, extra));

  const { due: listed } = await status(t.record, { agent_id: 'carol', role: 'operator', via: 'library' });
  expect(listed?.count).toBe(3);
  expect(listed?.thoughts.map((thought) => [thought.thought_id, reasonsOf(thought)])).toEqual([
    [malformed, ['valid_from is no time', 'review_by is no time']],
    [lapsed, ['true until 2025-01-01T00:00:00Z']],
    [due, ['to be reviewed by 2026-03-02T09:00:00Z']],
  ]);
  expect(await status(t.record, { agent_id: 'bob', role: 'agent', via: 'library' })).not.toHaveProperty('due');

  // Absent is what a malformed date is: it neither hides nor shows.
  const reader = t.session('bob').operations();
  const found = async (valid_at?: string) => {
    const { thoughts } = value(await reader.recall({ trail_name, query: 'elsewhere', valid_at }));
    return thoughts;
  };
  for (const at of [undefined, '1999-01-01', '2026-12-31']) {
    expect(await found(at)).toMatchObject([{ thought_id: malformed, malformed_dates: ['valid_from', 'review_by'] }]);
  }
  expect(await found('2027-01-01')).toEqual([]);
});
