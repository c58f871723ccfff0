/** Text of a sidecar as an answer shows it: bounded, and what a reader cannot see stands as an escape. */

/** Controls, format characters, line and paragraph separators, private use, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
const UNSEEN_BUT_LAYOUT = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** On one line; at most `limit` UTF-16 units before escapes, the last of them `ellipsis` when cut (atrib.md 3.1). */
export function shownLine(text: string, { limit, ellipsis = '…' }: { limit: number; ellipsis?: string }): string {
  return spellOut(text.length > limit ? `${text.slice(0, limit - 3)}${ellipsis}` : text, UNSEEN);
}

/** A text of several lines: tabs and newlines stay. */
export function shownText(text: string): string {
  return spellOut(text, UNSEEN_BUT_LAYOUT);
}

/** Deeper than this nobody writes on purpose, and whoever prints it recurses. */
const MAX_LEVELS = 64;

/** A JSON value whose texts, member names included, keep tabs and newlines of what cannot be seen. */
export function shownJson(value: unknown, level = 0): unknown {
  if (typeof value === 'string') return shownText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level === MAX_LEVELS) return '…';
  if (Array.isArray(value)) return value.map((item) => shownJson(item, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [spellOut(name, UNSEEN), shownJson(member, level + 1)]),
  );
}

function spellOut(text: string, unseen: RegExp): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
