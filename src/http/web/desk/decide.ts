/** Takes the form of one decision. */
import { html } from 'hono/html';
import * as z from 'zod';
import type { Refusal } from '../../../record/outcome.ts';
import type { TrailContext } from '../../../trail/context.ts';
import { findWaiting } from '../../../trail/desk/find-waiting.ts';
import type { DecideInput } from '../../../trail/types.ts';
import { csrfField, isOwnForm, readForm } from '../form.ts';
import { type Html, renderPage } from '../layout.ts';
import type { WebOptions } from '../web.ts';
import { type Typed, typedIn, VERDICTS, verdictIn } from './decision-form.ts';
import { deskPath } from './entry.ts';
import { proposalPage } from './proposal-page.ts';
import { textSections } from './proposal-sections.ts';
import { staleNote } from './stale-note.ts';
import { agentsPage, type DeskContext, deciderOf, refusalNote, statusOf } from './viewer.ts';

/** What binds the form to what was on the page. */
const boundSchema = z.object({
  scope: z.string().min(1).max(255),
  claim: z.string().regex(/^[0-9a-f]{64}$/),
  key: z.string().min(1).max(100),
});

const NOT_OWN =
  'Nothing was decided: the form was not sent from this page of your session. What you typed is kept below';

export async function takeDecision(c: DeskContext, options: WebOptions): Promise<Response> {
  const context = await deciderOf(c);
  if (context === null) return agentsPage(c);
  const thought_id = c.req.param('id') ?? '';
  const form = (await readForm(c)) ?? new URLSearchParams();
  const typed = typedIn(form);
  const again = (status: 400 | 403, problem: string) => {
    const notice = () => html`<p class="warning" role="alert">${problem}.</p>`;
    return proposalPage(c, options, { thought_id, typed, status, notice });
  };
  if (!isOwnForm(c, form)) return again(403, NOT_OWN);
  const bound = boundSchema.safeParse(Object.fromEntries(form));
  if (!bound.success) return again(400, 'Nothing was decided: the form was not whole. Decide on the text below');
  const verdict = verdictIn(typed);
  if (verdict === null) return again(400, 'Nothing was decided: choose a verdict');
  const { scope: trail_name, claim, key: idempotency_key } = bound.data;
  const input: DecideInput = { trail_name, thought_id, claim, idempotency_key, ...verdict };
  if (form.get('confirmed') !== 'yes' && (await wantsConfirmation(context, thought_id))) {
    return confirmPage(c, { context, input, typed });
  }
  const outcome = await c.var.caller.session.operations({ traceparent: c.req.header('traceparent') }).decide(input);
  if (!outcome.ok) return refused(c, options, { context, refusal: outcome, typed, input });
  const { browser } = c.var.caller;
  const { message } = outcome.value;
  if (browser !== undefined) options.signIn?.browsers.leaveFlash(browser.id, { message, thought_id });
  return c.redirect('/desk', 303);
}

/** The scope wants a person asked once more. */
async function wantsConfirmation(context: TrailContext, thought_id: string): Promise<boolean> {
  const found = await findWaiting(context, thought_id);
  return found.ok && found.value.kind === 'waiting' && found.value.proposal.standing.confirm;
}

interface Refused {
  readonly context: TrailContext;
  readonly refusal: Refusal;
  readonly typed: Typed;
  readonly input: DecideInput;
}

function refused(c: DeskContext, options: WebOptions, { context, refusal, typed, input }: Refused): Promise<Response> {
  const { thought_id, claim = '' } = input;
  const isStale = refusal.rule === 'claim_changed';
  return proposalPage(c, options, {
    thought_id,
    // A verdict was about the old text.
    typed: isStale ? { ...typed, verdict: '' } : typed,
    status: statusOf(refusal),
    notice: (proposal) => (isStale && proposal !== null ? staleNote(context, proposal, claim) : refusalNote(refusal)),
  });
}

interface Confirmation {
  readonly context: TrailContext;
  readonly input: DecideInput;
  readonly typed: Typed;
}

async function confirmPage(c: DeskContext, { context, input, typed }: Confirmation): Promise<Response> {
  const { thought_id, verdict, claim = '' } = input;
  const found = await findWaiting(context, thought_id);
  const proposal = found.ok && found.value.kind === 'waiting' ? found.value.proposal : null;
  const isSame = proposal?.claim === claim;
  const fields = { ...typed, scope: input.trail_name, claim, key: input.idempotency_key ?? '', confirmed: 'yes' };
  const main = html`<p class="lede">The scope wants you to confirm: <b>${VERDICTS[verdict]}</b>, as
<b>${c.var.caller.principal.agent_id}</b>.</p>
${reasonLine(input)}
${isSame ? textSections(proposal.body) : html`<p class="note">The text changed meanwhile; confirming shows how.</p>`}
<form method="post" action="${deskPath(thought_id)}">${csrfField(c)}
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<p><button type="submit">Yes: ${VERDICTS[verdict].toLowerCase()}</button>
<a class="button quiet" href="${deskPath(thought_id)}">Back</a></p></form>`;
  return renderPage(c, { title: 'Confirm your decision', section: 'desk', main });
}

function reasonLine({ reason, grounds, keep_out }: DecideInput): Html {
  return html`<dl class="facts"><dt>Reason</dt><dd>${reason ?? 'none'}</dd>
${grounds === undefined ? '' : html`<dt>Grounds</dt><dd>${grounds}</dd>`}
${keep_out === undefined ? '' : html`<dt>Keep the value out</dt><dd>${keep_out ? 'yes' : 'no'}</dd>`}</dl>`;
}
