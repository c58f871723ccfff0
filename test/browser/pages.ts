/** Every page of the reader and the desk: accessible, in its frame, small; and a picture of it where one is asked for. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { IS_LONG } from '../support/long.ts';
import { value } from '../support/record.ts';
import { inspect, payloadOf } from './inspect.ts';
import { NARROW, type Stage, WIDE } from './stage.ts';
import type { Story } from './story.ts';

const PICTURES = join(process.cwd(), 'docs/images');
const isPictured = process.env['WAYMARK_SCREENSHOTS'] === '1';
const PAYLOAD = 60 * 1024;

interface Shown {
  readonly name: string;
  /** One of those that are looked at in every way outside of the long run as well, and pictured so. */
  readonly isKey?: true;
  readonly title: RegExp;
  /** Brings the page there, from anywhere, as somebody who signed in. */
  readonly open: (page: Page, story: Story) => Promise<unknown>;
}

const to = (path: string | ((story: Story) => string)) => (page: Page, story: Story) =>
  page.goto(typeof path === 'string' ? path : path(story));

const PAGES: readonly Shown[] = [
  { name: 'overview', isKey: true, title: /^payments$/, open: to('/') },
  { name: 'scope', title: /^payments$/, open: to('/s/acme/payments?below=1') },
  { name: 'search', title: /^Search: charge$/, open: to('/search?q=charge') },
  { name: 'search-past', title: /^Search: charge$/, open: to('/search?q=charge&valid_at=2026-11-20T12:00:00Z') },
  { name: 'search-nothing', title: /^Search: zebra$/, open: to('/search?q=zebra') },
  { name: 'thought', isKey: true, title: /^Retry only charges/, open: to(({ shown }) => `/t/${shown.thought_id}`) },
  { name: 'trace', isKey: true, title: /^Trace: /, open: to(({ shown }) => `/t/${shown.thought_id}/trace?depth=10`) },
  { name: 'trace-both', title: /^Trace: /, open: to(({ shown }) => `/t/${shown.thought_id}/trace?direction=both`) },
  { name: 'ledger', title: /^Ledger$/, open: to('/ledger') },
  {
    name: 'log',
    title: /^Events of builder-7$/,
    open: async (page) => {
      await page.goto('/ledger');
      await page
        .getByRole('row', { name: /builder-7/ })
        .getByRole('link')
        .click();
    },
  },
  {
    name: 'event',
    title: /^Trace: /,
    open: async (page) => {
      await page.goto('/ledger');
      await page
        .getByRole('row', { name: /builder-7/ })
        .getByRole('link')
        .click();
      await page.locator('td a[href^="/trace/"]').first().click();
    },
  },
  {
    name: 'verify',
    title: /^Verify the record$/,
    open: async (page) => {
      await page.goto('/ledger');
      const begin = page.getByRole('button', { name: 'Verify now' });
      if ((await begin.count()) > 0) await begin.click();
      else await page.goto('/ledger/verify');
      await page.getByText('Verified, and no fault found').waitFor({ timeout: 25_000 });
    },
  },
  { name: 'desk', isKey: true, title: /^Review desk$/, open: to('/desk') },
  {
    name: 'proposal',
    isKey: true,
    title: /^Proposal in acme\/ledger$/,
    open: async (page) => {
      await page.goto('/desk');
      await page.getByRole('link', { name: 'when its trailer line' }).click();
    },
  },
  {
    name: 'refused',
    title: /^Proposal in acme\/support$/,
    open: async (page, story) => {
      const thought_id = await story.propose('Answer each letter by post.');
      await page.goto(`/desk/${thought_id}`);
      await page.getByRole('radio', { name: 'Reject' }).check();
      await page.getByRole('button', { name: 'Decide as maria' }).click();
    },
  },
  {
    name: 'stale',
    title: /^Proposal in acme\/support$/,
    open: async (page, story) => {
      const at = { trail_name: 'acme/support' };
      const thought_id = await story.propose('Refund parcels that are 3 days late, without asking.', at);
      await page.goto(`/desk/${thought_id}`);
      await page.getByRole('radio', { name: 'Approve' }).check();
      await page.getByLabel('Reason', { exact: true }).fill('Agreed with the carriers on Monday');
      story.later(60_000);
      const [author, content] = [story.as('support-scout'), 'Refund parcels that are 10 days late, after asking.'];
      value(await author.update({ ...at, thought_id, content }));
      value(await author.propose({ ...at, thought_id }));
      await page.getByRole('button', { name: 'Decide as maria' }).click();
    },
  },
  {
    name: 'confirm',
    title: /^Confirm your decision$/,
    open: async (page, story) => {
      const thought_id = await story.propose('Release on Tuesdays and Thursdays, before noon.', {
        trail_name: 'acme/release',
      });
      await page.goto(`/desk/${thought_id}`);
      await page.getByRole('radio', { name: 'Approve' }).check();
      await page.getByLabel('Reason', { exact: true }).fill('Three weeks without a rollback');
      await page.getByRole('button', { name: 'Decide as maria' }).click();
    },
  },
  { name: 'batch', title: /^Decide several by rule$/, open: to('/desk/batch') },
  {
    name: 'batch-preview',
    isKey: true,
    title: /^Ask for changes: \d+ proposals$/,
    open: async (page) => {
      await page.goto('/desk/batch?scope=acme/support');
      await page.getByRole('radio', { name: 'Ask for changes' }).check();
      await page.getByLabel('Reason', { exact: true }).fill('Name the week these figures are from');
      await page.getByRole('button', { name: 'Preview' }).click();
    },
  },
  {
    name: 'batch-result',
    title: /^Ask for changes: result$/,
    open: (page) => page.getByRole('button', { name: /^Ask for changes: \d/ }).click(),
  },
  { name: 'absent', title: /^Nothing here$/, open: to('/t/01ARZ3NDEKTSV4RRFFQ69G5FAV') },
  { name: 'wrong-address', title: /make sense$/, open: to('/search?view=everything') },
];

