/** What changed between the text that a form was about and the one that waits now. */
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import type { TrailContext } from '../../../trail/context.ts';
import { textReviewed } from '../../../trail/desk/text-reviewed.ts';
import type { Proposal } from '../../../trail/proposal.ts';
import type { Html } from '../layout.ts';
import { renderWordDiff } from '../parts/word-diff.ts';
import { shownFields } from './proposal-sections.ts';

/** @param claim What the form was bound to. */
export async function staleNote(context: TrailContext, proposal: Proposal, claim: string): Promise<Html> {
  const { source_trail: scope, thought_id } = proposal.entry;
  const before = await textReviewed(context, { scope, thought_id, claim });
  const head = html`<p><b>Nothing was decided: the proposal changed while you had it open.</b> Read what it says now, then
decide again. Your reason is kept below.</p>`;
  if (before === null) {
    return html`<div class="warning" role="alert">${head}<p>The text you had before you cannot be had any more, so the difference
to it cannot be shown. The whole text of now follows.</p></div>`;
  }
  const fields = changedFields(before.fields, proposal.fields);
  return html`<div class="warning" role="alert">${head}</div>
<section aria-labelledby="changed"><h2 id="changed">What changed since you opened it</h2>
${before.body === proposal.body ? html`<p>The text is the same.</p>` : renderWordDiff(before.body, proposal.body)}
${fields.length === 0 ? '' : fieldTable(fields)}</section>`;
}

type Changed = readonly [name: string, before: string, now: string];

function changedFields(before: Proposal['fields'], now: Proposal['fields']): readonly Changed[] {
  const [old, present] = [new Map(shownFields(before)), new Map(shownFields(now))];
  return [...new Set([...old.keys(), ...present.keys()])]
    .map((name): Changed => [name, old.get(name) ?? '', present.get(name) ?? ''])
    .filter(([, one, other]) => one !== other);
}

function fieldTable(fields: readonly Changed[]): Html {
  return html`<table><caption>Other fields that changed</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Then</th><th scope="col">Now</th></tr></thead>
<tbody>${fields.map(
    ([name, before, now]) => html`<tr><th scope="row">${reveal(name)}</th><td><bdi>${reveal(before)}</bdi></td>
<td><bdi>${reveal(now)}</bdi></td></tr>`,
  )}</tbody></table>`;
}
