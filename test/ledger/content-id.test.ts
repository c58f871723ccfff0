import { expect, test } from 'vitest';
import { contentId, contentIdOf, eventTypeOf, normaliseServerUrl, VERBS } from '../../src/ledger/index.ts';

const target = `sha256:${'1'.repeat(64)}`;

test.each([
  ['https://Shop.Example:443/Pay/?q=1#f', 'https://shop.example/Pay'],
  ['https://shop.example/', 'https://shop.example'],
  ['https://shop.example:8443/a//', 'https://shop.example:8443/a/'],
  ['MCP://Fixture.Local/Codex/', 'mcp://Fixture.Local/Codex'],
  ['urn:x:Y', 'urn://x:Y'],
  ['Not A URL/', 'not a url/'],
])('normaliseServerUrl of %s', (url, expected) => {
  expect(normaliseServerUrl(url)).toBe(expected);
});

test('each verb has one event type and content id', () => {
  const atrib = (name: string) => `https://atrib.dev/v1/types/${name}`;
  const verdicts = ['approve', 'reject', 'request_changes'];
  for (const verb of VERBS) {
    if (verdicts.includes(verb)) {
      expect(eventTypeOf({ verb, annotates: target })).toBe(atrib('annotation'));
      expect(contentIdOf({ verb, annotates: target })).toBe(contentId('mcp://atrib-emit', 'annotation'));
      expect(eventTypeOf({ verb, revises: target })).toBe(atrib('revision'));
      expect(contentIdOf({ verb, revises: target })).toBe(contentId('mcp://atrib-emit', 'revision'));
      expect(() => eventTypeOf({ verb })).toThrow(/annotates/);
    } else {
      const ends = ['revoke', 'rotate', 'recover'].includes(verb);
      const observed = ['save', 'supersede', 'change_scope'].includes(verb);
      const own = ends ? atrib('key_revocation') : `urn:waymark:event:${verb}`;
      expect(eventTypeOf({ verb })).toBe(observed ? atrib('observation') : own);
      expect(contentIdOf({ verb })).toBe(
        observed ? contentId('mcp://atrib-emit', 'observation') : contentId('mcp://waymark', verb),
      );
      expect(() => eventTypeOf({ verb, annotates: target })).toThrow();
      expect(() => eventTypeOf({ verb, revises: target })).toThrow();
    }
  }
});
