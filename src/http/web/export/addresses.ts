/** Which pages a static copy has, and the file of each. Folders are named as the addresses are. */
import { parseScope } from '../../../record/scope.ts';

/** The page that lists every thought by its scope, in the place of a search. */
export const CONTENTS = '/contents';

/**
 * Files by address, relative to the copy, with forward slashes. A list that goes on under a cursor is numbered in the order
 * in which its pages are met, so that no file is named by a cursor.
 */
export class Addresses {
  readonly #numbered = new Map<string, string>();

  /** The file of what a link on the page at `from` leads to; `null` for what the copy does not hold. */
  fileOf(address: string, from: string): string | null {
    const url = urlOf(address, from);
    if (url === null || url.origin !== ORIGIN) return null;
    const { cursor = '', ...query } = Object.fromEntries(url.searchParams);
    const folder = folderOf(url.pathname, query);
    if (folder === null) return null;
    if (cursor === '') return folder;
    return folder.endsWith(INDEX) ? this.#page(folder, { address: `${url.pathname}${url.search}`, from }) : null;
  }

  #page(first: string, { address, from }: { readonly address: string; readonly from: string }): string {
    const known = this.#numbered.get(address);
    if (known !== undefined) return known;
    const before = /_page-(\d+)\//.exec(this.#numbered.get(from) ?? '')?.[1] ?? '1';
    const file = `${first.slice(0, -INDEX.length)}_page-${Number(before) + 1}/${INDEX}`;
    this.#numbered.set(address, file);
    return file;
  }
}

const ORIGIN = 'http://copy.invalid';
const INDEX = 'index.html';

function urlOf(address: string, from: string): URL | null {
  try {
    return new URL(address, new URL(from, ORIGIN));
  } catch {
    return null;
  }
}

type Query = Readonly<Record<string, string>>;

function folderOf(path: string, query: Query): string | null {
  const asset = /^\/assets\/([a-z-]+\.[a-z]+)$/.exec(path);
  if (asset !== null) return `assets/${asset[1]}`;
  const names = Object.keys(query);
  const scope = path.startsWith('/s/') ? path.slice('/s/'.length) : null;
  if (scope !== null) {
    if (!parseScope(scope).ok || scope.endsWith('/')) return null;
    const folder = `s/${scope.split('/').map(folderName).join('/')}/`;
    if (names.length === 0) return `${folder}${INDEX}`;
    return names.join() === 'below' && query['below'] === '1' ? `${folder}_below/${INDEX}` : null;
  }
  const log = /^\/ledger\/([0-9a-f]{16})$/.exec(path)?.[1];
  if (log !== undefined) {
    const hash = /^sha256:([0-9a-f]{64})$/.exec(query['from'] ?? '')?.[1];
    if (names.length === 0) return `ledger/${log}/${INDEX}`;
    return names.join() === 'from' && hash !== undefined ? `ledger/${log}/${hash.slice(0, 16)}/${INDEX}` : null;
  }
  if (names.length > 0) return null;
  const thought = /^\/t\/([0-9A-Z]{26})(\/trace|\/raw)?$/.exec(path);
  if (thought !== null) {
    const [, id = '', part = ''] = thought;
    return part === '/raw' ? `t/${id}/${id}.md` : `t/${id}${part}/${INDEX}`;
  }
  const pages: Readonly<Record<string, string>> = {
    '/': INDEX,
    '/ledger': `ledger/${INDEX}`,
    [CONTENTS]: `contents/${INDEX}`,
    '/search': `contents/${INDEX}`,
  };
  return pages[path] ?? null;
}

/** No scope is called as a page: names of pages begin with an underscore, but this one. */
function folderName(segment: string): string {
  return segment.toLowerCase() === INDEX ? `_${segment}` : segment;
}
