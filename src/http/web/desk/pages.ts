/** The review desk: what waits, one page for each proposal, verdicts. */
import type { WebApp, WebOptions } from '../web.ts';

export function addDeskPages(_app: WebApp, _options: WebOptions): void {}
