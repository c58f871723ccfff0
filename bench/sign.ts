/** What an event costs a save: signed, put into its log's tree, and the checkpoint signed anew. In this process. */
import { join } from 'node:path';
import { parseRepositoryConfig } from '#waymark/config/index.js';
import { type EventDraft, openKeyStore, randomContextId, type Signer } from '#waymark/ledger/index.js';
import { openIndex } from '#waymark/store/index/index.js';
import { signChange } from '#waymark/store/sign-events.js';
import { connect, type Figures, type Session, save } from './session.ts';
import { summarise } from './statistics.ts';

const AGENT = 'bench-signer';
/** So many saves before, so that the log has an end to go on from. */
const BEFORE = 3;

export async function measureSign(session: Session): Promise<Figures> {
  const scope = session.scopes[0] ?? 'bench';
  const connection = await connect(session, AGENT);
  for (let n = 0; n < BEFORE; n += 1) await save(connection, { scope, text: `Save ${n} of the signer` });
  await connection.close();
  const index = openIndex({ file: join(session.record, '.waymark/index.sqlite'), readonly: true });
  const config = index === 'absent' ? null : parseRepositoryConfig(index.setting('config.yaml') ?? new Uint8Array());
  if (index === 'absent' || config?.ok !== true || config.value.waymark === undefined) throw new Error('No index');
  const { id, owner } = config.value.waymark;
  const options = {
    signer: signerOf(session),
    trust: { repositoryId: id, owner },
    producer: 'waymark-bench',
    env: {},
    seenFolder: join(session.home, 'state/waymark', id),
  };
  const rounds = session.smoke ? 10 : 2_000;
  const times: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const draft = draftOf(scope, n);
    const started = performance.now();
    const signed = signChange(index, [draft], { ...options, now: Date.now() });
    times.push(performance.now() - started);
    if (!signed.ok) throw new Error(`The event was refused: ${signed.message}`);
  }
  index.close();
  return { ...summarise(times) };
}

function signerOf({ home }: Session): Signer {
  const store = openKeyStore({ dir: join(home, 'config/waymark/keys') });
  const key = store.list().keys.find(({ agent_id }) => agent_id === AGENT);
  const signer = key === undefined ? null : store.signerOf(key);
  if (signer === null) throw new Error('The agent that saved has no key');
  return signer;
}

/** A save of about 1 KB. */
function draftOf(scope: string, n: number): EventDraft {
  const id = `01KE${String(n).padStart(22, '0')}`;
  const path = `trails/${scope}/thoughts/drafts/${id}.md`;
  const after = Buffer.from(`Thought ${n}\n${'The retry budget of the queue is shared. '.repeat(24)}`);
  return {
    verb: 'save',
    context_id: randomContextId(),
    informed_by: [],
    files: [{ path, before: null, after, thought_id: id, status: 'draft' }],
    local: { agent_id: AGENT, role: 'agent', via: 'library', scope, thought_id: id, status: 'draft' },
  };
}
