/** The review card: who is told of it, what it costs, and that nothing in it reaches out or decides. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { CARD_SCRIPT } from '../../src/mcp/app/card-script.ts';
import { REVIEW_CARD, REVIEW_CARD_TYPE, showsApps, UI_EXTENSION } from '../../src/mcp/app/review-card.ts';
import { connectHttp, connectInMemory, createDoor, ERAS } from '../support/mcp-clients.ts';

const APPS = { extensions: { [UI_EXTENSION]: { mimeTypes: [REVIEW_CARD_TYPE] } } };

test.each(ERAS)('%s: only hosts that show apps are told of the card, by one tool, for few tokens', async (era) => {
  for (const connect of [connectInMemory, connectHttp]) {
    // Over HTTP a client of 2025 says what it can in another request than the one that lists.
    if (connect === connectHttp && era === 'legacy') continue;
    const listOf = async (declared: object) => {
      const client = await connect(createDoor(), era, { capabilities: declared });
      const { tools } = await client.listTools();
      await client.close();
      return tools;
    };
    const [plain, linked] = [await listOf({}), await listOf(APPS)];
    expect(plain.every((tool) => tool._meta === undefined)).toBe(true);
    const marked = linked.filter((tool) => tool._meta !== undefined);
    expect(marked.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['propose_truth', { ui: { resourceUri: 'ui://waymark/review' } }],
    ]);
    expect(linked.map(({ _meta, ...tool }) => tool)).toEqual(plain);
    expect(countTokens(JSON.stringify(linked)) - countTokens(JSON.stringify(plain))).toBeLessThanOrEqual(60);
  }
});

test('a client shows apps that says so for this kind of page', () => {
  expect(showsApps(APPS)).toBe(true);
  for (const other of [
    undefined,
    {},
    { extensions: {} },
    { extensions: { [UI_EXTENSION]: {} } },
    { extensions: { [UI_EXTENSION]: { mimeTypes: ['text/html'] } } },
  ]) {
    expect(showsApps(other)).toBe(false);
  }
});

test('the card is one small page that asks nobody but its host, and writes stored text as text', () => {
  expect(Buffer.byteLength(REVIEW_CARD)).toBeLessThan(12_000);
  expect(REVIEW_CARD).not.toMatch(/https?:|src=|href=|url\(|@import/);
  expect(CARD_SCRIPT).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval|fetch\(|XMLHttp|<\/script/i);
  expect(CARD_SCRIPT).toContain('textContent');
  // It compiles: nothing else does before a host runs it.
  expect(() => new Function(CARD_SCRIPT)).not.toThrow();
  // The one call that may change anything is the tool's own, which asks the person and checks the right.
  expect([...CARD_SCRIPT.matchAll(/tool\('(\w+)'/g)].map(([, name]) => name)).toEqual([
    'get_thought',
    'get_thought',
    'propose_truth',
  ]);
});
