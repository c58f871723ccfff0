/** The record to read: overview, scopes, search, thoughts. */
import type { WebApp, WebOptions } from '../web.ts';

export function addReaderPages(_app: WebApp, _options: WebOptions): void {}
