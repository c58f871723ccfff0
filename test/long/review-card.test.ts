/** The review card in a real browser, its host played by a small page: what it shows, and what a click sends. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { REVIEW_CARD } from '../../src/mcp/app/review-card.ts';

const CHROMIUM = '/usr/bin/chromium';
const TRICK = 'Retry <img src=x onerror="parent.hacked=1">\u202e\nthen stop';

const THOUGHTS = {
  NEW: {
    thought_id: 'NEW',
    source_trail: 'acme/eng',
    agent_id: 'alice',
    validation_status: 'proposed',
    content: TRICK,
    claim: 'c'.repeat(64),
    supersedes_id: 'OLD',
  },
  OLD: { thought_id: 'OLD', content: 'Retry twice\nthen stop' },
};

/** Answers the card as SEP-1865 wants it from a host, and keeps what it was asked. */
const HOST = `
window.asked = [];
const frame = document.querySelector('iframe').contentWindow;
const send = (message) => frame.postMessage({ jsonrpc: '2.0', ...message }, '*');
const THOUGHTS = ${JSON.stringify(THOUGHTS)};
window.addEventListener('message', ({ source, data }) => {
  if (source !== frame) return;
  window.asked.push({ method: data.method, params: data.params });
  const { id, method, params } = data;
  if (method === 'ui/initialize') send({ id, result: { protocolVersion: '2026-01-26', hostContext: { theme: 'dark' } } });
  if (method === 'ui/notifications/initialized')
    send({ method: 'ui/notifications/tool-input', params: { arguments: { trail_name: 'acme/eng', thought_id: 'NEW' } } });
  if (method !== 'tools/call') return;
  const thought = THOUGHTS[params.arguments.thought_id];
  const answer = params.name === 'get_thought' ? { status: 'ok', thought } : { status: 'ok', message: 'Approved.', thought };
  send({ id, result: { content: [], structuredContent: answer } });
});
`;

test.skipIf(!existsSync(CHROMIUM))(
  'the card shows text and difference, and only a second click asks for the decision',
  async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      const csp = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">`;
      await page.setContent('<iframe sandbox="allow-scripts" style="width:600px;height:500px"></iframe>');
      await page.addScriptTag({ content: HOST });
      const html = JSON.stringify(REVIEW_CARD.replace('<meta', `${csp}<meta`)).replaceAll('<', '\\u003c');
      await page.evaluate(`document.querySelector('iframe').srcdoc = ${html}`);
      const card = page.frameLocator('iframe');
      await card.getByText('NEW in acme/eng, by alice, proposed').waitFor();
      expect(await card.locator('#text').textContent()).toBe(TRICK.replace('\u202e', '<U+202E>'));
      await card.locator('del').waitFor();
      expect(await card.locator('#difference').textContent()).toBe(
        `- Retry twice\n+ ${TRICK.split('\n')[0]?.replace('\u202e', '<U+202E>')}\n  then stop\n`,
      );
      const asked = async () =>
        z
          .array(
            z.looseObject({
              method: z.string().optional(),
              params: z.looseObject({ name: z.string().optional() }).optional(),
            }),
          )
          .parse(await page.evaluate('window.asked'))
          .filter(({ method }) => method === 'tools/call')
          .map(({ params }) => params);
      await card.getByRole('button', { name: 'Approve...' }).click();
      expect((await asked()).map((call) => call?.name)).toEqual(['get_thought', 'get_thought']);
      await card.getByRole('button', { name: 'Yes, approve' }).click();
      await card.getByText('Approved.').waitFor();
      expect((await asked()).at(-1)).toEqual({
        name: 'propose_truth',
        arguments: { trail_name: 'acme/eng', thought_id: 'NEW', claim: 'c'.repeat(64), approval: 'human' },
      });
      expect(await card.getByRole('button', { name: 'Approve...' }).isVisible()).toBe(false);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(faults).toEqual([]);
      if (process.env['WAYMARK_SHOT']) await page.screenshot({ path: process.env['WAYMARK_SHOT'] });
    } finally {
      await browser.close();
    }
  },
);