export function pages(stage: () => Stage): void {
  test.each(PAGES)('$name passes axe-core, fits a narrow screen and is small', async (shown) => {
    const { page, story } = stage();
    await shown.open(page, story);
    expect(await page.locator('h1').textContent()).toMatch(shown.title);
    await picture(page, shown.name, shown.isKey);
    expect(await inspect(page, IS_LONG || shown.isKey === true)).toEqual([]);
    expect(await payloadOf(page)).toBeLessThan(PAYLOAD);
  });

  test('signing in and the pages of who may not decide pass as well', async () => {
    const { story, newPage } = stage();
    const page = await newPage();
    const check = async (name: string, title: string) => {
      expect(await page.locator('h1').textContent()).toBe(title);
      await picture(page, name);
      expect(await inspect(page, IS_LONG)).toEqual([]);
    };
    await page.goto('/login');
    await check('login', 'Sign in');
    await page.goto(await story.link());
    await check('login-link', 'Sign in');
    await page.goto('/login?next=/');
    await page.getByLabel('Token').fill(await story.token('ledger-bot', 'agent', 'acme/ledger:read'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/');
    await page.goto('/desk');
    await check('desk-of-an-agent', 'Review desk');
    await page.goto('/ledger/checkpoints');
    await check('forbidden', 'Not for you');
    await page.context().close();
  });

  test('on paper a thought has its text and no controls', async () => {
    const { page, story } = stage();
    await page.goto(`/t/${story.shown.thought_id}`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('article').isVisible()).toBe(true);
    for (const control of ['header.site nav', '.find', 'form.as-of', '.account']) {
      expect(await page.locator(control).isVisible(), control).toBe(false);
    }
    const colours = await page.evaluate(
      '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
    );
    expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    expect(await inspect(page, IS_LONG)).toEqual([]);
    await picture(page, 'print');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  });
}

/** As it is on a wide screen; a key page in the dark and on a narrow one as well. */
async function picture(page: Page, name: string, isKey = false): Promise<void> {
  if (!isPictured) return;
  mkdirSync(PICTURES, { recursive: true });
  const take = (suffix: string) => page.screenshot({ path: join(PICTURES, `${name}${suffix}.png`) });
  await take('');
  if (!isKey) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  await take('-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  await take('-narrow');
  await page.setViewportSize(WIDE);
}
