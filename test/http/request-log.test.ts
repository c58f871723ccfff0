/** The log of requests and calls: who, what kind, how it ended; nothing of what was sent. */
import { expect, test } from 'vitest';
import { guardedApp, tokenFor, toolCall } from '../support/access.ts';
import { makeRecord } from '../support/record.ts';

const LEAKS = ['Xylophone', 'Quagga', 'Okapi', 'Pangolin', 'Numbat', 'Bilby', 'Zorilla', 'Dugong'] as const;
const [CONTENT, QUERY, SCOPE, HEADER, COOKIE, PATH, PARAMETER, ID] = LEAKS;

test('each request has one line with its name, route, status, time and principal, and the line of its call the same name', async () => {
  await using t = await makeRecord();
  await using guarded = guardedApp(t);
  const {
    text: token,
    token: { id },
  } = await tokenFor(t, { agentId: 'alice' });
  const save = toolCall('save_thought', { trail_name: SCOPE.toLowerCase(), content: CONTENT });
  const headers = {
    ...save.headers,
    'x-request-id': HEADER,
    'user-agent': HEADER,
    cookie: `waymark_session=${COOKIE}`,
    traceparent: HEADER,
    tracestate: HEADER,
  };
  const saved = await guarded.ask(`/mcp?${PARAMETER}=${PARAMETER}`, { ...save, headers, token });
  expect(await saved.text()).toContain(CONTENT);
  const name = saved.headers.get('x-request-id') ?? '';
  expect(name).toMatch(/^[0-9a-f]{16}$/);
  const body = JSON.stringify({ ...JSON.parse(save.body ?? ''), id: ID });
  await guarded.ask('/mcp', { ...save, body, token });
  await guarded.ask('/mcp', { ...toolCall('recall', { trail_name: 'a', query: QUERY }), token });
  await guarded.ask('/mcp', { ...toolCall('recall', { [PARAMETER]: PARAMETER }), token });
  await guarded.ask('/mcp', { ...toolCall(PARAMETER, {}), token });
  await guarded.ask('/mcp', { ...save, body: `{"${PARAMETER}`, token });
  await guarded.ask(`/${PATH}/${PATH}`, { token });
  await guarded.ask('/mcp', { ...save, token: `${token.slice(0, -1)}${HEADER}` });
  await guarded.ask('/', { headers: { host: `${HEADER}.example` } });
  const lines: Record<string, unknown>[] = guarded
    .logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  // A call whose answer is a stream ends after the head of it has left.
  const named = lines.filter((line) => line['request'] === name);
  const [call, request] = [named.find((line) => 'tool' in line), named.find((line) => 'route' in line)];
  expect(named).toHaveLength(2);
  expect(call).toMatchObject({ tool: 'save_thought', verb: 'save', outcome: 'ok', principal: id, call: 1 });
  expect(request).toMatchObject({ route: '/mcp', method: 'POST', status: 200, principal: id, ms: expect.any(Number) });
  expect(lines.map(({ route, status }) => [route, status]).filter(([route]) => route !== undefined)).toEqual([
    ['/mcp', 200],
    ['/mcp', 200],
    ['/mcp', 200],
    ['/mcp', 200],
    ['/mcp', 200],
    ['/mcp', 400],
    ['none', 404],
    ['/mcp', 401],
    ['/', 403],
  ]);
  const secret = token.slice(-20);
  for (const leak of [...LEAKS, SCOPE.toLowerCase(), token, secret]) expect(guarded.logged()).not.toContain(leak);
  // The log would show a word that were in a line.
  expect(guarded.logged()).toContain('save_thought');
});
