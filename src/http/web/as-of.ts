/**
 * The time that a page reads: `valid_at`, when a claim is true in the world, and `known_at`, when the record knew it. Both are
 * parameters of every address, and `linkTo` keeps them. Operations refuse what makes no sense, and to whom it is not open.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { microsOf } from '../../record/time.ts';
import type { HttpEnv } from '../caller.ts';
import type { Html } from './layout.ts';
import { renderTime } from './parts/time.ts';

/** As the address says it, for the arguments of the same names; absent: now. */
export interface AsOf {
  readonly valid_at?: string;
  readonly known_at?: string;
}

/** Longer than any time is. */
const MAX_TIME = 64;

export function asOfOf(c: Context<HttpEnv>): AsOf {
  const [valid, known] = ['valid_at', 'known_at'].map((name) => c.req.query(name)?.trim().slice(0, MAX_TIME) ?? '');
  return {
    ...(valid === undefined || valid === '' ? {} : { valid_at: valid }),
    ...(known === undefined || known === '' ? {} : { known_at: known }),
  };
}

/** The control, and above it in words which time is read when that is not now. Works as a plain form. */
export function asOfControl(c: Context<HttpEnv>): Html {
  const asOf = asOfOf(c);
  const isOperator = c.var.caller.principal.role === 'operator';
  const isPast = asOf.valid_at !== undefined || asOf.known_at !== undefined;
  const known = isOperator ? '' : html` aria-describedby="known-hint"`;
  const hint = html`<span class="hint" id="known-hint">for operators, and in scopes whose settings open it</span>`;
  return html`${isPast ? banner(c, asOf) : ''}<form class="as-of" method="get" action="${c.req.path}">${otherFields(c)}
<details${isPast ? html` open` : ''}><summary>As of another time</summary>
<div class="fields"><div><label for="valid_at">True in the world at (UTC)</label>
<input id="valid_at" name="valid_at" type="datetime-local" step="any" value="${fieldValue(asOf.valid_at)}"></div>
<div><label for="known_at">Known to the record at (UTC)</label>
<input id="known_at" name="known_at" type="datetime-local" step="any" value="${fieldValue(asOf.known_at)}"${known}>${isOperator ? '' : hint}</div>
<button type="submit" class="quiet">Show</button></div></details></form>`;
}

/** For a page on which another time has no meaning: says so when one is asked for. @param why One sentence without a full stop */
export function asOfNotice(c: Context<HttpEnv>, why: string): Html {
  const { valid_at, known_at } = asOfOf(c);
  if (valid_at === undefined && known_at === undefined) return html``;
  return html`<p class="note as-of-notice" role="status">${why}: the time asked for (${times({ valid_at, known_at })}) has no meaning here. Links to other pages keep it.</p>`;
}

function banner(c: Context<HttpEnv>, asOf: AsOf): Html {
  return html`<p class="note as-of-notice" role="status"><strong>As of</strong> ${times(asOf)}. <a href="${presentHref(c)}">Back to now</a></p>`;
}

function times({ valid_at, known_at }: { readonly [Name in keyof AsOf]: AsOf[Name] | undefined }): Html {
  const said = [
    ...(valid_at === undefined ? [] : [html`true in the world at ${exactTime(valid_at)}`]),
    ...(known_at === undefined ? [] : [html`known to the record at ${exactTime(known_at)}`]),
  ];
  return html`${said.map((each, at) => html`${at === 0 ? '' : ', '}${each}`)}`;
}

/** To the minute where it says no more, else as it was asked. */
function exactTime(text: string): Html {
  const micros = microsOf(text);
  return micros === null || micros % 60_000_000n === 0n ? renderTime(text) : html`<time>${text}</time>`;
}

/** The address without a time: everything else as it is. */
function presentHref(c: Context<HttpEnv>): string {
  const params = new URLSearchParams(otherParameters(c));
  const text = params.toString();
  return text === '' ? c.req.path : `${c.req.path}?${text}`;
}

function otherFields(c: Context<HttpEnv>): Html {
  return html`${otherParameters(c).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

const MAX_PARAMETERS = 50;

/** A cursor belongs to the time of its page. */
function otherParameters(c: Context<HttpEnv>): [string, string][] {
  return Object.entries(c.req.queries())
    .filter(([name]) => !['valid_at', 'known_at', 'cursor'].includes(name))
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]))
    .slice(0, MAX_PARAMETERS);
}

/** What such a field takes: UTC without the offset, and nothing for what is no time. */
function fieldValue(text: string | undefined): string {
  const micros = text === undefined ? null : microsOf(text);
  return micros === null ? '' : new Date(Number(micros / 1000n)).toISOString().slice(0, -1);
}
