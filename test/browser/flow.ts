/** What a person does: sign in, find, read, trace, decide. */
import { expect, test } from 'vitest';
import { parsed } from '../cli/support.ts';
import { value } from '../support/record.ts';
import { startServe } from '../support/serve-process.ts';
import { type Stage, signIn } from './stage.ts';

export function flow(stage: () => Stage): void {
  test('a one-time link signs a browser in once, and signing out ends it', async () => {
    const { story, newPage } = stage();
    const [page, other] = [await newPage(), await newPage()];
    const link = await story.link();
    await signIn(page, link);
    expect(await page.locator('.account').textContent()).toContain('maria operator');
    await other.goto(link);
    await other.getByRole('button', { name: 'Sign in' }).click();
    expect(await other.getByRole('alert').textContent()).toContain('does not open anything');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto('/desk');
    expect(new URL(page.url()).pathname).toBe('/login');
    for (const each of [page, other]) await each.context().close();
  });

  test('a token signs in on the way to a page, and opens what its grants allow', async () => {
    const { story, newPage } = stage();
    const page = await newPage();
    await page.goto('/s/acme/ledger');
    await page.getByLabel('Token').fill('wm_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('unknown, revoked or expired');
    await page.getByLabel('Token').fill(await story.token('rita', 'reviewer', 'acme/ledger:read,decide'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/s/acme/ledger');
    expect(await page.locator('.account').textContent()).toContain('rita reviewer');
    expect(await page.locator('#results').textContent()).toContain('A booking is never changed');
    await page.goto('/');
    expect(await page.locator('.tree').textContent()).not.toContain('support');
    await page.context().close();
  });

  test('a search finds while somebody types, and its address is the same page', async () => {
    const { page, story } = stage();
    await page.goto('/');
    await page.getByLabel('Search the record').fill('idempotency');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=idempotency*');
    await page.evaluate('window.kept = true');
    const results = page.locator('#results');
    expect(await results.locator('li').count()).toBeGreaterThan(1);
    await page.getByLabel('Words').fill('idempotency only');
    await page.waitForURL('**/search?q=idempotency+only*');
    const found = results.getByRole('link', { name: 'Retry only charges' });
    expect(await results.locator('[data-count]').textContent()).toBe('1 thought');
    expect(await page.locator('#said').textContent()).toBe('1 thought');
    expect(await page.evaluate('window.kept')).toBe(true);
    await page.getByLabel('Words').pressSequentially(' never-said');
    await page.getByText('Nothing matches').waitFor();
    await page.reload();
    expect(await page.getByLabel('Words').inputValue()).toBe('idempotency only never-said');
    await page.getByLabel('Words').fill('idempotency only');
    await found.click();
    await page.waitForURL(`**/t/${story.shown.thought_id}`);
  });

  test('a thought reads as it was written, with what it replaced, its clocks and its verified events', async () => {
    const { page, story } = stage();
    await page.goto(`/t/${story.shown.thought_id}`);
    expect(await page.locator('h1').textContent()).toBe('Retry only charges that carried an idempotency key');
    expect(await page.locator('article').textContent()).toContain('at most three times');
    expect(await page.locator('del').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('five')]),
    );
    expect(await page.locator('ins').count()).toBeGreaterThan(0);
    expect(await page.getByText('✓ verified').count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator('svg.timeline').isVisible()).toBe(true);
  });

  test('a trace leads back, deeper by a link, and is zoomed by keyboard', async () => {
    const { page, story } = stage();
    await page.goto(`/t/${story.shown.thought_id}`);
    await page.getByRole('link', { name: 'Trace', exact: true }).click();
    const boxes = page.locator('svg.graph .box');
    const before = await boxes.count();
    await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name: '10', exact: true }).click();
    await page.waitForURL('**/trace?*depth=10*');
    expect(await boxes.count()).toBeGreaterThan(before);
    const width = async () => Number(await page.locator('svg.graph').getAttribute('width'));
    const usual = await width();
    await page.locator('#graph').focus();
    await page.keyboard.press('+');
    expect(await width()).toBeGreaterThan(usual);
    expect(await page.locator('.graph-bar [role=status]').textContent()).toBe('125 %');
    await page.keyboard.press('0');
    expect(await width()).toBe(usual);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    expect(await width()).toBeLessThan(usual);
    expect(await page.locator('.trace li[id]').count()).toBe(await boxes.count());
  });

  test('a rejection needs its reason, and the author reads it', async () => {
    const { page, story } = stage();
    await page.goto('/desk');
    await page.getByRole('link', { name: 'Wake somebody when' }).click();
    const id = page.url().split('/').at(-1) ?? '';
    await page.getByRole('radio', { name: 'Reject' }).check();
    await page.getByRole('button', { name: 'Decide as maria' }).click();
    expect(await page.getByRole('alert').textContent()).toMatch(/reason/i);
    expect(story.statusOf(id)).toBe('proposed');
    await page.getByRole('radio', { name: 'Reject' }).check();
    await page.getByLabel('Reason', { exact: true }).fill('Nobody is on call at night');
    await page.getByLabel('Grounds').selectOption('outdated');
    await page.getByRole('button', { name: 'Decide as maria' }).click();
    await page.waitForURL('**/desk');
    expect(await page.getByRole('status').first().textContent()).toMatch(/reject/i);
    expect(story.statusOf(id)).toBe('rejected');
    await page.goto(`/t/${id}`);
    expect(await page.locator('main').textContent()).toContain('Nobody is on call at night');
  });

  test('approving a replacement shows the difference and retires what it replaces', async () => {
    const { page, story } = stage();
    await page.goto('/desk');
    await page.getByRole('link', { name: 'when its trailer line' }).click();
    const replaces = page.getByRole('region', { name: 'What it replaces' });
    expect(await replaces.locator('del').first().textContent()).toContain('every');
    expect(await replaces.locator('ins').first().textContent()).toContain('when');
    const old = (await replaces.getByRole('link').first().textContent()) ?? '';
    await page.getByRole('radio', { name: 'Approve' }).check();
    await page.getByRole('button', { name: 'Decide as maria' }).click();
    await page.waitForURL('**/desk');
    await page.goto(`/t/${old}`);
    expect(await page.locator('.lead-in .badge').textContent()).toBe('Superseded');
    await page.goto('/search?q=settlement+file+night&scope=acme/ledger');
    const found = await page.locator('#results').textContent();
    expect(found).not.toContain('every night at 02:30');
    expect(found).toContain('The settlement file came after');
    expect(story.statusOf(old)).toBe('approved');
  });

  test('a stale approval is refused: the new difference is shown and the typed reason kept', async () => {
    const { page, story } = stage();
    const trail_name = 'acme/support';
    const thought_id = await story.propose('Answer a mail about a refund within 2 hours.');
    await page.goto(`/desk/${thought_id}`);
    await page.getByRole('radio', { name: 'Approve' }).check();
    await page.getByLabel('Reason', { exact: true }).fill('Two hours were agreed');
    const author = story.as('support-scout');
    story.later(60_000);
    value(await author.update({ trail_name, thought_id, content: 'Answer a mail about a refund within 48 hours.' }));
    value(await author.propose({ trail_name, thought_id }));
    await page.getByRole('button', { name: 'Decide as maria' }).click();
    const changed = page.getByRole('region', { name: 'What changed since you opened it' });
    expect(await changed.locator('del').textContent()).toContain('2');
    expect(await changed.locator('ins').textContent()).toContain('48');
    expect(await page.getByLabel('Reason', { exact: true }).inputValue()).toBe('Two hours were agreed');
    expect(await page.locator('[name=verdict]:checked').count()).toBe(0);
    expect(story.statusOf(thought_id)).toBe('proposed');
    await page.getByRole('radio', { name: 'Approve' }).check();
    await page.getByRole('button', { name: 'Decide as maria' }).click();
    await page.waitForURL('**/desk');
    expect(story.statusOf(thought_id)).toBe('approved');
  });

  test('a decision is made with the keyboard alone', async () => {
    const { page, story } = stage();
    const thought_id = await story.propose('Close a mail thread after 14 days without an answer.');
    await page.goto('/desk');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    const tabTo = async (selector: string) => {
      for (let pressed = 0; pressed < 80; pressed += 1) {
        await page.keyboard.press('Tab');
        if ((await page.locator(`:focus${selector}`).count()) > 0) return;
      }
      throw new Error(`The Tab key does not reach ${selector}`);
    };
    await tabTo(`[href="/desk/${thought_id}"]`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/desk/${thought_id}`);
    await tabTo('[name=verdict]');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await tabTo('[name=reason]');
    await page.keyboard.type('Say which mails');
    await tabTo('[type=submit]');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/desk');
    expect(story.statusOf(thought_id)).toBe('draft');
  });

  test('the link that `waymark desk login` prints opens the desk of the `waymark serve` that runs', async () => {
    const { story, newPage } = stage();
    const served = await startServe({ env: story.env });
    const page = await newPage({ origin: new URL(served.endpoint).origin });
    const printed = await parsed(['desk', 'login'], { cwd: story.root, env: story.env });
    await signIn(page, printed.stdout.trim());
    expect(page.url()).toBe(`${new URL(served.endpoint).origin}/desk`);
    expect(await page.locator('.account').textContent()).toContain('maria operator');
    await page.context().close();
    served.kill('SIGTERM');
    expect(await served.ended).toMatchObject({ code: 0 });
  });
}
