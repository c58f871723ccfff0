/** The page at `/`: what is served, how to connect, how a person decides. Plain HTML, no script. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { html, raw } from 'hono/html';

/**
 * What the record says of itself to whoever can reach the endpoint, agents included: no text of a thought, and no number
 * that depends on one they may not see.
 */
export interface StatusPage {
  /** Path of the record; only its last segment is shown. */
  readonly record: string;
  readonly branch: string;
  /** Label to number, in the order shown, e.g. `{ approved: 12 }`. */
  readonly counts: Readonly<Record<string, number>>;
  /** One line on the ledger. */
  readonly ledger: string;
}

const STYLE = `:root{color-scheme:light dark;--ink:#1a1a1a;--soft:#5a5a5a;--paper:#fff;--line:#ddd}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--soft:#a8a8a8;--paper:#161616;--line:#3a3a3a}}
body{margin:2rem auto;max-width:42rem;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}dt{color:var(--soft)}dd{margin:0}
pre{overflow-x:auto;padding:.75rem;border:1px solid var(--line);border-radius:.25rem}`;

/** The CSP source that admits the page's one style sheet and no other. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export interface StatusPageOptions {
  /** `undefined` when the record cannot be read now. */
  readonly status: StatusPage | undefined;
  readonly version: string;
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
}

/** Renders the page; every value is escaped by the template. */
export async function renderStatusPage(options: StatusPageOptions): Promise<string> {
  const { status, version, endpoint } = options;
  const facts: readonly (readonly [string, string])[] =
    status === undefined
      ? [['Record', 'cannot be read now; the log names the fault']]
      : [
          ['Record', basename(status.record)],
          ['Branch', status.branch],
          ...Object.entries(status.counts).map(([label, count]) => [label, String(count)] as const),
          ['Ledger', status.ledger],
        ];
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waymark</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<h1>Waymark</h1>
<dl>
<dt>Version</dt><dd>${version}</dd>
${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>\n`)}</dl>
<h2>Connect a client</h2>
<p>Streamable HTTP at <code>${endpoint}</code>, for example:</p>
<pre>claude mcp add --transport http waymark ${endpoint}</pre>
<p>Everyone who connects here is one identity: that of the process.</p>
<h2>Decide</h2>
<p>An agent's thought becomes part of the record only by approval. A person decides in a terminal, in the record's folder:</p>
<pre>waymark review</pre>
</body>
</html>
`;
  return page.toString();
}
