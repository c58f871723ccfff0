/** Two callers, one endpoint, many requests at once: each gets its own and not a byte of the other's. */
import { Agent, request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { type HttpService, serveHttp } from '../../src/http/serve.ts';
import { guardedApp, structuredOf, tokenFor, toolCall } from '../support/access.ts';
import { IS_LONG } from '../support/long.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

/** 500 in the long run, which is what is shown. */
const REQUESTS = IS_LONG ? 500 : 136;
/** Requests under way at once, over few connections that both callers share. */
const AT_ONCE = 16;
const CONNECTIONS = 4;

interface Party {
  readonly name: string;
  readonly token: string;
  readonly scope: string;
  /** Words that stand in everything of the party's and nowhere else. */
  readonly marker: string;
  readonly thoughtId: string;
  readonly draftId: string;
}

interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

async function makeParty(t: TestRecord, at: { readonly name: string; readonly marker: string }): Promise<Party> {
  const { name, marker } = at;
  const scope = `${name}/plans`;
  const operator = t.session('carol', { operator: true }).operations();
  const save = { trail_name: scope, content: `${marker} decided this`, metadata: { tags: [marker.toLowerCase()] } };
  const { thought } = value(await operator.save(save));
  value(await operator.propose({ trail_name: scope, thought_id: thought.thought_id, approval: 'human' }));
  const draft = value(
    await t
      .session(name)
      .operations()
      .save({ trail_name: scope, content: `${marker} is thinking` }),
  );
  const { text: token } = await tokenFor(t, { agentId: name, grants: [`${name}/**:read,write`] });
  return { name, token, scope, marker, thoughtId: thought.thought_id, draftId: draft.thought.thought_id };
}

function send(
  service: HttpService,
  { agent, party, path, ask }: { agent: Agent; party: Party; path: string; ask: ReturnType<typeof toolCall> | null },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...ask?.headers, authorization: `Bearer ${party.token}` };
    const options = { agent, method: ask === null ? 'GET' : 'POST', headers };
    const request = httpRequest(new URL(path, service.endpoint), options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders.join('\n'), body });
      });
    });
    request.on('error', reject);
    request.end(ask?.body);
  });
}

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly ask: (own: Party, foreign: Party, at: number) => ReturnType<typeof toolCall> | null;
  /** What the caller must find of its own, so that a server that answers nothing does not pass. */
  readonly shows: (own: Party) => string | null;
}

const mcp = (name: string, ask: Kind['ask'], shows: Kind['shows']): Kind => ({ name, path: '/mcp', ask, shows });
const own = ({ marker }: Party) => marker;
const nothing = () => null;
const page = (path: string): Kind => ({ name: path, path, ask: () => null, shows: nothing });

const KINDS: readonly Kind[] = [
  mcp('recall', ({ scope }) => toolCall('recall', { query: 'decided', trail_name: scope }), own),
  mcp('recall of the other', (_, { scope }) => toolCall('recall', { query: 'decided', trail_name: scope }), nothing),
  mcp(
    'own drafts',
    ({ scope }) => toolCall('recall', { query: 'thinking', trail_name: scope, mode: 'authoring' }),
    own,
  ),
  mcp('get', ({ scope, thoughtId }) => toolCall('get_thought', { trail_name: scope, thought_id: thoughtId }), own),
  mcp(
    'get of the other',
    (_, { scope, thoughtId }) => toolCall('get_thought', { trail_name: scope, thought_id: thoughtId }),
    nothing,
  ),
  mcp(
    'draft of the other',
    (_, { scope, draftId }) => toolCall('get_thought', { trail_name: scope, thought_id: draftId }),
    nothing,
  ),
  mcp(
    'save',
    ({ scope, marker }, _, at) =>
      toolCall('save_thought', {
        trail_name: scope,
        content: `${marker} noted ${at}`,
        idempotency_key: `key-${at % 7}-${at}`,
      }),
    own,
  ),
  mcp(
    'list',
    () => toolCall('list_scopes', {}),
    ({ scope }) => scope,
  ),
  mcp('trace', ({ thoughtId }) => toolCall('trace', { record_hash: thoughtId }), own),
  mcp('trace of the other', (_, { thoughtId }) => toolCall('trace', { record_hash: thoughtId }), nothing),
  mcp('start', ({ scope }) => toolCall('start_thought', { trail_name: scope, description: 'x' }), nothing),
  mcp('a malformed call', () => toolCall('recall', { limit: 'many' }), nothing),
  mcp('an unknown tool', () => toolCall('nothing_here', {}), nothing),
  page('/'),
  page('/healthz'),
  page('/search?q=decided'),
  page('/nowhere'),
];

