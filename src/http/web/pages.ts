/** Every page, in one place. */
import { addAssets } from './assets.ts';
import { addDeskPages } from './desk/pages.ts';
import { frameOf } from './frame.ts';
import { addReaderPages } from './reader/pages.ts';
import { addTracePages, type TracePages } from './trace/pages.ts';
import type { WebApp, WebOptions } from './web.ts';

export function addPages(app: WebApp, options: WebOptions): TracePages {
  addAssets(app);
  app.use(frameOf(options));
  addReaderPages(app, options);
  const traces = addTracePages(app, options);
  addDeskPages(app, options);
  return traces;
}
