/**
 * The review card: an MCP App (extension `io.modelcontextprotocol/ui`, SEP-1865) that hosts show beside a `propose_truth`
 * call. One page without any outside request; hosts that know no apps show the tool's text.
 */
import * as z from 'zod';
import { CARD_SCRIPT } from './card-script.ts';

export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
export const REVIEW_CARD_TYPE = 'text/html;profile=mcp-app';

/** No domain is named, so the host allows none. */
export const REVIEW_CARD_META = { ui: { prefersBorder: true } };

export const REVIEW_CARD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Proposal</title>
<style>
:root { color-scheme: light dark; font: 14px/1.5 var(--font-sans, system-ui, sans-serif);
  color: var(--color-text-primary, light-dark(#1b1b1b, #f2f2f2));
  background: var(--color-background-primary, light-dark(#ffffff, #1b1b1b)); }
body { margin: 12px; }
h1, h2 { font-size: 1em; margin: 0 0 .3em; }
p { margin: .4em 0; }
pre { font: 13px/1.5 var(--font-mono, ui-monospace, monospace); white-space: pre-wrap; overflow-wrap: anywhere;
  border: 1px solid var(--color-border-primary, light-dark(#767676, #8f8f8f)); padding: 8px; margin: .4em 0; }
ins { text-decoration: none; background: light-dark(#d7f5dd, #12401f); }
del { text-decoration: none; background: light-dark(#ffe0dd, #571814); }
button { font: inherit; padding: 4px 12px; }
[hidden] { display: none; }
</style>
<main>
<section id="proposal" hidden aria-labelledby="heading">
<h1 id="heading">Proposal</h1>
<p id="facts"></p>
<pre id="text" tabindex="0" aria-label="Text of the proposal"></pre>
<section id="change" hidden aria-labelledby="replaces">
<h2 id="replaces"></h2>
<pre id="difference" tabindex="0" aria-labelledby="replaces"></pre>
</section>
<div id="decide" hidden>
<p><button id="approve" type="button">Approve...</button>
To reject it or to ask for changes: the review desk, or <code>waymark review</code>.</p>
<div id="confirm" hidden>
<p id="exactly"></p>
<button id="yes" type="button">Yes, approve</button>
<button id="no" type="button">Back</button>
</div>
</div>
</section>
<p id="said" role="status"></p>
</main>
<script>${CARD_SCRIPT}</script>
</html>
`;

const clientSchema = z.looseObject({
  extensions: z.looseObject({ [UI_EXTENSION]: z.looseObject({ mimeTypes: z.array(z.string()) }) }),
});

/** Whether the client shows apps: nobody else is told of the card, nor pays for its mention. */
export function showsApps(capabilities: unknown): boolean {
  const parsed = clientSchema.safeParse(capabilities);
  return parsed.success && parsed.data.extensions[UI_EXTENSION]?.mimeTypes.includes(REVIEW_CARD_TYPE) === true;
}
