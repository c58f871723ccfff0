/** The events about a thought: who did what, and whether it can be proved. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import type { VerifiedEvent } from '../../../trail/thought-events.ts';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';
import { linkTo, thoughtPath } from '../parts/page-links.ts';
import { statusLabel } from '../parts/status-badge.ts';
import { renderTime } from '../parts/time.ts';
import { verbInPast } from '../parts/verb.ts';

export function eventsSection(c: Context<HttpEnv>, events: readonly VerifiedEvent[]): Html {
  return html`<section aria-labelledby="events"><h2 id="events">Events</h2>
<table class="stack"><caption>What was signed about this thought, oldest first</caption>
<thead><tr><th scope="col">What</th><th scope="col">Who</th><th scope="col">When</th><th scope="col">Proof</th></tr></thead>
<tbody>${events.map((event) => eventRow(c, event))}</tbody></table></section>`;
}

function eventRow(c: Context<HttpEnv>, event: VerifiedEvent): Html {
  const { hash, verb, at, status, reason, grounds, about } = event;
  const after =
    status === undefined ? '' : html`<br><span class="soft">then ${statusLabel(status).toLowerCase()}</span>`;
  const other =
    about === undefined
      ? ''
      : html`<br><span class="soft">of <a href="${linkTo(c, thoughtPath(about))}">${about}</a></span>`;
  const why =
    reason === undefined && grounds === undefined
      ? ''
      : html`<br>${grounds === undefined ? '' : html`<span class="soft">${grounds}: </span>`}${reason === undefined ? '' : html`<q>${reveal(reason)}</q>`}`;
  return html`<tr id="${idOf(hash)}"><td>${verb === undefined ? 'Not known: what was said beside the record is gone' : verbInPast(verb)}${after}${other}${why}</td>
<td>${whoOf(event)}</td><td>${renderTime(at)}</td><td>${proofOf(event)}<br><code title="${hash}">${hash.slice('sha256:'.length, 19)}…</code></td></tr>
`;
}

function idOf(hash: string): string {
  return `event-${hash.slice('sha256:'.length)}`;
}

/** A person's own signature and the service's word for a person are not the same. */
function whoOf({ agent_id, role, attested, kind, self, unprotected }: VerifiedEvent): Html {
  if (agent_id === undefined) return html`<span class="soft">not known</span>`;
  const notes = [
    ...(kind === 'llm_advisory' ? ['a model'] : []),
    ...(self ? ['its author'] : []),
    ...(unprotected && attested === undefined ? ['key without a passphrase'] : []),
  ];
  const aside = notes.length === 0 ? '' : html` <span class="soft">(${notes.join(', ')})</span>`;
  if (attested !== undefined) {
    return html`decided by <b>${attested.agent_id}</b>${aside}<br><span class="soft">attested by ${agent_id}, signed in by ${attested.method}</span>`;
  }
  return html`signed by <b>${agent_id}</b>${aside}<br><span class="soft">${role}</span>`;
}

function proofOf({ verified, fault, erased_by }: VerifiedEvent): Html {
  if (verified) {
    return erased_by === undefined
      ? html`<span class="verified">✓ verified</span>`
      : html`<span class="verified">✓ verified</span> <span class="soft">after an erasure</span>`;
  }
  return html`<strong class="unproved">✗ not verified</strong><br><span class="soft">${(fault ?? '').replaceAll('_', ' ')}</span>`;
}
