/** Takes the form of a batch: first a preview of exactly what would be decided, then each by its own claim. */
import { html } from 'hono/html';
import * as z from 'zod';
import { isThoughtId } from '../../../record/ids.ts';
import type { TrailContext } from '../../../trail/context.ts';
import { findWaiting } from '../../../trail/desk/find-waiting.ts';
import type { Proposal } from '../../../trail/proposal.ts';
import { csrfField, isOwnForm, readForm } from '../form.ts';
import { type Html, renderPage } from '../layout.ts';
import type { WebOptions } from '../web.ts';
import { BATCH_LIMIT, batchKey, batchPage } from './batch-page.ts';
import { isBarred, type Typed, typedIn, VERDICTS, type VerdictInput, verdictIn } from './decision-form.ts';
import { careList, deskPath, strangersLine } from './entry.ts';
import { agentsPage, type DeskContext, deciderOf } from './viewer.ts';

const pickSchema = z
  .string()
  .max(400)
  .transform((text, context): Pick => {
    const [thought_id = '', claim = '', trail_name = '', ...more] = text.split(' ');
    if (isThoughtId(thought_id) && /^[0-9a-f]{64}$/.test(claim) && trail_name !== '' && more.length === 0) {
      return { thought_id, claim, trail_name };
    }
    context.addIssue({ code: 'custom', message: 'is not what the page offered' });
    return z.NEVER;
  });
const formSchema = z.object({ picks: z.array(pickSchema).min(1).max(BATCH_LIMIT), key: z.string().max(100) });

interface Pick {
  readonly thought_id: string;
  readonly claim: string;
  readonly trail_name: string;
}

interface Batch {
  readonly picks: readonly Pick[];
  /** Begins the idempotency key of each. */
  readonly key: string;
  readonly typed: Typed;
  readonly verdict: VerdictInput;
}

export async function takeBatch(c: DeskContext, options: WebOptions): Promise<Response> {
  const context = await deciderOf(c);
  if (context === null) return agentsPage(c);
  const form = (await readForm(c)) ?? new URLSearchParams();
  const typed = typedIn(form);
  const again = (status: 400 | 403, problem: string) =>
    batchPage(c, options, { typed, status, problem: `Nothing was decided: ${problem}` });
  if (!isOwnForm(c, form)) return again(403, 'the form was not sent from this page of your session. Choose again');
  const parsed = formSchema.safeParse({ picks: [...new Set(form.getAll('pick'))], key: form.get('key') ?? batchKey() });
  if (!parsed.success) return again(400, `choose 1 to ${BATCH_LIMIT} of the proposals below`);
  const verdict = verdictIn(typed);
  if (verdict === null) return again(400, 'choose a verdict');
  if (verdict.verdict !== 'approve' && verdict.reason === undefined)
    return again(400, 'say why, so that the authors can act on it');
  const batch: Batch = { ...parsed.data, typed, verdict };
  return form.get('confirmed') === 'yes' ? decideEach(c, batch) : preview(c, context, batch);
}

interface LeftOut {
  readonly pick: Pick;
  readonly why: string;
}

async function preview(c: DeskContext, context: TrailContext, batch: Batch): Promise<Response> {
  const { picks, key, typed, verdict } = batch;
  const chosen: (readonly [Pick, Proposal])[] = [];
  const leftOut: LeftOut[] = [];
  for (const pick of picks) {
    const found = await findWaiting(context, pick.thought_id);
    const proposal = found.ok && found.value.kind === 'waiting' ? found.value.proposal : null;
    const why = proposal === null ? 'it does not wait for you any more' : whyNot(proposal, pick, verdict);
    if (proposal === null || why !== null) leftOut.push({ pick, why: why ?? '' });
    else chosen.push([pick, proposal]);
  }
  const { principal } = c.var.caller;
  const fields = { ...typed, key, confirmed: 'yes' };
  const label = VERDICTS[verdict.verdict];
  const title = `${label}: ${chosen.length} ${chosen.length === 1 ? 'proposal' : 'proposals'}`;
  const main = html`<p class="lede">Exactly these, as <b>${principal.agent_id}</b>. Each is decided for itself, bound to the text
it has now, and stays in the permanent record.</p>
<dl class="facts"><dt>Verdict</dt><dd>${label}</dd><dt>Reason</dt><dd>${verdict.reason ?? 'none'}</dd>
${verdict.grounds === undefined ? '' : html`<dt>Grounds</dt><dd>${verdict.grounds}</dd>`}
${verdict.keep_out === undefined ? '' : html`<dt>Keep the values out</dt><dd>${verdict.keep_out ? 'yes' : 'no'}</dd>`}</dl>
${previewTable(chosen)}${leftOutList(leftOut)}
${
  chosen.length === 0
    ? ''
    : html`<form method="post" action="/desk/batch">${csrfField(c)}
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${chosen.map(([pick]) => html`<input type="hidden" name="pick" value="${textOf(pick)}">`)}
<p><button type="submit">${title}</button></p></form>`
}
<p><a href="/desk/batch">Choose again</a></p>`;
  return renderPage(c, { title, section: 'desk', main });
}

