/** Verifying on demand: `POST /ledger/verify` begins a run, `GET /ledger/verify` shows how far it is and what it found. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { readsEverywhere } from '../../../record/grants.ts';
import { revealLine } from '../../../record/reveal.ts';
import type { FinishedRun, RunState, VerifyRuns } from '../../../trail/verify/verify-run.ts';
import type { HttpEnv } from '../../caller.ts';
import { asOfNotice } from '../as-of.ts';
import { errorPage } from '../error-page.ts';
import { csrfField, isOwnForm, readForm } from '../form.ts';
import { type Html, renderPage } from '../layout.ts';
import { renderTime, spanOf } from '../parts/time.ts';
import type { WebOptions } from '../web.ts';

/** Seconds after which a page that waits loads itself anew. */
const REFRESH_S = 3;

/** Numbers, paths and verdicts are of the whole record: for operators who may read everywhere. */
export function seesFindings(c: Context<HttpEnv>): boolean {
  const { principal } = c.var.caller;
  return principal.role === 'operator' && readsEverywhere(principal);
}

/** A browser's form must be its own; who comes without a browser has sent a credential, or is everybody. */
export async function startVerify(c: Context<HttpEnv>, runs: VerifyRuns): Promise<Response> {
  const form = await readForm(c);
  if (c.var.caller.browser !== undefined && (form === null || !isOwnForm(c, form))) return errorPage(c, 403);
  runs.start();
  return c.redirect('/ledger/verify', 303);
}

export async function verifyPage(c: Context<HttpEnv>, { record }: WebOptions, run: RunState): Promise<Response> {
  if ((c.req.header('accept') ?? '').includes('application/json')) {
    return c.json({ running: run.running !== undefined, text: progressText(c, run) });
  }
  if (run.running !== undefined) c.header('Refresh', String(REFRESH_S));
  return renderPage(c, {
    title: 'Verify the record',
    section: 'ledger',
    above: html`<p><a href="/ledger">Ledger</a> / verify</p>`,
    asOf: asOfNotice(c, 'The record is verified as it is now'),
    main: verifySection(c, run, record.now()),
    scripts: ['verify.js'],
  });
}

export function verifySection(c: Context<HttpEnv>, run: RunState, now: number): Html {
  const { running, last, next } = run;
  const wait = next === undefined ? 0 : Math.ceil((next - now) / 1000);
  const begin =
    running === undefined && wait === 0
      ? html`<form method="post" action="/ledger/verify">${csrfField(c)}<button type="submit">Verify now</button> <span class="hint">Every signature, tree and thought is checked anew from the files; it takes a while.</span></form>`
      : running === undefined
        ? html`<p class="hint">It can be verified again in ${wait} seconds.</p>`
        : html`<p class="note" id="progress" role="status">${progressText(c, run)}</p><p><a href="/ledger/verify">See how far it is</a></p>`;
  return html`<section aria-labelledby="verification"><h2 id="verification">Verification</h2>
${last === undefined ? html`<p class="soft">It was not verified since this server was started.</p>` : resultOf(c, last)}
${begin}</section>`;
}

/** What the process reads and how much of it is for operators alone. */
function progressText(c: Context<HttpEnv>, { running }: RunState): string {
  if (running === undefined) return 'Done';
  return seesFindings(c) && running.progress !== '' ? `Verifying: ${running.progress}` : 'Verifying';
}

function resultOf(c: Context<HttpEnv>, { began, ended, report, total }: FinishedRun): Html {
  const when = html`Verified ${renderTime(began)}, in ${ended - began < 60_000 ? `${Math.max(1, Math.round((ended - began) / 1000))} s` : spanOf(began, ended)}.`;
  if (report === null)
    return html`<p class="warning">The last verification did not come to an end: the log of the server says so, and <code>waymark verify</code> says why. ${when}</p>`;
  if (!seesFindings(c))
    return html`<p class="${report.ok ? 'note' : 'warning'}">${report.ok ? '✓ Sound.' : '✗ Faults were found: ask an operator.'} ${when}</p>`;
  const { events, thoughts, logs } = report.checked;
  const scale = html`Events ${events}, thoughts ${thoughts}, logs ${logs}, at commit <code>${report.head ?? 'none'}</code>.`;
  const verdict = report.ok ? '✓ Verified, and no fault found.' : `✗ Found: ${report.verdicts.join(', ')}.`;
  return html`<p class="${report.ok ? 'note' : 'warning'}">${verdict} ${scale} ${when}</p>
${report.findings.length === 0 ? '' : findingsTable(report.findings, total)}
${report.notes.length === 0 ? '' : html`<ul>${report.notes.map((note) => html`<li>${note}</li>`)}</ul>`}`;
}

function findingsTable(findings: NonNullable<FinishedRun['report']>['findings'], total: number): Html {
  const more =
    total > findings.length
      ? html` The first ${findings.length} of ${total}; <code>waymark verify</code> names all.`
      : '';
  return html`<div class="wide"><table><caption>Findings, causes first.${more}</caption>
<thead><tr><th scope="col">Verdict</th><th scope="col">Where</th><th scope="col">What</th></tr></thead><tbody>${findings.map(
    ({ verdict, path, line, code, message }) =>
      html`<tr><th scope="row">${verdict ?? 'follows'}</th><td>${path === undefined ? '' : html`<code>${revealLine(path)}${line === undefined ? '' : `:${line}`}</code>`}</td><td>${revealLine(message)} <span class="soft">${code}</span></td></tr>\n`,
  )}</tbody></table></div>`;
}
