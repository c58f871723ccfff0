/** Every page, in one place. */
import { addDeskPages } from './desk/pages.ts';
import { addReaderPages } from './reader/pages.ts';
import { addTracePages } from './trace/pages.ts';
import type { WebApp, WebOptions } from './web.ts';

export function addPages(app: WebApp, options: WebOptions): void {
  addReaderPages(app, options);
  addTracePages(app, options);
  addDeskPages(app, options);
}
