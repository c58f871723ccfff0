/** `/`: what the record holds, what waits, what happened, and how to take part. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import { type Happening, type RecordOverview, recordOverview, type ScopeSummary } from '../../../trail/overview.ts';
import type { HttpEnv } from '../../caller.ts';
import { asOfNotice } from '../as-of.ts';
import { type Html, renderPage } from '../layout.ts';
import { liveOnly } from '../parts/live-only.ts';
import { linkTo, scopeLink, scopePath, thoughtPath } from '../parts/page-links.ts';
import { titleOf } from '../parts/thought-list.ts';
import { renderTime, spanOf } from '../parts/time.ts';
import { verbInPast } from '../parts/verb.ts';
import type { WebOptions } from '../web.ts';

export async function overviewPage(c: Context<HttpEnv>, options: WebOptions): Promise<Response> {
  const context = await c.var.caller.session.context();
  const overview = await recordOverview(context, options.record);
  const isEmpty = overview.scopes.length === 0;
  const main = html`${isEmpty ? emptyRecord() : numbers(c, overview, options)}
${isEmpty ? '' : body(c, overview)}
${liveOnly(participation(options, c.var.caller.principal.agent_id))}`;
  return renderPage(c, {
    title: c.var.frame.recordName,
    section: 'overview',
    asOf: asOfNotice(c, 'The overview is of the record as it is now'),
    main,
  });
}

function emptyRecord(): Html {
  return html`<p class="lede">Nothing you may see is in this record yet.</p>
<ol>
<li>Connect an agent, as shown below.</li>
<li>Let it save a thought and propose it.</li>
<li>Decide about it. What is approved stands here.</li>
</ol>
<p>To look at a record with something in it, run <code>waymark demo</code> on a terminal.</p>`;
}

function numbers(c: Context<HttpEnv>, { scopes, queue, ledger }: RecordOverview, { now }: WebOptions): Html {
  const governed = scopes.reduce((sum, scope) => sum + scope.governed, 0);
  const waits =
    queue === null
      ? html`<dd>For people who decide, on the <a href="/desk">desk</a></dd>`
      : html`<dd><a class="big" href="/desk">${count(queue.count)}</a></dd>
<dd class="soft">${queue.since === null ? 'Nothing waits for you' : `The oldest for ${spanOf(queue.since, now())}`}${
          queue.older > 0 ? `, ${count(queue.older)} over a week` : ''
        }</dd>`;
  const size = ledger.size === undefined ? '' : `${count(ledger.size.events)} events by ${ledger.size.writers} writers`;
  return html`<dl class="numbers">
<div><dt>In the record</dt><dd class="big">${count(governed)}</dd><dd class="soft">in ${count(scopes.length)} scopes</dd></div>
<div><dt>Waiting for a decision</dt>${waits}</div>
<div><dt>Ledger</dt><dd class="big">${ledger.isSound ? 'No fault seen' : 'Faults seen'}</dd>
<dd class="soft">${ledger.isSound ? size : html`Run <code>waymark status</code>`} <a href="${linkTo(c, '/ledger')}">Look</a></dd></div>
</dl>`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function body(c: Context<HttpEnv>, { scopes, decisions, activity, contributors }: RecordOverview): Html {
  return html`<div class="columns start">
<section aria-labelledby="scopes"><h2 id="scopes">Scopes</h2>${tree(c, scopes)}
<h2>Contributors</h2>
<table><caption>Who wrote what is in the record</caption>
<thead><tr><th scope="col">Agent</th><th scope="col" class="number">Thoughts</th></tr></thead>
<tbody>${contributors.map(
    ({ agent_id, governed }) =>
      html`<tr><td><a href="${linkTo(c, '/search', { author: agent_id })}">${agent_id}</a></td><td class="number">${count(governed)}</td></tr>\n`,
  )}</tbody></table>
</section>
<div>
<section aria-labelledby="decisions"><h2 id="decisions">Recent decisions</h2>${happenings(c, decisions, 'No decision yet.')}</section>
<section aria-labelledby="activity"><h2 id="activity">Recent activity</h2>${happenings(c, activity, 'Nothing yet.')}</section>
</div>
</div>`;
}

function happenings(c: Context<HttpEnv>, entries: readonly Happening[], none: string): Html {
  if (entries.length === 0) return html`<p class="soft">${none}</p>`;
  return html`<ol class="entries">${entries.map(
    ({
      thought,
      at,
      verb,
      by,
    }) => html`<li><a href="${linkTo(c, thoughtPath(thought.thought_id))}">${reveal(titleOf(thought))}</a>
<p class="byline"><span>${verb === undefined ? 'Changed' : verbInPast(verb)}${by === undefined ? '' : ` by ${by}`}</span> ${renderTime(at)}
${thought.source_trail === undefined ? '' : scopeLink(c, thought.source_trail)}</p></li>\n`,
  )}</ol>`;
}

interface Branch {
  readonly scope: string;
  readonly name: string;
  /** Of itself and of all below. */
  governed: number;
  readonly children: Map<string, Branch>;
}

/** Scopes by their levels. */
function tree(c: Context<HttpEnv>, scopes: readonly ScopeSummary[]): Html {
  const root: Branch = { scope: '', name: '', governed: 0, children: new Map() };
  for (const { scope, governed } of scopes) {
    let branch = root;
    for (const name of scope.split('/')) {
      const path = branch.scope === '' ? name : `${branch.scope}/${name}`;
      const child: Branch = branch.children.get(name) ?? { scope: path, name, governed: 0, children: new Map() };
      child.governed += governed;
      branch.children.set(name, child);
      branch = child;
    }
  }
  return html`<ul class="tree">${[...root.children.values()].map((branch) => twig(c, branch))}</ul>`;
}

function twig(c: Context<HttpEnv>, { scope, name, governed, children }: Branch): Html {
  const below = [...children.values()];
  return html`<li><div class="row"><a href="${linkTo(c, scopePath(scope), children.size > 0 ? { below: '1' } : {})}">${name}</a>
<span>${count(governed)}</span></div>${below.length === 0 ? '' : html`<ul>${below.map((child) => twig(c, child))}</ul>`}</li>
`;
}

function participation({ endpoint }: WebOptions, agentId: string): Html {
  return html`<div class="columns even no-print">
<section><h2>Connect a client</h2>
<p>Streamable HTTP at <code>${endpoint}</code>, for example:</p>
<pre>claude mcp add --transport http waymark ${endpoint}</pre>
<p class="soft">You are <b>${agentId}</b> here. Without a credential everyone who connects is that one identity.</p></section>
<section><h2>Decide</h2>
<p>An agent's thought becomes part of the record only by approval. A person decides on the <a href="/desk">desk</a>, or in a
terminal, in the record's folder:</p>
<pre>waymark review</pre></section>
</div>`;
}
