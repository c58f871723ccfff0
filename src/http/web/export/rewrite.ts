/**
 * A page of the server made a file: links become relative, what needs a server goes, and links that lead out of the copy say
 * so. Works on our own markup alone, in which every `<`, `>` and quote of somebody else's text is escaped.
 */
import { posix } from 'node:path';

export interface RewriteOptions {
  /** Of this page, relative to the copy. */
  readonly file: string;
  /** The file that a link leads to; `null` when the copy has none. */
  readonly fileOf: (address: string) => string | null;
  /** Shown at the end of the page; HTML. */
  readonly footer: string;
}

const LINK = /\b(href|src)="([^"]*)"/g;
/** What has a meaning on a server alone: see `liveOnly`. */
const LIVE_PART = /<!--live-->[\s\S]*?<!--\/live-->/g;
const FORM = /<form\b[\s\S]*?<\/form>/g;
/** What is only for who can sign in here. */
const SIGN_IN = / ?<a href="\/login">[^<]*<\/a>/g;

export function rewritePage(html: string, { file, fileOf, footer }: RewriteOptions): string {
  return (
    html
      .replace(LIVE_PART, '')
      .replace(FORM, '')
      .replace(SIGN_IN, '')
      .replace(/<[a-z][^>]*>/g, (tag) => tag.replace(LINK, (_, name: string, address: string) => link(name, address)))
      // A module is loaded from no file by a browser.
      .replaceAll('<script type="module"', '<script defer')
      .replace('</footer>', `<p>${footer}</p></footer>`)
  );

  function link(name: string, address: string): string {
    const [target = '', fragment] = unescaped(address).split('#', 2);
    if (target === '' || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return `${name}="${address}"`;
    const to = fileOf(target);
    if (to === null) return 'role="link" aria-disabled="true" title="Not in this copy"';
    const path = posix.relative(posix.dirname(file), to);
    return `${name}="${path}${fragment === undefined ? '' : `#${fragment}`}"`;
  }
}

/** Addresses of pages and assets that the page links to, in its order, each once. */
export function linksOf(html: string): readonly string[] {
  const tags = html
    .replace(LIVE_PART, '')
    .replace(FORM, '')
    .matchAll(/<[a-z][^>]*>/g);
  const addresses = [...tags].flatMap(([tag]) =>
    [...tag.matchAll(LINK)].map(([, , address = '']) => unescaped(address)),
  );
  return [...new Set(addresses.map((address) => address.split('#', 1)[0] ?? ''))].filter((address) =>
    /^\/(?!\/)/.test(address),
  );
}

function unescaped(address: string): string {
  return address
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