function whyNot({ claim, standing }: Proposal, pick: Pick, { verdict }: VerdictInput): string | null {
  if (claim !== pick.claim) return 'it changed since it was listed';
  const hinders = verdict === 'approve' ? standing.hindrance !== null : isBarred(standing);
  return hinders ? standing.says : null;
}

function previewTable(chosen: readonly (readonly [Pick, Proposal])[]): Html {
  if (chosen.length === 0) return html`<p class="note">Nothing is left to decide.</p>`;
  return html`<table><caption>What is decided</caption>
<thead><tr><th scope="col">Proposal</th><th scope="col">Scope</th><th scope="col">Author</th><th scope="col">Reasons for care</th></tr></thead>
<tbody>${chosen.map(
    ([{ thought_id, trail_name }, { entry, body }]) => html`<tr>
<th scope="row"><a href="${deskPath(thought_id)}">${strangersLine(body)}</a><br><code>${thought_id}</code></th>
<td>${trail_name}</td><td><code>${entry.agent_id}</code></td>
<td>${entry.care.length === 0 ? 'none' : careList(entry.care)}</td></tr>`,
  )}</tbody></table>`;
}

function leftOutList(leftOut: readonly LeftOut[]): Html {
  if (leftOut.length === 0) return html``;
  return html`<h2>Left out</h2><ul class="entries">${leftOut.map(
    ({ pick, why }) => html`<li><code>${pick.thought_id}</code> in ${pick.trail_name}: ${why}</li>`,
  )}</ul>`;
}

/** The record, not the proposal, stands in the way: the next would meet the same. */
const STOPPED_BY: ReadonlySet<string> = new Set(['busy', 'wrong_branch', 'storage', 'repository']);

/** Sent twice it answers the same: each decision has a key of its own. */
async function decideEach(c: DeskContext, { picks, key, verdict }: Batch): Promise<Response> {
  const operations = c.var.caller.session.operations({ traceparent: c.req.header('traceparent') });
  const rows: (Pick & { readonly isDone: boolean; readonly says: string })[] = [];
  let isStopped = false;
  for (const pick of picks) {
    if (isStopped) {
      rows.push({ ...pick, isDone: false, says: 'Not tried' });
      continue;
    }
    const outcome = await operations.decide({ ...pick, ...verdict, idempotency_key: `${key}-${pick.thought_id}` });
    const says = outcome.ok ? outcome.value.message : `${outcome.message}. ${outcome.next}`;
    rows.push({ ...pick, isDone: outcome.ok, says });
    isStopped = !outcome.ok && STOPPED_BY.has(outcome.code);
  }
  const done = rows.filter(({ isDone }) => isDone).length;
  const main = html`<p class="lede" role="status">${done} of ${rows.length} done.</p>
<table><caption>What became of each</caption>
<thead><tr><th scope="col">Proposal</th><th scope="col">Scope</th><th scope="col">Result</th></tr></thead>
<tbody>${rows.map(
    ({
      thought_id,
      trail_name,
      isDone,
      says,
    }) => html`<tr><th scope="row"><a href="${deskPath(thought_id)}"><code>${thought_id}</code></a></th>
<td>${trail_name}</td><td>${isDone ? '' : html`<b>Not done: </b>`}${says}</td></tr>`,
  )}</tbody></table>
<p><a class="button" href="/desk">To the queue</a></p>`;
  return renderPage(c, { title: `${VERDICTS[verdict.verdict]}: result`, section: 'desk', main });
}

function textOf({ thought_id, claim, trail_name }: Pick): string {
  return `${thought_id} ${claim} ${trail_name}`;
}