function foreignBytes(answer: Answer, foreign: Party): readonly string[] {
  const { name, marker, scope, thoughtId, draftId, token } = foreign;
  const said = `${answer.headers}\n${answer.body}`.toLowerCase();
  // Ids that the caller named itself may be named back.
  return [name, marker, scope, token]
    .filter((text) => said.includes(text.toLowerCase()))
    .concat(
      [thoughtId, draftId].filter((id) => said.includes(id.toLowerCase()) && /"thought"|"thoughts":\[\{/.test(said)),
    );
}

test(`interleaved requests of two callers over one endpoint (${REQUESTS}) hold no byte of the other's`, async () => {
  await using t = await makeRecord();
  const [alpha, beta] = [
    await makeParty(t, { name: 'quokka', marker: 'Marsupilami' }),
    await makeParty(t, { name: 'wombat', marker: 'Bandersnatch' }),
  ];
  await using app = guardedApp(t);
  const { mcp: factory, access } = app;
  const service = value(
    await serveHttp({
      ...access.http,
      ...{ mcp: factory, version: '1.2.3', host: '127.0.0.1', port: 0 },
      status: async () => ({ record: '/x/y', branch: 'main', counts: {}, ledger: 'ok' }),
    }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const contexts = { quokka: new Set<string>(), wombat: new Set<string>() };
  const shown = new Map<string, number>();
  const faults: string[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let at = next++; at < REQUESTS; at = next++) {
      // Two in turn of the same kind, so that the same code runs for both at once.
      const kind = KINDS[Math.floor(at / 2) % KINDS.length];
      const [party, other] = at % 2 === 0 ? [alpha, beta] : [beta, alpha];
      if (kind === undefined) throw new Error('No kind');
      const ask = kind.ask(party, other, at);
      // The caller names the other's scope here: then the words of its own request may come back.
      const answer = await send(service, { agent, party, path: kind.path, ask });
      const asked = ask?.body?.toLowerCase() ?? '';
      const foreign = foreignBytes(answer, other).filter((text) => !asked.includes(text.toLowerCase()));
      if (foreign.length > 0) faults.push(`${kind.name} of ${party.name} shows ${foreign.join(', ')}: ${answer.body}`);
      if (answer.status >= 500 || answer.status === 401) faults.push(`${kind.name}: ${answer.status} ${answer.body}`);
      const wanted = kind.shows(party);
      if (wanted !== null && !answer.body.includes(wanted))
        faults.push(`${kind.name} of ${party.name}: ${answer.body}`);
      if (wanted !== null) shown.set(kind.name, (shown.get(kind.name) ?? 0) + 1);
      const context = kind.name === 'start' ? structuredOf(answer.body)['change_id'] : undefined;
      if (typeof context === 'string') contexts[at % 2 === 0 ? 'quokka' : 'wombat'].add(context);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  await service.close();

  expect(faults).toEqual([]);
  // Every kind that shows something showed it to both, many times.
  for (const { name, shows } of KINDS) if (shows !== nothing) expect(shown.get(name), name).toBeGreaterThan(7);
  expect(contexts.quokka.size).toBeGreaterThan(3);
  expect([...contexts.quokka].filter((context) => contexts.wombat.has(context))).toEqual([]);
});

test('each caller writes as itself, under its own idempotency keys, into what it was granted', async () => {
  await using t = await makeRecord();
  const [alpha, beta] = [
    await makeParty(t, { name: 'quokka', marker: 'Marsupilami' }),
    await makeParty(t, { name: 'wombat', marker: 'Bandersnatch' }),
  ];
  await using served = guardedApp(t);
  const save = async ({ token, scope, marker }: Party) => {
    const args = { trail_name: scope, content: `${marker} once`, idempotency_key: 'the-same-key' };
    const response = await served.ask('/mcp', { ...toolCall('save_thought', args), token });
    return structuredOf(await response.text());
  };
  const answers = await Promise.all([alpha, beta, alpha, beta].map(save));
  for (const [at, party] of [alpha, beta, alpha, beta].entries()) {
    expect(answers[at]).toMatchObject({ status: 'ok', thought: { agent_id: party.name } });
    expect(JSON.stringify(answers[at])).toContain(`${party.marker} once`);
  }
});
