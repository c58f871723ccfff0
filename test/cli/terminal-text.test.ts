import { expect, test } from 'vitest';
import { agentIdFrom } from '../../src/cli/person.ts';
import { terminalLine, terminalText } from '../../src/cli/terminal-text.ts';

test('controls and characters nobody sees stand as their code point, other text as itself', () => {
  expect(terminalText('\u001b[31m\u009b\u0007\u0000\r\u007f')).toBe(
    '<U+001B>[31m<U+009B><U+0007><U+0000><U+000D><U+007F>',
  );
  expect(terminalText('a\u202eb\u2066c\u200bd\u2028e\ufefff\u{e0041}')).toBe(
    'a<U+202E>b<U+2066>c<U+200B>d<U+2028>e<U+FEFF>f<U+E0041>',
  );
  expect(terminalText('Grüße, 世界 😀\n\tok')).toBe('Grüße, 世界 😀\n\tok');
  expect(terminalLine('one\r\ntwo\tthree')).toBe('one two three');
});

test.each([
  ['alice', 'alice'],
  ['Ångström', 'Angstrom'],
  ['DOMAIN\\bob', 'DOMAIN-bob'],
  ['_svc', 'svc'],
  ['世界', null],
  ['', null],
  ['x'.repeat(80), 'x'.repeat(64)],
])('the account "%s" makes the agent id %s', (account, id) => {
  expect(agentIdFrom(account)).toBe(id);
});
