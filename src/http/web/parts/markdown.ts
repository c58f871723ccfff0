/**
 * Markdown by strangers, made inert: no HTML of theirs, nothing loaded from anywhere, links only where a person may want to
 * go, nothing invisible, headings below those of the page, and a bounded amount of work.
 */
import { html, raw } from 'hono/html';
import MarkdownIt, { type MarkdownIt as Markdown, type Token } from 'markdown-it';
import { reveal, UNSEEN } from '../../../record/reveal.ts';
import type { Html } from '../layout.ts';

export interface MarkdownOptions {
  /** Level of the heading of the page that the text stands under. */
  readonly under: 1 | 2;
}

/** Characters; a longer text is shown as it was written. */
const LONGEST = 64 * 1024;
const DEEPEST = 24;
const DEEPEST_HEADING = 6;
/**
 * Other schemes, addresses without one and paths of this site are not linked: a text must not act as the page. Nor is a
 * name before the host, which reads like one.
 */
const MAY_LINK = /^(?:https?:\/\/[^/\\?#@]+(?:[/?#]|$)|mailto:|#)/i;
const REL = 'noopener noreferrer nofollow ugc';

const markdown = makeMarkdown();

export function renderMarkdown(text: string, { under }: MarkdownOptions): Html {
  if (text.length > LONGEST) {
    return html`<p class="note">Longer than ${LONGEST} characters: shown as it was written.</p>
<div class="plain">${reveal(text)}</div>`;
  }
  const env = { under };
  const seen = reveal(text.replace(/\r\n?/g, '\n'));
  // Once more, since entities such as &#8238; have become characters by now.
  const rendered = markdown.render(seen, env).replace(UNSEEN, (unseen) => markdown.utils.escapeHtml(reveal(unseen)));
  return html`<div class="prose">${raw(rendered)}</div>`;
}

function makeMarkdown(): Markdown {
  const made = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: DEEPEST });
  made.validateLink = (url) => MAY_LINK.test(url.trim());
  made.core.ruler.push('inert', ({ tokens, env, Token: Made }) => {
    lowerHeadings(tokens, Number(env?.['under'] ?? 2));
    for (const token of tokens) if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token);
    const link = (href: string) => {
      const token = new Made('link_open', 'a', 1);
      token.attrSet('href', href);
      return token;
    };
    const text = (content: string) => {
      const token = new Made('text', '', 0);
      token.content = content;
      return token;
    };
    const tools = { link, text, close: () => new Made('link_close', 'a', -1) };
    for (const token of tokens) if (token.children !== null) token.children = inert(token.children, tools);
  });
  return made;
}

interface Tools {
  link(href: string): Token;
  text(content: string): Token;
  close(): Token;
}

/** An image becomes a link with its description, or the description alone inside of a link. */
function inert(children: readonly Token[], tools: Tools): Token[] {
  const made: Token[] = [];
  let opened: Token | null = null;
  let said = '';
  for (const token of children) {
    if (token.type === 'link_open') {
      token.attrSet('rel', REL);
      opened = token;
      said = '';
    }
    if (token.type === 'link_close' && opened !== null) {
      // Without a text nobody who listens would know of it.
      if (said.trim() === '') made.push(tools.text(String(opened.attrGet('href') ?? '')));
      opened = null;
    }
    if (token.type !== 'image') {
      said += token.content;
      made.push(token);
      continue;
    }
    const label = `Image: ${token.content === '' ? 'without description' : token.content}`;
    said += label;
    const source = String(token.attrGet('src') ?? '');
    if (opened !== null || source === '') {
      made.push(tools.text(label));
      continue;
    }
    const link = tools.link(source);
    link.attrSet('rel', REL);
    made.push(link, tools.text(label), tools.close());
  }
  return made;
}

/** The policy of the page admits no `style`. */
function alignByClass(token: Token): void {
  const side = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
  token.attrs = side === undefined ? null : [['class', `to-${side}`]];
}

/** The text's own levels are kept, but none is skipped: people who listen find their way by them. */
function lowerHeadings(tokens: readonly Token[], under: number): void {
  let last = under;
  for (const token of tokens) {
    if (token.type !== 'heading_open' && token.type !== 'heading_close') continue;
    if (token.type === 'heading_open') last = Math.min(Number(token.tag.slice(1)) + under, last + 1, DEEPEST_HEADING);
    token.tag = `h${last}`;
  }
}
