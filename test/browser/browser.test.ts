/** The reader and the desk in a real browser, over HTTP: one Chromium and one record for all. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { flow } from './flow.ts';
import { hostile } from './hostile.ts';
import { noScript } from './no-script.ts';
import { pages } from './pages.ts';
import { hasChromium, openStage, type Stage } from './stage.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  let opened: Stage | undefined;
  const stage = () => opened ?? expect.fail('The browser is not open');
  beforeAll(async () => {
    opened = await openStage();
  });
  afterEach(() => expect(stage().complaints()).toEqual([]));
  afterAll(() => opened?.[Symbol.asyncDispose]());

  describe('every page', () => pages(stage));
  describe('with scripts', () => flow(stage));
  describe('without scripts', () => noScript(stage));
  describe('hostile text', () => hostile(stage));
});
