/** The form of a decision, and what it says. It is bound to the claim that the page showed. */
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import * as z from 'zod';
import { LIMITS } from '../../../record/limits.ts';
import { GROUNDS } from '../../../record/thought.ts';
import type { Proposal } from '../../../trail/proposal.ts';
import type { StandingToDecide } from '../../../trail/standing-to-decide.ts';
import type { DecideInput } from '../../../trail/types.ts';
import { csrfField } from '../form.ts';
import type { Html } from '../layout.ts';
import { deskPath } from './entry.ts';
import { select } from './filters.ts';
import type { DeskContext } from './viewer.ts';

export const VERDICTS = { approve: 'Approve', reject: 'Reject', request_changes: 'Ask for changes' } as const;

/** What was typed, as strings; any of it may be missing or wrong. */
export interface Typed {
  readonly verdict: string;
  readonly reason: string;
  readonly grounds: string;
  readonly keep_out: string;
}

export const NOTHING_TYPED: Typed = { verdict: '', reason: '', grounds: '', keep_out: '' };

const verdictSchema = z.object({
  verdict: z.enum(['approve', 'reject', 'request_changes']),
  reason: z.string().trim(),
  grounds: z.enum([...GROUNDS, '']),
  keep_out: z.enum(['', 'yes', 'no']),
});

/** What is decided, whatever it is about. */
export type VerdictInput = Pick<DecideInput, 'verdict' | 'reason' | 'grounds' | 'keep_out'>;

export function typedIn(form: URLSearchParams): Typed {
  const text = (name: string) => form.get(name) ?? '';
  return { verdict: text('verdict'), reason: text('reason'), grounds: text('grounds'), keep_out: text('keep_out') };
}

/** `null` when no verdict was chosen. Grounds and keeping out are of a rejection; beside another verdict they say nothing. */
export function verdictIn(typed: Typed): VerdictInput | null {
  const parsed = verdictSchema.safeParse(typed);
  if (!parsed.success) return null;
  const { verdict, reason, grounds, keep_out } = parsed.data;
  return {
    verdict,
    ...(reason === '' ? {} : { reason }),
    ...(verdict !== 'reject' || grounds === '' ? {} : { grounds }),
    ...(verdict !== 'reject' || keep_out === '' ? {} : { keep_out: keep_out === 'yes' }),
  };
}

/** Verdict, reason, grounds, keeping out: no verdict is chosen beforehand, so that no key decides by mistake. */
export function verdictFields({ verdict, reason, grounds, keep_out }: Typed): Html {
  const none = { '': 'none given' };
  const groundsOptions = { ...none, ...Object.fromEntries(GROUNDS.map((name) => [name, name])) };
  const keepOptions = { '': 'if it is false or harmful', yes: 'yes', no: 'no' };
  return html`<fieldset><legend>Verdict</legend>
${Object.entries(VERDICTS).map(
  ([value, label]) =>
    html`<p><label class="choice"><input type="radio" name="verdict" value="${value}" required${
      value === verdict ? html` checked` : ''
    }> ${label}</label></p>`,
)}</fieldset>
<p><label for="reason">Reason</label> <span class="hint" id="reason-hint">the author reads it; needed unless you approve</span><br>
<textarea id="reason" name="reason" rows="4" maxlength="${LIMITS.reasonBytes}" aria-describedby="reason-hint">${reason}</textarea></p>
<fieldset><legend>When you reject</legend>
<p><label for="grounds">Grounds</label> ${select('grounds', { options: groundsOptions, chosen: grounds })}</p>
<p><label for="keep_out">Keep the value out from now on</label>
${select('keep_out', { options: keepOptions, chosen: keep_out })}</p></fieldset>`;
}

/** @param typed Kept from a form that was not taken. */
export function decisionForm(c: DeskContext, { entry, claim, standing }: Proposal, typed: Typed): Html {
  const { browser, principal } = c.var.caller;
  if (browser === undefined) {
    return html`<p class="note">You may read this here. To decide, <a href="/login">sign in with a browser</a>.</p>`;
  }
  if (isBarred(standing)) return html`${barredNote(standing, entry.source_trail)}${keptReason(typed)}`;
  return html`${standing.hindrance === null ? '' : html`<p class="note">Your approval would not count now, see above.</p>`}
<form method="post" action="${deskPath(entry.thought_id)}">${csrfField(c)}
<input type="hidden" name="scope" value="${entry.source_trail}">
<input type="hidden" name="claim" value="${claim}">
<input type="hidden" name="key" value="desk-${randomUUID()}">
${verdictFields(typed)}
<p><button type="submit">Decide as ${principal.agent_id}</button></p></form>
<p class="hint">Your decision will be attested: this server’s key signs it and names you, this session and how you signed in.
It stays in the permanent record.</p>`;
}

/** Whoever is barred cannot decide either way here. */
export function isBarred({ hindrance }: StandingToDecide): boolean {
  return hindrance === 'needs_signature' || hindrance === 'author' || hindrance === 'not_granted';
}

function barredNote({ hindrance }: StandingToDecide, scope: string): Html {
  switch (hindrance) {
    case 'needs_signature':
      return html`<div class="note"><p>A decision made here would be attested by this server’s key, and the scope wants decisions
signed with your own. On the machine that holds your operator key run:</p>
<pre><code>waymark review --scope ${scope}</code></pre></div>`;
    case 'author':
      return html`<p class="note">You are the author, and the scope wants somebody else to decide.</p>`;
    default:
      return html`<p class="note">You may not decide in this scope.</p>`;
  }
}

function keptReason({ reason }: Typed): Html {
  if (reason === '') return html``;
  return html`<p><label for="reason">What you typed</label><textarea id="reason" readonly rows="4">${reason}</textarea></p>`;
}
