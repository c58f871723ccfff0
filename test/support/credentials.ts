/** People and agents who came with a credential, as the HTTP door makes sessions of them. */
import { parseGrant } from '../../src/record/grants.ts';
import type { Credential } from '../../src/record/principal.ts';
import { Session } from '../../src/trail/session.ts';
import { type TestRecord, value } from './record.ts';

/** A session of the credential; grants as `SCOPE:RIGHTS`, all rights everywhere by default. */
export function signedIn(
  { record }: TestRecord,
  who: Pick<Credential, 'agent_id' | 'role'>,
  grants: readonly string[] = ['**:read,write,decide'],
): Session {
  const credential: Credential = {
    ...who,
    grants: grants.map((grant) => value(parseGrant(grant))),
    authenticated_by: 'token',
    id: `token-of-${who.agent_id}`,
  };
  return new Session(record, { via: 'http', credential, wantsOperator: false, env: {} });
}
