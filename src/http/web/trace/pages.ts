/** Why it is so, and whether it can be proved: the causal graph, the ledger. */
import type { WebApp, WebOptions } from '../web.ts';

export function addTracePages(_app: WebApp, _options: WebOptions): void {}
