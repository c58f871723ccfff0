/** What each rendering makes of a diamond with a lost record, a changed one and a superseded decision; and of spite. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dotLines } from '../../../src/cli/trace/dot.ts';
import { mermaidLines } from '../../../src/cli/trace/mermaid.ts';
import { provDocument } from '../../../src/cli/trace/prov.ts';
import { treeLines } from '../../../src/cli/trace/tree.ts';
import { traceView } from '../../../src/trail/trace/view.ts';
import { diamond, hash, hostile, result, visited } from './support.ts';

const backward = { follow: ['informed_by'] } as const;

describe('tree', () => {
  test('a record a line, met twice shown once, each with who, when, status and whether it is proved', () => {
    expect(treeLines(diamond())).toEqual([
      'Each record is informed by those below it, unless a line says otherwise',
      '',
      'approve: Retry only idempotent c…  approved    carol      2026-11-30T09:15:00Z  11507a0e  ✓ verified',
      '├─ words of left                               ann        2026-11-30T09:15:00Z  360f8403  ✓ verified',
      '│  └─ words of fact                            ann        2026-11-30T09:15:00Z  1e7dc6d6  ✓ verified',
      '│     └─ … 1 more',
      '├─ words of right                              right-kk…  2026-11-30T09:15:00Z  27042f4e  ✗ bad signature: signature_invalid',
      '│  ├─ words of fact  1e7dc6d6, see above',
      `│  └─ missing: ${hash('lost')}`,
      '└─ revises: approve: Retry every…  superseded  ben        2026-11-30T09:15:00Z  cba06b57  ✓ verified',
      '   └─ words of fact  1e7dc6d6, see above',
      '',
      'One line of "wrapper-codex.jsonl" cannot be read',
      'More lies deeper: --depth 10',
      '5 records: 4 verified, 1 NOT VERIFIED, 1 missing',
    ]);
  });

  test('a name is an agent only where the own ledger proves it', () => {
    const whoIs = (members: Partial<Parameters<typeof visited>[0]>) =>
      treeLines(traceView(result([visited({ name: 'one', ...members })]), backward))[2]?.split(/ {2,}/)[1];
    expect(whoIs({})).toBe('ann');
    expect(whoIs({ source: 'atrib-emit.jsonl' })).toBe('one-kkkk…');
    expect(whoIs({ content_matches: false })).toBe('one-kkkk…');
    expect(whoIs({ verification: { status: 'unverifiable', reason: 'wrong_role' } })).toBe('one-kkkk…');
  });

  test('what stood beside a record and is not what was signed is no proof', () => {
    const lines = treeLines(traceView(result([visited({ name: 'one', content_matches: false })]), backward));
    expect(lines[2]).toContain('✗ verified, but its sidecar is not the one that was signed');
    expect(lines.at(-1)).toBe('1 record: 1 NOT VERIFIED');
  });

  test('unchecked records are neither proved nor refuted', () => {
    const { verification: _, ...unchecked } = visited({ name: 'one' });
    expect(treeLines(traceView(result([unchecked]), backward)).slice(2)).toEqual([
      expect.stringContaining('not checked'),
      '',
      '1 record: 1 not checked',
    ]);
  });

  test('a cycle ends where it closes', () => {
    const records = [
      visited({ name: 'a', causes: ['b'], parents: ['b'] }),
      visited({ name: 'b', causes: ['a'], parents: ['a'] }),
    ];
    const lines = treeLines(traceView(result(records), backward));
    expect(lines.filter((line) => line.includes('words of a'))).toEqual([
      expect.stringMatching(/^words of a /),
      '   └─ words of a  ca978112, see above',
    ]);
  });

  test('both ways, every line says which way it leads unless it is the usual one', () => {
    const records = [
      visited({ name: 'middle', causes: ['cause'], next_informed_by: ['cause', 'effect', 'note'].map(hash) }),
      visited({ name: 'cause', parents: ['middle'], next_informed_by: [hash('middle')] }),
      visited({ name: 'effect', causes: ['middle'], parents: ['middle'] }),
      visited({ name: 'note', annotates: hash('middle'), parents: ['middle'], next_informed_by: [hash('middle')] }),
    ];
    const view = traceView(result(records, { direction: 'both' }), { follow: ['informed_by', 'annotates'] });
    expect(treeLines(view).slice(3, 6)).toEqual([
      expect.stringMatching(/^├─ words of cause /),
      expect.stringMatching(/^├─ informed: words of effect /),
      expect.stringMatching(/^└─ annotated by: words of note /),
    ]);
  });

  test('a hub deeper down does not nest what stands beside it', () => {
    const names = Array.from({ length: 50 }, (_, at) => `n${at}`);
    const chain = names.map((name, at) =>
      visited({ name, parents: ['hub'], causes: at + 1 < names.length ? [`n${at + 1}`] : [] }),
    );
    const lines = treeLines(traceView(result([visited({ name: 'hub', causes: names }), ...chain]), backward));
    expect(lines.length).toBe(2 + 1 + 50 + 49 + 2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('a page that goes on shows what hangs on an earlier one', () => {
    const records = [
      visited({ name: 'a', parents: ['earlier', 'b'], causes: ['b', 'start'] }),
      visited({ name: 'b', parents: ['a'], causes: ['a'] }),
    ];
    const page = result(records, { start_hash: hash('start'), cursor: 'next-page', truncated_by_cap: true });
    expect(treeLines(traceView(page, backward))).toEqual([
      expect.any(String),
      '',
      expect.stringMatching(/^words of a /),
      expect.stringMatching(/^├─ words of b /),
      '│  └─ words of a  ca978112, see above',
      '└─ … 1 more, or on an earlier page',
      '',
      'More with --cursor next-page',
      '2 records: 2 verified',
    ]);
  });

  test('content is shown below its record, long content cut', () => {
    const content = { lines: Array.from({ length: 40 }, (_, at) => at) };
    const lines = treeLines(
      traceView(result([visited({ name: 'a', local_content: content }), visited({ name: 'b' })]), backward),
    );
    expect(lines[3]).toBe('   {');
    expect(lines.filter((line) => line.includes('more lines: --format json'))).toEqual([
      '   … 24 more lines: --format json',
    ]);
  });

  test('an answer without records says why alone', () => {
    const lines = treeLines(traceView(result([], { warnings: ['The folder holds no mirror'] }), backward));
    expect(lines).toEqual(['The folder holds no mirror', '0 records']);
  });

  test('hostile text stays on its line and shows what it hides', () => {
    const lines = treeLines(hostile());
    expect(lines.filter((line) => /[\p{Cc}\p{Cf}]/u.test(line))).toEqual([]);
    expect(lines.length).toBe(2 + 2 + 1 + 2);
  });
});

/** Reads the little of Mermaid's flowchart language that is used, and nothing else. */
function parseMermaid(lines: readonly string[]) {
  const [first, ...rest] = lines;
  expect(first).toBe('flowchart TD');
  const nodes = new Map<string, string>();
  const edges: string[] = [];
  for (const line of rest) {
    const node = /^ {2}(n\d+)\["([^"]*)"\](?::::(\w+))?$/.exec(line);
    const edge = /^ {2}(n\d+) -->\|([a-z ]+)\| (n\d+)$/.exec(line);
    if (node !== null) nodes.set(node[1] ?? '', decoded(node[2] ?? ''));
    else if (edge !== null) edges.push(`${edge[1]} ${edge[2]} ${edge[3]}`);
    else expect(line).toMatch(/^ {2}classDef \w+ [\w:#,-]+$/);
  }
  return { nodes, edges };
}

/** Only line breaks of ours, and entities, are special in a label. */
function decoded(label: string): string {
  const parts = label.split('<br/>');
  for (const part of parts) expect(part.replace(/#\d+;/g, '')).not.toMatch(/[#;<>&"`*_[\]{}|\\]/);
  return parts.join('\n').replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

describe('mermaid', () => {
  test('a node a record, an arrow a link, and marks for what is not as it should be', () => {
    const lines = mermaidLines(diamond());
    expect(lines.slice(0, 7)).toEqual([
      'flowchart TD',
      '  n0["“approve: Retry only idempotent charges, and say so in the answer”<br/>approved, carol, 2026-11-30T09:15:00Z, ✓ verified"]',
      '  n1["“words of left”<br/>ann, 2026-11-30T09:15:00Z, ✓ verified"]',
      '  n2["“words of right”<br/>right-kk…, 2026-11-30T09:15:00Z, ✗ bad signature: signature#95;invalid"]:::unproved',
      '  n3["“approve: Retry everything”<br/>superseded, ben, 2026-11-30T09:15:00Z, ✓ verified"]:::superseded',
      '  n4["“words of fact”<br/>ann, 2026-11-30T09:15:00Z, ✓ verified"]',
      '  n5["missing 76f75e61"]:::absent',
    ]);
    expect(parseMermaid(lines).edges).toEqual([
      'n0 informed by n1',
      'n0 informed by n2',
      'n0 revises n3',
      'n1 informed by n4',
      'n2 informed by n4',
      'n2 informed by n5',
      'n3 informed by n4',
    ]);
  });

  test('hostile labels are labels', () => {
    const { nodes, edges } = parseMermaid(mermaidLines(hostile()));
    expect([...nodes.keys()]).toEqual(['n0', 'n1']);
    expect(nodes.get('n1')).toContain('x"]; end --> n9["<b onclick=1>&lt;');
    expect(edges).toEqual(['n0 informed by n1']);
  });
});

/** Tokens of Graphviz' language: quoted strings with their escapes read, names, and punctuation. */
function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const token = /\s+|"((?:[^"\\\n]|\\["\\n])*)"|[A-Za-z0-9]+|->|[[\]{}=,;]/y;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found === null) throw new Error(`No token at ${at}: ${text.slice(at, at + 40)}`);
    if (found[0].trim() !== '') tokens.push(found[1] === undefined ? found[0] : `'${unquoted(found[1])}`);
  }
  return tokens;
}

function unquoted(text: string): string {
  // In a label Graphviz reads any other as an entity.
  expect(text.replaceAll('&amp;', '')).not.toContain('&');
  return text
    .replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
    .replaceAll('&amp;', '&');
}

describe('dot', () => {
  test('a node a record, an arrow a link, in Graphviz tokens', () => {
    const lines = dotLines(diamond());
    expect(lines.slice(0, 3)).toEqual([
      'digraph trace {',
      '  node [shape=box];',
      `  "${hash('new')}" [label="approve: Retry only idempotent charges, and say so in the answer\\napproved, carol, 2026-11-30T09:15:00Z\\n✓ verified\\n11507a0e"];`,
    ]);
    expect(lines.filter((line) => line.includes('->')).length).toBe(7);
    expect(lines.at(-1)).toBe('}');
    expect(tokensOf(lines.join('\n')).length).toBeGreaterThan(100);
  });

  test('hostile labels are labels', () => {
    const tokens = tokensOf(dotLines(hostile()).join('\n'));
    const [start, next] = [hash('start'), hash('next')];
    const label = tokens[tokens.indexOf(`'${next}`) + 4] ?? '';
    expect(label).toContain('\'x"]; end --> n9["<b onclick=1>&lt;');
    expect(tokens.filter((token) => token === '->').length).toBe(1);
    expect(tokens.slice(-9)).toEqual(
      [`'${start}`, '->', `'${next}`, '[', 'label', '=', "'informed by", ']', ';', '}'].slice(-9),
    );
  });
});

const relations = z.record(z.string(), z.record(z.string(), z.unknown()));
const provSchema = z.object({
  prefix: z.record(z.string(), z.url()),
  entity: relations,
  agent: relations,
  wasDerivedFrom: relations,
  wasInfluencedBy: relations,
  wasAttributedTo: relations,
});

function parseProv(view: Parameters<typeof provDocument>[0]) {
  const prov = provSchema.parse(JSON.parse(JSON.stringify(provDocument(view))));
  const known = new Set([...Object.keys(prov.entity), ...Object.keys(prov.agent)]);
  const { wasDerivedFrom, wasInfluencedBy, wasAttributedTo, prefix } = prov;
  for (const relation of [wasDerivedFrom, wasInfluencedBy, wasAttributedTo].flatMap(Object.values)) {
    const ends = Object.entries(z.record(z.string(), z.unknown()).parse(relation)).filter(
      ([name]) => name !== 'prov:type',
    );
    expect(ends.map(([, end]) => known.has(String(end)))).toEqual([true, true]);
  }
  for (const name of known) expect(prefix).toHaveProperty(name.split(':')[0] ?? '');
  return prov;
}

describe('prov', () => {
  test('records are entities, derived from causes, as a revision from what they revise, attributed to keys', () => {
    const prov = parseProv(diamond());
    const entity = (name: string) => `record:${hash(name).slice('sha256:'.length)}`;
    expect(prov.entity[entity('old')]).toEqual({
      'prov:label': 'approve: Retry everything',
      'prov:type': { $: 'https://atrib.dev/v1/types/observation', type: 'xsd:anyURI' },
      'prov:generatedAtTime': { $: '2026-11-30T09:15:00.000Z', type: 'xsd:dateTime' },
      'waymark:context': 'c'.repeat(32),
      'waymark:thought': '01KD2N4Y6R0CA8X2E5J9HPTBGQ',
      'waymark:status': 'superseded',
      'waymark:verification': 'valid',
    });
    expect(prov.entity[entity('lost')]).toEqual({ 'waymark:absent': 'missing' });
    const derived = Object.values(prov.wasDerivedFrom);
    expect(derived.length).toBe(7);
    expect(derived.filter((one) => JSON.stringify(one['prov:type']).includes('prov:Revision'))).toEqual([
      {
        'prov:generatedEntity': entity('new'),
        'prov:usedEntity': entity('old'),
        'prov:type': { $: 'prov:Revision', type: 'prov:QUALIFIED_NAME' },
      },
    ]);
    expect(Object.values(prov.wasAttributedTo).length).toBe(5);
  });

  test('an annotation and what comes before in a context have influenced, not derived', () => {
    const note = visited({ name: 'note', annotates: hash('fact'), chain_root: hash('fact') });
    const view = traceView(result([note, visited({ name: 'fact', parents: ['note'] })]), {
      follow: ['annotates', 'chain'],
    });
    const { wasDerivedFrom, wasInfluencedBy } = parseProv(view);
    expect(wasDerivedFrom).toEqual({});
    expect(Object.values(wasInfluencedBy).map((one) => one['prov:type'])).toEqual([
      { $: 'waymark:annotates', type: 'prov:QUALIFIED_NAME' },
      { $: 'waymark:chain', type: 'prov:QUALIFIED_NAME' },
    ]);
  });

  test('hostile members make neither names nor relations', () => {
    const prov = parseProv(hostile());
    expect(Object.keys(prov.entity).length).toBe(2);
    expect(Object.keys(prov.agent)[0]).toMatch(/^key:[\w%.~!*'()-]+$/);
  });
});
