/** The review desk: signing in, what waits, one page for each proposal, verdicts. */
import { addLoginPages } from '../login-page.ts';
import type { WebApp, WebOptions } from '../web.ts';
import { takeBatch } from './batch-form.ts';
import { batchPage } from './batch-page.ts';
import { takeDecision } from './decide.ts';
import { feed } from './feed.ts';
import { proposalPage } from './proposal-page.ts';
import { queuePage } from './queue-page.ts';

export function addDeskPages(app: WebApp, options: WebOptions): void {
  addLoginPages(app, options);
  app.get('/desk', (c) => queuePage(c, options));
  app.get('/desk/feed.atom', (c) => feed(c, options));
  app.get('/desk/batch', (c) => batchPage(c, options));
  app.post('/desk/batch', (c) => takeBatch(c, options));
  app.get('/desk/:id', (c) => proposalPage(c, options, { thought_id: c.req.param('id') }));
  app.post('/desk/:id', (c) => takeDecision(c, options));
}
