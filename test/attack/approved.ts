/** A record with one approved thought of alice, to be attacked. */
import { makeRecord, value } from '../support/record.ts';

export const trail_name = 'acme/eng';

export async function prepareApproved() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const id = value(await alice.save({ trail_name, content: 'Policy' })).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: id, verdict: 'approve' }));
  return { t, alice, id, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}
