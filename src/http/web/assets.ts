/** Style and scripts: kept as modules, so that they are wherever the program is, and served under their content's digest. */
import { createHash } from 'node:crypto';
import { GRAPH_CSS } from './assets/graph-css.ts';
import { GRAPH_JS } from './assets/graph-js.ts';
import { MARK_SVG } from './assets/mark-svg.ts';
import { SEARCH_JS } from './assets/search-js.ts';
import { SITE_CSS } from './assets/site-css.ts';
import { VERIFY_JS } from './assets/verify-js.ts';
import type { WebApp } from './web.ts';

interface Asset {
  readonly type: string;
  readonly text: string;
}

const CSS = 'text/css; charset=utf-8';
const JS = 'text/javascript; charset=utf-8';
const SVG = 'image/svg+xml';

/** By name below `/assets/`. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['site.css', { type: CSS, text: SITE_CSS + GRAPH_CSS }],
  ['mark.svg', { type: SVG, text: MARK_SVG }],
  ['search.js', { type: JS, text: SEARCH_JS }],
  ['graph.js', { type: JS, text: GRAPH_JS }],
  ['verify.js', { type: JS, text: VERIFY_JS }],
]);

const DIGESTS: ReadonlyMap<string, string> = new Map(
  [...ASSETS].map(([name, { text }]) => [name, createHash('sha256').update(text).digest('base64url').slice(0, 12)]),
);

/** Address of the asset as it is now. Throws for a name that is none. */
export function assetPath(name: string): string {
  const digest = DIGESTS.get(name);
  if (digest === undefined) throw new Error(`There is no asset "${name}"`);
  return `/assets/${name}?v=${digest}`;
}

/** Anybody's: nothing in them depends on the record or on who asks. */
export function addAssets(app: WebApp): void {
  app.get('/assets/:name', (c) => {
    const asset = ASSETS.get(c.req.param('name'));
    if (asset === undefined) return c.notFound();
    const isNamed = c.req.query('v') === DIGESTS.get(c.req.param('name'));
    c.header('Cache-Control', isNamed ? 'public, max-age=31536000, immutable' : 'no-cache');
    c.header('Content-Type', asset.type);
    return c.body(asset.text);
  });
}
