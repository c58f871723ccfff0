import { expect, test } from 'vitest';
import { isContextId, randomContextId, resolveContext, resolveContextId } from '../../src/ledger/index.ts';

const trace = 'd'.repeat(32);
const explicit = 'f0'.repeat(16);
const env = { ATRIB_CONTEXT_ID: explicit, CLAUDE_CODE_SESSION_ID: '93F57455-11C0-4A1F-AB9C-A59BCFC54129' };
const session = '93f5745511c04a1fab9ca59bcfc54129';

test('resolveContextId takes traceparent, then ATRIB_CONTEXT_ID, then the session', () => {
  expect(resolveContextId({ traceparent: `00-${trace}-00f067aa0ba902b7-01`, env })).toBe(trace);
  expect(resolveContextId({ env })).toBe(explicit);
  expect(resolveContextId({ env: { CLAUDE_CODE_SESSION_ID: env.CLAUDE_CODE_SESSION_ID } })).toBe(session);
  expect(resolveContextId({ env: {} })).toBeNull();
});

test.each([
  `ff-${trace}-00f067aa0ba902b7-01`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
  `00-${trace}-00f067aa0ba902b7-01-more`,
  trace,
  '',
])('resolveContextId passes over the malformed traceparent "%s"', (traceparent) => {
  expect(resolveContextId({ traceparent, env })).toBe(explicit);
  expect(resolveContextId({ traceparent: `01-${trace}-00f067aa0ba902b7-01-more`, env })).toBe(trace);
});

test('resolveContextId passes over malformed environment values', () => {
  expect(resolveContextId({ env: { ...env, ATRIB_CONTEXT_ID: explicit.toUpperCase() } })).toBe(session);
  expect(resolveContextId({ env: { CLAUDE_CODE_SESSION_ID: session } })).toBeNull();
});

test('resolveContextId takes a thread of Codex when no session of Claude Code is there', () => {
  const CODEX_THREAD_ID = '0199A213-81C0-7800-8AA1-BBAB2A035A53';
  expect(resolveContextId({ env: { CODEX_THREAD_ID } })).toBe('0199a21381c078008aa1bbab2a035a53');
  expect(resolveContextId({ env: { CODEX_THREAD_ID, CLAUDE_CODE_SESSION_ID: env.CLAUDE_CODE_SESSION_ID } })).toBe(
    session,
  );
  expect(resolveContextId({ env: { CODEX_THREAD_ID: 'thread-1' } })).toBeNull();
});

test('resolveContext never asks the environment when the request names a context', () => {
  const named = resolveContext({ extension: trace, env });
  expect(named).toEqual({ contextId: trace, source: 'extension', disagrees: false });
  expect(resolveContext({ extension: 'x', env })?.source).toBe('environment');
});

test('randomContextId makes fresh context ids', () => {
  const [one, two] = [randomContextId(), randomContextId()];
  expect(isContextId(one)).toBe(true);
  expect(one).not.toBe(two);
});
