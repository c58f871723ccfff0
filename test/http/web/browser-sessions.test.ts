import { expect, test } from 'vitest';
import { BrowserSessions } from '../../../src/http/web/browser-sessions.ts';
import type { Credential } from '../../../src/record/principal.ts';

function credential(id: string): Credential {
  return { id, agent_id: id, role: 'agent', grants: [], authenticated_by: 'token' };
}

test('one credential has 20 browsers at most, the one idle longest ends, and nobody else is signed out for it', () => {
  const sessions = new BrowserSessions(() => 0);
  const other = sessions.open(credential('rita')).cookie;
  const own = Array.from({ length: 20 }, () => sessions.open(credential('bob')).cookie);
  expect(own.filter((cookie) => sessions.find(cookie) !== null)).toHaveLength(20);
  const [first = '', second = ''] = own;
  // Used again: now another one is idle longest.
  sessions.find(first);
  for (let times = 0; times < 1_000; times += 1) {
    const { cookie } = sessions.open(credential('bob'));
    if (times === 0)
      expect([first, second, cookie].map((each) => sessions.find(each) !== null)).toEqual([true, false, true]);
  }
  expect(sessions.find(other)?.credential.id).toBe('rita');
});
