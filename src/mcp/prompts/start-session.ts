/** What a session of work does first, with what the record says to begin with. */
import { randomBytes } from 'node:crypto';
import { type Outcome, ok } from '../../record/outcome.ts';
import type { Operations } from '../../trail/operations.ts';
import { fence, jsonLine } from '../fence.ts';

/** Scopes named where none was chosen. */
const SCOPES = 50;

const AFTERWARDS = `Then:
- Before you decide something, recall the words its text would use.
- Save decisions with their reasons, findings and what failed as you go, with the thought ids that led to them in informed_by.
- Propose what is finished; a person decides it, and you go on.`;

/** Refuses with what `recall` refuses. */
export async function startSession(operations: Operations, scope: string | undefined): Promise<Outcome<string>> {
  if (scope === undefined || scope === '') return chooseScope(operations);
  const start = await operations.recallSession({ trail_name: scope });
  if (!start.ok) return start;
  const stored = fence(jsonLine(start.value), randomBytes(9).toString('hex'));
  return ok(
    `You start to work in scope ${JSON.stringify(scope)} of the Waymark record. This is what recall with order "session" answers now:\n\n${stored}\n\nSay in a few lines what stands, what is open, and which of your drafts and proposals wait. ${AFTERWARDS}`,
  );
}

async function chooseScope(operations: Operations): Promise<Outcome<string>> {
  const listed = await operations.listScopes({});
  if (!listed.ok) return listed;
  const paths = listed.value.scopes.map(({ path }) => path);
  const shown = { scopes: paths.slice(0, SCOPES), more: Math.max(0, paths.length - SCOPES) };
  const stored = fence(jsonLine(shown), randomBytes(9).toString('hex'));
  return ok(
    `You start to work with the Waymark record. Its scopes:\n\n${stored}\n\nAsk the person which scope the work is about unless it is plain, then recall there with order "session". ${AFTERWARDS}`,
  );
}
