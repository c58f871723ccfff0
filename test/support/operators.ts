/** More people who decide: the first operator of a record is enrolled by use, the others by the first. */
import { enrolKey, showKeys } from '../../src/trail/keys.ts';
import type { Session } from '../../src/trail/session.ts';
import { type TestRecord, value } from './record.ts';

/** Sessions of the people named, all enrolled as operators. */
export async function operators<Name extends string>(
  t: TestRecord,
  names: readonly [Name, ...Name[]],
): Promise<Readonly<Record<Name, Session>>> {
  const [first, ...others] = names;
  // Enrols the first.
  value(await t.session(first, { operator: true }).operations().listScopes({}));
  for (const agentId of others) {
    const publicKey = value(showKeys(t.record, agentId))[0]?.public_key ?? '';
    value(await enrolKey(t.record, { publicKey, agentId, role: 'operator' }, { person: first }));
  }
  const sessions = names.map((name) => [name, t.session(name, { operator: true })] as const);
  // One for each name, by construction.
  return Object.fromEntries(sessions) as Record<Name, Session>;
}
