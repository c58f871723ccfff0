/** The same without JavaScript: every step is a link or a form. */
import { expect, test } from 'vitest';
import { type Stage, signIn } from './stage.ts';

export function noScript(stage: () => Stage): void {
  test('signs in, finds, reads, traces, decides and decides several', async () => {
    const { story, newPage } = stage();
    const trail_name = 'acme/payments/refunds';
    const one = await story.propose('Refund to the card that paid, never to another.', { trail_name });
    const many = [
      await story.propose('Name the shop in the subject of each refund mail.', { trail_name }),
      await story.propose('Keep the receipt of a refund for ten years.', { trail_name }),
    ];
    const page = await newPage({ javaScriptEnabled: false });
    await signIn(page, await story.link());

    await page.goto('/search');
    await page.getByLabel('Words').fill('idempotency only');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await page.locator('[data-count]').textContent()).toBe('1 thought');
    await page.getByRole('link', { name: 'Retry only charges' }).click();
    expect(await page.locator('article').textContent()).toContain('at most three times');
    await page.getByText('As of another time').click();
    await page.getByLabel('True in the world at').fill('2026-11-20T12:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await page.locator('.as-of-notice').textContent()).toContain('2026-11-20 12:00');
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByRole('link', { name: 'Trace', exact: true }).click();
    expect(await page.locator('svg.graph .box').count()).toBeGreaterThan(1);
    expect(await page.locator('.graph-bar').count()).toBe(0);
    await page.locator('svg.graph .box').first().click();
    expect(await page.locator('h1').textContent()).not.toBe('Nothing here');

    await page.goto(`/desk/${one}`);
    await page.getByRole('radio', { name: 'Approve' }).check();
    await page.getByRole('button', { name: 'Decide as maria' }).click();
    expect(await page.getByRole('status').first().textContent()).toContain('part of the record now');
    expect(story.statusOf(one)).toBe('approved');

    await page.goto('/desk/batch');
    await page.getByLabel('Scope').fill(trail_name);
    await page.getByLabel('Author').fill('support-scout');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    for (const box of await page.locator('[name=pick]').all()) {
      const pick = await box.inputValue();
      await box.setChecked(many.some((id) => pick.startsWith(id)));
    }
    await page.getByRole('radio', { name: 'Approve' }).check();
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(many.map(story.statusOf)).toEqual(['proposed', 'proposed']);
    await page.getByRole('button', { name: /^Approve: \d/ }).click();
    expect(await page.getByRole('status').first().textContent()).toMatch(/^(\d+) of \1 done\.$/);
    expect(many.map(story.statusOf)).toEqual(['approved', 'approved']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.context().close();
  });
}
