import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/http/web/parts/markdown.ts';

const render = async (text: string, under: 1 | 2 = 2) => String(await renderMarkdown(text, { under }));
/** Every tag there is must be one of these, without attributes that load or run. */
const INERT =
  /^<\/?(?:div(?: class="(?:prose|plain)")?|p|em|strong|code|pre|ul|ol|li|h[3-6]|blockquote|hr|br|table|thead|tbody|tr|t[hd](?: class="to-\w+")?|s)>$/;
const tagsOf = (html: string) => html.match(/<[^>]*>?/g) ?? [];

test.each([
  ['a script', '<script>alert(1)</script>'],
  ['a handler', '<img src=x onerror=alert(1)>'],
  ['a frame in a list', '- <iframe src="https://evil.example"></iframe>'],
  ['a tag split over lines', '<div\nonmouseover="alert(1)">'],
  ['a comment', '<!-- <img src=x> -->'],
  ['a javascript: link', '[x](javascript:alert(1))'],
  ['the same in disguise', '[x](&#106;ava&#115;cript&colon;alert(1))'],
  ['the same with a tab', '[x](java\tscript:alert(1))'],
  ['a data: link', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
  ['a vbscript: autolink', '<vbscript:msgbox>'],
  ['an address without a scheme', '[x](//evil.example/a)'],
  ['an address with backslashes', '[x](https:\\\\evil.example)'],
  ['a name before the host', '[x](https://bank.example@evil.example/)'],
  ['a path of this site', '[x](/logout)'],
  ['a path up', '[x](../desk)'],
  ['an image as data', '![x](data:image/svg+xml,<svg>)'],
  ['a reference', '[x][r]\n\n[r]: javascript:alert(1)'],
])('%s is text', async (_, text) => {
  const html = await render(text);
  expect(tagsOf(html).filter((tag) => !INERT.test(tag))).toEqual([]);
  expect(html.length).toBeGreaterThan('<div class="prose"></div>'.length);
});

test('a table aligns its columns without a style of its own', async () => {
  const html = await render('|a|b|\n|-:|:-:|\n|1|2|');
  expect(html).toContain('<td class="to-right">1</td>\n<td class="to-center">2</td>');
  expect(tagsOf(html).filter((tag) => !INERT.test(tag))).toEqual([]);
});

test('links to the web, to mail and within the text stay, marked as words of a stranger', async () => {
  const html = await render('[a](https://a.example/b?c=1) [m](mailto:a@b.example) [f](#part) <https://c.example>');
  expect(html.match(/<a href="[^"]+" rel="noopener noreferrer nofollow ugc">/g)).toHaveLength(4);
});

test('an image is a link with its description, or the description alone inside of a link', async () => {
  const html = await render(
    '![the <b>plan](https://t.example/x.png) [![deep](https://t.example/y.png)](https://b.example)',
  );
  expect(html).toContain(
    '<a href="https://t.example/x.png" rel="noopener noreferrer nofollow ugc">Image: the &lt;b&gt;plan</a>',
  );
  expect(html).toContain('<a href="https://b.example" rel="noopener noreferrer nofollow ugc">Image: deep</a>');
  expect(html).not.toMatch(/<img|y\.png/);
});

test('a link without a text shows where it leads', async () => {
  expect(await render('[](https://a.example)')).toContain('>https://a.example</a>');
});

test.each([
  ['as they are', 'pay \u202e001\u202c, \u200bzero', ['&lt;U+202E&gt;', '&lt;U+202C&gt;', '&lt;U+200B&gt;']],
  ['as entities', '&#x202e;001 &#8203;', ['&lt;U+202E&gt;', '&lt;U+200B&gt;']],
  ['in a title', '[a](https://a.example "x\u202ey")', ['title="x&lt;U+202E&gt;y"']],
  ['in code', '`a\u2066b`', ['&lt;U+2066&gt;']],
  ['as an escape sequence', 'a\u001b[31mb', ['&lt;U+001B&gt;']],
])('what cannot be seen is spelled out %s', async (_, text, shown) => {
  const html = await render(text);
  for (const one of shown) expect(html).toContain(one);
  expect(html).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
});

test('headings stand below those of the page and none is skipped', async () => {
  const levels = async (text: string, under: 1 | 2) =>
    [...(await render(text, under)).matchAll(/<h(\d)>/g)].map(([, level]) => Number(level));
  expect(await levels('# a\n### b\n###### c\n## d', 2)).toEqual([3, 4, 5, 4]);
  expect(await levels('###### deep\n# top', 1)).toEqual([2, 2]);
  expect(await levels('# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6', 2)).toEqual([3, 4, 5, 6, 6, 6]);
});

test('a text beyond the limit is shown as it was written, and nesting ends', async () => {
  const long = await render(`# no heading ${'<b>'.repeat(30_000)}`);
  expect(long).toContain('<div class="plain"># no heading &lt;b&gt;');
  const deep = await render('> '.repeat(5_000));
  expect(deep.match(/<blockquote>/g)?.length ?? 0).toBeLessThan(30);
  expect(await render('> a')).toContain('<blockquote>');
});
