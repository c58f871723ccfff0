/** One Chromium for all of these tests, and pages of it that note whatever a page of ours must never cause. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { openStory, type Story } from './story.ts';

const EXECUTABLE = process.env['WAYMARK_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
/** Without one the tests skip visibly. */
export const hasChromium = existsSync(EXECUTABLE);

export const WIDE = { width: 1280, height: 800 } as const;
export const NARROW = { width: 360, height: 740 } as const;

export interface Stage {
  readonly story: Story;
  /** Signed in as the operator by a one-time link, with scripts. */
  readonly page: Page;
  /** A browser that nobody signed in with. */
  newPage(options?: NewPageOptions): Promise<Page>;
  /** Dialogs, faults of scripts, what the policy refused, requests to elsewhere: since it was last asked. */
  complaints(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface NewPageOptions {
  /** @default true */
  readonly javaScriptEnabled?: boolean;
  /** Of the server it is for. @default the story's */
  readonly origin?: string;
}

export async function openStage(): Promise<Stage> {
  const [story, browser] = await Promise.all([
    openStory(),
    chromium.launch({ executablePath: EXECUTABLE, chromiumSandbox: process.getuid?.() !== 0 }),
  ]);
  const complaints: string[] = [];
  const newPage = async ({ javaScriptEnabled = true, origin = story.origin }: NewPageOptions = {}) => {
    const context = await newContext(browser, { baseURL: origin, javaScriptEnabled });
    const page = await context.newPage();
    watch(page, { origin, complaints });
    return page;
  };
  const page = await newPage();
  await signIn(page, await story.link());
  return {
    ...{ story, page, newPage },
    complaints: () => complaints.splice(0),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await story[Symbol.asyncDispose]();
    },
  };
}

async function newContext(
  browser: Browser,
  options: { readonly baseURL: string; readonly javaScriptEnabled: boolean },
): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...options,
    viewport: WIDE,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(10_000);
  return context;
}

/** A refused form or an absent page is answered with a status that the browser reports as well. */
const STATUS = /^Failed to load resource: the server responded with a status of 4\d\d/;

function watch(page: Page, { origin, complaints }: { readonly origin: string; readonly complaints: string[] }): void {
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('console', (message) => {
    const isStatus = STATUS.test(message.text()) && message.location().url === page.url();
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`request: ${request.url()}`);
  });
}

export async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/desk');
}
