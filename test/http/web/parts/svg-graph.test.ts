import { expect, test } from 'vitest';
import { layoutGraph } from '../../../../src/http/web/parts/graph-layout.ts';
import { type GraphNode, svgGraph } from '../../../../src/http/web/parts/svg-graph.ts';

const HOSTILE = '</text><script>alert(1)</script><a href="javascript:x" onload=\'y\'>&amp; "';

function node(id: string, members: Partial<GraphNode> = {}): GraphNode {
  const usual = { details: ['who', '✓ verified'], title: `${id} in full`, state: 'verified' as const };
  return { id, href: `/t/${id}`, label: id, isRetired: false, isStart: false, ...usual, ...members };
}

async function drawn(nodes: readonly GraphNode[]): Promise<string> {
  const edges = nodes.slice(1).map(({ id }) => ({ from: nodes[0]?.id ?? '', to: id, title: 'informed by' }));
  const layout = layoutGraph({ ids: nodes.map(({ id }) => id), edges });
  return String(await svgGraph({ nodes, edges, layout, title: 'A graph', description: 'What it shows' }));
}

test('each box is a link with a title, each line has one, and the whole is named', async () => {
  const svg = await drawn([node('one'), node('two', { isStart: true })]);
  expect(svg).toMatch(/^<svg [^>]*role="group" aria-labelledby="graph-title graph-text"/);
  expect(svg).toContain('<title id="graph-title">A graph</title>');
  expect(svg).toContain('<desc id="graph-text">What it shows</desc>');
  expect(svg).toMatch(/<a href="\/t\/one" class="box" data-state="verified"><title>one in full<\/title>/);
  expect(svg).toMatch(/<a href="\/t\/two"[^>]* id="start" aria-current="true">/);
  expect(svg).toMatch(/<path d="M\d+ \d+C[^"]+" marker-end="url\(#arrow\)"><title>informed by<\/title><\/path>/);
  expect(svg).not.toMatch(/ style=|<style|<script/);
});

test('what is absent is dashed and what is retired struck out, each only itself', async () => {
  const svg = await drawn([node('here'), node('gone', { state: 'absent' }), node('old', { isRetired: true })]);
  expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
  expect(svg).toMatch(/data-state="absent"><title>gone in full<\/title>\s*<rect [^>]*stroke-dasharray="6 4"/);
  expect(svg.match(/text-decoration="line-through">old</g)).toHaveLength(1);
});

test('a long label takes two lines and then an ellipsis; wide letters take twice the room', async () => {
  const svg = await drawn([
    node('a', { label: 'Retry only charges that carried an idempotency key of ours' }),
    node('b', { label: '品牌圣经'.repeat(10) }),
    node('c', { label: 'short' }),
  ]);
  const lines = [...svg.matchAll(/font-weight="600">([^<]*)</g)].map(([, text]) => text);
  expect(lines).toEqual([
    'Retry only charges that',
    'carried an idempotency key…',
    '品牌圣经品牌圣经品牌圣经品',
    '牌圣经品牌圣经品牌圣经品…',
    'short',
  ]);
});

test('hostile labels, titles and addresses stay text', async () => {
  const svg = await drawn([
    node('one', { label: HOSTILE, details: [HOSTILE], title: HOSTILE, href: `/t/"><script>` }),
    node('two'),
  ]);
  expect(svg).not.toMatch(/<script|onload='|href="javascript/);
  expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});
