/** What every page is held to: axe-core in both schemes, nothing wider than a narrow screen, a small payload. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { NARROW, WIDE } from './stage.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violationsSchema = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/**
 * Faults by name, none for a good page. It is left wide and light.
 * @param isWhole Whether colours are looked at in the dark scheme and on a narrow screen as well.
 */
export async function inspect(page: Page, isWhole: boolean): Promise<readonly string[]> {
  // Not through an element: the policy of the page admits no such script.
  await page.evaluate(AXE);
  const faults = await axe(page, '{}', 'light');
  await page.setViewportSize(NARROW);
  faults.push(...(await overflow(page)));
  if (isWhole) {
    faults.push(
      ...(await axe(page, "{ runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'] }", 'narrow')),
    );
    await page.emulateMedia({ colorScheme: 'dark' });
    faults.push(...(await axe(page, "{ runOnly: ['color-contrast', 'link-in-text-block'] }", 'dark')));
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.setViewportSize(WIDE);
  return [...faults, ...(await overflow(page))];
}

async function axe(page: Page, options: string, where: string): Promise<string[]> {
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`);
  const violations = violationsSchema.parse(found);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${where}: ${id}: ${html}`));
}

/** What sticks out to the right of a page, outside of what scrolls by itself; and text too narrow to be read. */
async function overflow(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    const text = [...document.querySelectorAll('main p, main th, main td, main caption, main li, main dd')];
    const columns = text.filter((each) => {
      const { width: wide, height } = each.getBoundingClientRect();
      return wide > 1 && wide < 40 && height > 3 * wide && each.textContent.trim().length > 8;
    });
    if (columns.length > 0) return columns.map((each) => 'a column of letters: ' + each.outerHTML.slice(0, 120));
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('body *')]
      .filter((each) => each.getBoundingClientRect().right > width + 1)
      .map((each) => 'wider than ' + width + ': ' + each.outerHTML.slice(0, 120));
  })()`);
  return z.array(z.string()).parse(found).slice(0, 3);
}

/** Bytes over the wire, compressed: the page without its graph, its style and its scripts. */
export async function payloadOf(page: Page): Promise<number> {
  const html = (await page.content()).replace(/<svg class="graph"[\s\S]*?<\/svg>\s*<\/div>/, '');
  const parts = await page
    .locator('link[rel=stylesheet], link[rel=icon], script[src]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? ''));
  const assets = await Promise.all(parts.map(async (path) => (await page.request.get(path)).body()));
  return [Buffer.from(html), ...assets].reduce((sum, part) => sum + gzipSync(part).length, 0);
}
