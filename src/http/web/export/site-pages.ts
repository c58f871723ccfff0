/**
 * Walks the pages of the server as one principal sees them, from the overview on, and gives each as the file of a static copy.
 * The pages are those the server renders; nothing else decides what is in the copy.
 */
import { Addresses, CONTENTS } from './addresses.ts';
import { linksOf } from './rewrite.ts';

export interface SitePage {
  /** Relative to the copy. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Of HTML: where its links lead; `null` for what has none. */
  readonly fileOf: ((address: string) => string | null) | null;
}

export interface LostPage {
  readonly address: string;
  readonly file: string;
  /** What the server answered. */
  readonly status: number;
}

export interface WalkOptions {
  /** Asks the server for a page, without a network. */
  readonly request: (address: string) => Promise<Response>;
  /** Told of pages that a link leads to and that are not to be had; the copy goes on without. */
  readonly onLost: (lost: LostPage) => void;
}

const STARTS = ['/', CONTENTS, '/ledger'];

export async function* sitePages({ request, onLost }: WalkOptions): AsyncGenerator<SitePage> {
  const addresses = new Addresses();
  const known = new Set<string>();
  const queue: { readonly address: string; readonly file: string }[] = [];
  const add = (address: string, from: string) => {
    const file = addresses.fileOf(address, from);
    if (file === null || known.has(file)) return;
    known.add(file);
    // What stands in the place of a search is found under its own address.
    queue.push({ address: file.startsWith('contents/') ? CONTENTS : address, file });
  };
  for (const start of STARTS) add(start, '/');
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { address, file } = next;
    const response = await request(address);
    if (response.status !== 200) {
      await response.body?.cancel();
      onLost({ address, file, status: response.status });
      continue;
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isPage = file.endsWith('.html');
    if (isPage) for (const link of linksOf(Buffer.from(bytes).toString('utf8'))) add(link, address);
    yield { file, bytes, fileOf: isPage ? (link) => addresses.fileOf(link, address) : null };
  }
}
