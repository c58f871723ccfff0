/** A page of the server made a file, without a record. */
import { expect, test } from 'vitest';
import { Addresses } from '../../../src/http/web/export/addresses.ts';
import { linksOf, rewritePage } from '../../../src/http/web/export/rewrite.ts';
import { type LostPage, sitePages } from '../../../src/http/web/export/site-pages.ts';

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const INSIDE: readonly (readonly [address: string, file: string])[] = [
  ['/', 'index.html'],
  ['/search', 'contents/index.html'],
  ['/s/acme/api', 's/acme/api/index.html'],
  ['/s/acme?below=1', 's/acme/_below/index.html'],
  ['/s/acme/index.html', 's/acme/_index.html/index.html'],
  [`/t/${ID}`, `t/${ID}/index.html`],
  [`/t/${ID}/trace#list`, `t/${ID}/trace/index.html`],
  [`/t/${ID}/raw`, `t/${ID}/${ID}.md`],
  ['/assets/site.css?v=abc', 'assets/site.css'],
  ['/ledger/0011223344556677', 'ledger/0011223344556677/index.html'],
  [`/ledger/0011223344556677?from=sha256:${'ab'.repeat(32)}`, `ledger/0011223344556677/${'ab'.repeat(8)}/index.html`],
];

const OUTSIDE: readonly string[] = [
  ...[`/t/${ID}?valid_at=2026-01-01`, `/t/${ID}/trace?depth=5`, '/search?author=a', '/s/acme?q=x', '/desk', '/login'],
  ...[
    '//elsewhere.example/',
    'https://elsewhere.example/',
    '/s/../../etc',
    '/s/a%2Fb',
    '/s/',
    '/ledger/checkpoints',
    'http://[',
  ],
];

test.each(INSIDE)('the file of %s is %s', (address, file) => {
  expect(new Addresses().fileOf(address, '/')).toBe(file);
});

test.each(OUTSIDE)('%s is not in a copy', (address) => {
  expect(new Addresses().fileOf(address, '/')).toBe(null);
});

test('pages of a list are numbered as they are met, the same cursor always alike', () => {
  const addresses = new Addresses();
  expect(addresses.fileOf('/s/acme?cursor=x', '/s/acme')).toBe('s/acme/_page-2/index.html');
  expect(addresses.fileOf('/s/acme?cursor=y', '/s/acme?cursor=x')).toBe('s/acme/_page-3/index.html');
  expect(addresses.fileOf('/s/acme?cursor=x', '/s/acme')).toBe('s/acme/_page-2/index.html');
});

test('links become relative, those out of the copy say so, and what needs a server goes', () => {
  const page = `<a href="/t/${ID}#x">in</a> <a class="b" href="/desk">out</a> <a href="https://x.example/?a&amp;b">web</a> <a href="#here">here</a>
<script type="module" src="/assets/graph.js?v=1"></script><form action="/x"><a href="/s/form">f</a></form><!--live--><p>live</p><!--/live-->
text href="/desk" &lt;a href="/desk"&gt; <footer></footer>`;
  const addresses = new Addresses();
  const made = rewritePage(page, {
    file: 's/acme/index.html',
    fileOf: (to) => addresses.fileOf(to, '/s/acme'),
    footer: 'FOOT',
  });
  expect(
    made,
  ).toBe(`<a href="../../t/${ID}/index.html#x">in</a> <a class="b" role="link" aria-disabled="true" title="Not in this copy">out</a> <a href="https://x.example/?a&amp;b">web</a> <a href="#here">here</a>
<script defer src="../../assets/graph.js"></script>
text href="/desk" &lt;a href="/desk"&gt; <footer><p>FOOT</p></footer>`);
  expect(linksOf(page)).toEqual([`/t/${ID}`, '/desk', '/assets/graph.js?v=1']);
});

test('a page that fails is named and ends nothing', async () => {
  const texts: Readonly<Record<string, string>> = {
    '/': '<a href="/s/a">a</a><a href="/s/b">b</a>',
    '/s/b': '<a href="/s/c">c</a>',
    '/s/c': 'end',
  };
  const lost: LostPage[] = [];
  const request = async (address: string) => {
    const text = texts[address];
    return new Response(text ?? 'fault', { status: text === undefined ? 500 : 200 });
  };
  const made: string[] = [];
  for await (const { file } of sitePages({ request, onLost: (page) => lost.push(page) })) made.push(file);
  expect(made).toEqual(['index.html', 's/b/index.html', 's/c/index.html']);
  expect(lost).toContainEqual({ address: '/s/a', file: 's/a/index.html', status: 500 });
});
