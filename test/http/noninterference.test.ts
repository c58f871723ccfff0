/** What happens in scopes that a caller's grants do not reach changes no byte of any answer they get: counts, orders, headers. */
import { expect, test } from 'vitest';
import { acceptFile } from '../support/accept.ts';
import { guardedApp, tokenFor, toolCall } from '../support/access.ts';
import { IS_LONG } from '../support/long.ts';
import { operators } from '../support/operators.ts';
import { makeRecord, value } from '../support/record.ts';
import { seedThought } from '../support/seed.ts';

const OPEN = 'acme/api';
const CLOSED = 'secret/plans';
const LIMIT = 'The retry limit of the payment service is';

test('pages, feeds and tools answer the same before and after everything that happens elsewhere', async () => {
  let now = Math.floor(Date.now() / 1000) * 1000;
  await using t = await makeRecord({ now: () => (now += 1) });
  const { carol } = await operators(t, ['carol']);
  const [alice, bob] = [t.session('alice'), t.session('bob')];
  const put = (trail_name: string, content: string, status: 'approved' | 'proposed' | 'rejected', author = alice) =>
    seedThought({ author, operator: carol, status, input: { trail_name, content } });
  const approved = await put(OPEN, `${LIMIT} 5 attempts`, 'approved');
  const waiting = await put(OPEN, `${LIMIT} 7 attempts`, 'proposed', bob);
  const hidden = await put(CLOSED, 'The company is sold in May', 'approved');
  const writer = (agent: string) =>
    t.record.repository.index
      .reader()
      .writers()
      .find(({ agent_id }) => agent_id === agent)?.log ?? '';

  const paths = [
    ...['/', '/s/acme', `/s/${OPEN}`, `/s/${CLOSED}`, '/search?q=limit', '/ledger', '/desk', '/desk/batch'],
    ...[approved, hidden].flatMap((id) => [`/t/${id}`, `/t/${id}/raw`, `/t/${id}/trace?direction=both&depth=10`]),
    ...['alice', 'bob', 'carol'].map((agent) => `/ledger/${writer(agent)}`),
    ...[waiting, hidden].map((id) => `/desk/${id}`),
    ...['/desk?care=author_rejected', '/desk?care=contradicts', '/desk/feed.atom', '/metrics', '/readyz'],
  ];
  const calls = [
    toolCall('recall', { trail_name: OPEN, trail_names: ['**'], query: 'limit' }),
    toolCall('list_scopes', {}),
    toolCall('trace', { record_hash: approved, direction: 'both' }),
  ];
  const narrow = ['acme/**:read,decide'];
  const control = await tokenFor(t, { agentId: 'oscar', role: 'operator', grants: ['**:read,decide'], allowMcp: true });
  const tokens = [
    control,
    await tokenFor(t, { agentId: 'olga', role: 'operator', grants: narrow, allowMcp: true }),
    // They see less by the same rules.
    ...(IS_LONG
      ? [
          await tokenFor(t, { agentId: 'rita', role: 'reviewer', grants: narrow, allowMcp: true }),
          await tokenFor(t, { agentId: 'alice', grants: ['acme/**:read'] }),
        ]
      : []),
  ];
  await using served = guardedApp(t);
  const asked = now + 3_600_000;
  async function answersTo(token: string): Promise<readonly string[]> {
    const answers: string[] = [];
    const page = { headers: { accept: 'text/html' } };
    for (const [path, ask] of [
      ...paths.map((path) => [path, page] as const),
      ...calls.map((call) => ['/mcp', call] as const),
    ]) {
      now = asked;
      const response = await served.ask(path, { ...ask, token, from: '192.0.2.1' });
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
      // The key of a form, and what fences stored text, are random.
      const text = (await response.text()).replace(/name="key" value="[^"]*"|id=\\"[0-9a-f]{18}\\"|[0-9a-f-]{36}/g, '');
      answers.push(`${path} ${response.status} ${JSON.stringify(headers)}\n${text}`);
    }
    return answers;
  }
  const before: (readonly string[])[] = [];
  for (const { text } of tokens) before.push(await answersTo(text));

  await put(`${CLOSED}/deep`, `${LIMIT} 9 attempts`, 'approved');
  await put('acme-evil', `${LIMIT} 11 attempts`, 'proposed', bob);
  for (const at of [1, 2, 3]) await put(CLOSED, `A wrong guess, number ${at}`, 'rejected', bob);
  const input = { trail_name: CLOSED, relationships: [{ type: 'DEPENDS_ON' as const, target_id: approved }] };
  await seedThought({
    author: bob,
    operator: carol,
    status: 'approved',
    input: { ...input, content: 'It rests on it' },
  });
  const moved = { trail_name: OPEN, thought_id: approved, content: `${LIMIT} 5 attempts`, reason: 'Elsewhere too' };
  const draft = value(await bob.operations().changeScope({ ...moved, target_trail_name: CLOSED })).new_thought;
  value(await bob.operations().propose({ trail_name: CLOSED, thought_id: draft.thought_id }));
  await acceptFile(
    { root: t.root, operations: carol.operations() },
    `trails/${CLOSED}/.fava-trails.yaml`,
    'decisions: signed\n',
  );
  value(await carol.operations().erase({ trail_name: CLOSED, thought_id: hidden, reason: 'Gone' }));

  const [first = [], ...others] = before;
  for (const [at, answers] of others.entries()) {
    expect(await answersTo(tokens[at + 1]?.text ?? '')).toEqual(answers);
  }
  // A control: it all shows, to whom it is for.
  const seen = await answersTo(control.text);
  expect(seen.filter((answer, at) => answer !== first[at]).length).toBeGreaterThan(12);
});
