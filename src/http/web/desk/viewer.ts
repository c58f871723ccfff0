/** Who looks at the desk: people who decide, with what their session opens. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Refusal } from '../../../record/outcome.ts';
import type { TrailContext } from '../../../trail/context.ts';
import type { HttpEnv } from '../../caller.ts';
import { type Html, type Page, renderPage } from '../layout.ts';

export type DeskContext = Context<HttpEnv>;

/** `null` for an agent, who is to be answered with {@link agentsPage}. */
export async function deciderOf(c: DeskContext): Promise<TrailContext | null> {
  const { principal, session } = c.var.caller;
  return principal.role === 'agent' ? null : session.context({ traceparent: c.req.header('traceparent') });
}

/** The same whatever is asked for: nothing says whether anything waits. */
export async function agentsPage(c: DeskContext): Promise<Response> {
  const { agent_id } = c.var.caller.principal;
  const main = html`<p class="lede">You are here as <b>${agent_id}</b>, an agent. Agents propose; people decide.</p>
<p>A person who decides signs in as themselves: with a link that <code>waymark desk login</code> prints, or with a token of
role reviewer or operator.</p>
<p><a class="button" href="/login?next=%2Fdesk">Sign in</a></p>`;
  return renderPage(c, { title: 'Review desk', section: 'desk', main, status: 403 });
}

/** The same for what is withheld and for what does not exist. */
export async function absentPage(c: DeskContext, kept: Html = html``): Promise<Response> {
  const main = html`<p class="lede">No proposal of that id is there for you to decide.</p>${kept}
<p><a href="/desk">To the queue</a></p>`;
  return renderPage(c, { title: 'Not in your queue', section: 'desk', main, status: 404 });
}

/** Codes of HTTP for refusals. */
export function statusOf({ code }: Refusal): NonNullable<Page['status']> {
  switch (code) {
    case 'authority':
      return 403;
    case 'not_found':
      return 404;
    case 'conflict':
    case 'frozen':
    case 'idempotency':
    case 'uncommitted_edit':
      return 409;
    case 'busy':
    case 'storage':
    case 'repository':
    case 'wrong_branch':
      return 503;
    case 'invalid':
    case 'ambiguous':
    case 'secret':
      return 400;
  }
}

export function refusalNote({ message, next }: Pick<Refusal, 'message' | 'next'>): Html {
  return html`<div class="warning" role="alert"><p>${message}.</p><p>${next}.</p></div>`;
}
