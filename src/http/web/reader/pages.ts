/** The record to read: overview, scopes, search, thoughts. */
import { parseScope } from '../../../record/scope.ts';
import { errorPage } from '../error-page.ts';
import type { WebApp, WebOptions } from '../web.ts';
import { overviewPage } from './overview-page.ts';
import { scopePage } from './scope-page.ts';
import { searchPage } from './search-page.ts';
import { thoughtDownload, thoughtPage } from './thought-page.ts';

export function addReaderPages(app: WebApp, options: WebOptions): void {
  app.get('/', (c) => overviewPage(c, options));
  app.get('/search', (c) => searchPage(c));
  app.get('/s/*', (c) => {
    const scope = parseScope(c.req.path.slice('/s/'.length), 'scope');
    return scope.ok ? scopePage(c, scope.value) : errorPage(c, 404);
  });
  app.get('/t/:id', (c) => thoughtPage(c, options));
  app.get('/t/:id/raw', (c) => thoughtDownload(c));
}
