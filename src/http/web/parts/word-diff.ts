/** What changed between two texts, word by word. */
import { html } from 'hono/html';
import { reveal } from '../../../record/reveal.ts';
import { type Change, wordDiff } from '../../../record/word-diff.ts';
import type { Html } from '../layout.ts';

/** The whole of both texts, nothing left out; what was removed is struck out, what was added underlined. */
export function renderWordDiff(before: string, after: string): Html {
  return html`<div class="diff">${wordDiff(before, after).map(renderChange)}</div>`;
}

/** Screen readers do not say `ins` and `del` by themselves. */
function renderChange({ kind, text }: Change): Html {
  if (kind === 'removed') return html`<del>${spoken('removed: ')}${reveal(text)}${spoken(' (end of removed)')}</del>`;
  if (kind === 'added') return html`<ins>${spoken('added: ')}${reveal(text)}${spoken(' (end of added)')}</ins>`;
  return html`${reveal(text)}`;
}

function spoken(words: string): Html {
  return html`<span class="visually-hidden">${words}</span>`;
}
