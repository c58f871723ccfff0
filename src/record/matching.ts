/**
 * What a query matches. The index only nominates candidates; this predicate decides, so that what is found never
 * depends on how it is searched. Stated for readers in `docs/retrieval.md`.
 */
import type { Thought } from './thought.ts';

/** What no UTF-8 text column can hold: NUL and unpaired surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is the character meant.
const UNSTORABLE = /[\u0000\ud800-\udfff]/gu;

/** Folds text for comparison: NFC, then lower case without a locale; NUL and unpaired surrogates become U+FFFD. */
export function norm(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(UNSTORABLE, '\ufffd');
}

/** The text a query is looked for in. Tokens hold no white space, so none can match across two fields. */
export function hayOf(thought: Thought): string {
  const { project, branch, tags } = thought.metadata;
  const fields = [thought.body, thought.thought_id, thought.source_type, thought.agent_id, project, branch, ...tags];
  return norm(fields.filter((field) => field !== undefined).join('\n'));
}

/** Folded, distinct tokens of a query in the order given; white space is what ECMAScript's `\s` is. */
export function tokensOf(query: string): readonly string[] {
  return [...new Set(norm(query).split(/\s+/u))].filter((token) => token !== '');
}

/** True when every token is a substring of `hay`; no tokens match everything. Both sides are folded already. */
export function matches(hay: string, tokens: readonly string[]): boolean {
  return tokens.every((token) => hay.includes(token));
}
