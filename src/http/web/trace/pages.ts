/** Why it is so, and whether it can be proved: the causal graph, the ledger. */
import { VerifyRuns } from '../../../trail/verify/verify-run.ts';
import { LayoutCache } from '../parts/layout-cache.ts';
import type { WebApp, WebOptions } from '../web.ts';
import { checkpointsDownload, ledgerPage, writerPage } from './ledger-page.ts';
import { tracePage } from './trace-page.ts';
import { startVerify, verifyPage } from './verify-page.ts';

export interface TracePages {
  /** Ends what still runs beside the server. */
  close(): void;
}

export function addTracePages(app: WebApp, options: WebOptions): TracePages {
  const layouts = new LayoutCache();
  app.get('/t/:id/trace', (c) => tracePage(c, { start: c.req.param('id'), layouts }));
  app.get('/trace/:hash', (c) => tracePage(c, { start: `sha256:${c.req.param('hash')}`, layouts }));

  const runs = new VerifyRuns(options.record, () => options.log.warn({ page: 'verify' }, 'The verification failed'));
  app.get('/ledger', (c) => ledgerPage(c, options, runs.state()));
  app.get('/ledger/checkpoints', (c) => checkpointsDownload(c, options));
  app.get('/ledger/verify', (c) => verifyPage(c, options, runs.state()));
  app.post('/ledger/verify', (c) => startVerify(c, runs));
  app.get('/ledger/:log', (c) => writerPage(c, options));
  return { close: () => runs.close() };
}
