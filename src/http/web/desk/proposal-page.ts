/** One proposal, with everything the decision is about, and the form to decide it. */
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import type { TrailContext } from '../../../trail/context.ts';
import { comparedTexts } from '../../../trail/desk/compared-texts.ts';
import { findWaiting, type Verdict } from '../../../trail/desk/find-waiting.ts';
import type { Proposal } from '../../../trail/proposal.ts';
import { keptText } from '../form.ts';
import { type Html, type Page, renderPage } from '../layout.ts';
import { scopeLink, thoughtPath } from '../parts/page-links.ts';
import { renderTime } from '../parts/time.ts';
import type { WebOptions } from '../web.ts';
import { decisionForm, NOTHING_TYPED, type Typed } from './decision-form.ts';
import { entryByline } from './entry.ts';
import {
  adviceSection,
  careSection,
  causesSection,
  comparedSection,
  factsSection,
  replacedSection,
  textSections,
  tombstoneSection,
} from './proposal-sections.ts';
import { absentPage, agentsPage, type DeskContext, deciderOf, refusalNote, statusOf } from './viewer.ts';

export interface ProposalPage {
  readonly thought_id: string;
  /** Above everything else: what went wrong with the form. */
  readonly notice?: (proposal: Proposal | null) => Html | Promise<Html>;
  readonly typed?: Typed;
  /** @default 200 */
  readonly status?: NonNullable<Page['status']>;
}

export async function proposalPage(c: DeskContext, options: WebOptions, page: ProposalPage): Promise<Response> {
  const context = await deciderOf(c);
  if (context === null) return agentsPage(c);
  const { thought_id, notice = () => html``, typed = NOTHING_TYPED } = page;
  const found = await findWaiting(context, thought_id);
  if (!found.ok) {
    if (found.code === 'not_found') return absentPage(c, keptText(typed.reason));
    const main = html`${refusalNote(found)}${keptText(typed.reason)}`;
    return renderPage(c, { title: 'Proposal', section: 'desk', main, status: statusOf(found) });
  }
  const above = html`<p class="byline"><a href="/desk">Queue</a></p>`;
  if (found.value.kind === 'decided') {
    const { scope, last } = found.value;
    const main = html`${await notice(null)}${decidedNote(c, { thought_id, scope, last })}${keptText(typed.reason)}`;
    return renderPage(c, { title: 'Already decided', section: 'desk', main, above, status: page.status ?? 200 });
  }
  const { proposal } = found.value;
  const main = html`${await notice(proposal)}${await sections(c, proposal, { context, now: options.now() })}
<section aria-labelledby="decide"><h2 id="decide">Decide</h2>${decisionForm(c, proposal, typed)}</section>`;
  const title = `Proposal in ${proposal.entry.source_trail}`;
  return renderPage(c, { title, section: 'desk', main, above, status: page.status ?? 200 });
}

async function sections(
  c: DeskContext,
  proposal: Proposal,
  { context, now }: { readonly context: TrailContext; readonly now: number },
): Promise<Html> {
  const compared = await comparedTexts(context, proposal);
  return html`<p class="lede">Approvals: ${proposal.standing.says}</p>
${entryByline(c, proposal.entry, now)}
<section aria-labelledby="care"><h2 id="care">Reasons for care</h2>${careSection(proposal)}</section>
${textSections(proposal.body)}
<section aria-labelledby="replaces"><h2 id="replaces">What it replaces</h2>${replacedSection(c, proposal)}</section>
<section aria-labelledby="alike"><h2 id="alike">Approved here and alike</h2>${comparedSection(compared)}</section>
<section aria-labelledby="rejected"><h2 id="rejected">Rejected values</h2>${tombstoneSection(proposal)}</section>
<section aria-labelledby="causes"><h2 id="causes">What informed it</h2>${causesSection(proposal)}</section>
<section aria-labelledby="model"><h2 id="model">What a model says</h2>${adviceSection(proposal)}</section>
<section aria-labelledby="facts"><h2 id="facts">What else is decided about</h2>${factsSection(c, proposal, now)}</section>`;
}

const DONE = { approve: 'Approved', reject: 'Rejected', request_changes: 'Sent back for changes' } as const;

function decidedNote(
  c: DeskContext,
  { thought_id, scope, last }: { readonly thought_id: string; readonly scope: string; readonly last: Verdict | null },
): Html {
  const link = html`<a href="${thoughtPath(thought_id)}"><code>${thought_id}</code></a> in ${scopeLink(c, scope)}`;
  if (last === null) return html`<p class="lede">${link} does not wait for a decision.</p>`;
  const { verb, person, attested_by, reason, at } = last;
  const signed =
    attested_by === undefined ? 'signed with their own key' : html`attested by <code>${attested_by}</code>`;
  return html`<p class="lede">${link}: ${DONE[verb]} by <b>${person}</b>, ${signed}, ${renderTime(at)}.</p>
${reason === undefined ? '' : html`<h2>Reason</h2><div class="plain" dir="auto">${reveal(reason)}</div>`}`;
}
