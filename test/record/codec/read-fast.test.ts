import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/record/codec/decode.ts';
import { encodeFrontmatter } from '../../../src/record/codec/encode.ts';
import { decodeFrontmatterFast } from '../../../src/record/codec/read-fast.ts';
import { anyText, asciiText, thoughtOf } from './arbitraries.ts';
import { EXAMPLE, PLAIN_THOUGHT } from './example.ts';

const PIECES = [
  '\n',
  ' ',
  '  ',
  '- ',
  ': ',
  ':',
  "'",
  '"',
  '\\',
  '#',
  '[]',
  '{}',
  '? ',
  '__proto__: 1\n',
  'a: 1\n',
  '\t',
  '1.0',
];

/** Frontmatter of the writer with some places deleted, doubled or overwritten. */
const damaged = fc
  .tuple(
    thoughtOf(asciiText),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        cut: fc.nat(12),
        put: fc.constantFrom('', ...PIECES),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([thought, edits]) =>
    edits.reduce((text, { at, cut, put }) => {
      const place = Math.floor(at * text.length);
      return text.slice(0, place) + put + text.slice(place + cut);
    }, encodeFrontmatter(thought)),
  );

function expectAgreement(text: string): void {
  const fast = decodeFrontmatterFast(text);
  if (fast !== undefined) expect(readFrontmatter(text)).toEqual({ ok: true, value: fast });
}

describe('decodeFrontmatterFast', () => {
  it("reads FAVA's example and our own plain file", () => {
    const yaml = EXAMPLE.slice(4, EXAMPLE.indexOf('---\n', 4));
    expect(decodeFrontmatterFast(yaml)).toMatchObject({ agent_id: 'builder-7' });
    const { body: _, ...frontmatter } = PLAIN_THOUGHT;
    expect(decodeFrontmatterFast(encodeFrontmatter(frontmatter))).toEqual(frontmatter);
  });

  it('agrees with the YAML library on whatever the writer writes', () => {
    fc.assert(
      fc.property(thoughtOf(anyText), (thought) => expectAgreement(encodeFrontmatter(thought))),
      { numRuns: 300 },
    );
  });

  it('reads every text of the fields; only awkward keys of free maps are left to the library', () => {
    fc.assert(
      fc.property(thoughtOf(anyText), anyText, ({ body: _, unknown: __, ...thought }, text) => {
        const extra = { key: text, map: { list: [text, [text], { key: text }], none: [] } };
        const frontmatter = { ...thought, metadata: { ...thought.metadata, extra } };
        expect(decodeFrontmatterFast(encodeFrontmatter(frontmatter))).toEqual(frontmatter);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with the YAML library on damaged frontmatter', () => {
    fc.assert(fc.property(damaged, expectAgreement), { numRuns: 500 });
  });

  it.each([
    ['a duplicate key', 'agent_id: builder-7\nagent_id: builder-7\n'],
    ['a comment', 'agent_id: builder-7 # me\n'],
    ['an alias', 'agent_id: *a\n'],
    ['another order', 'confidence: 0.5\nagent_id: builder-7\n'],
    ['an own key named __proto__', 'agent_id: builder-7\n__proto__: 1\n'],
    ['nothing', ''],
  ])('leaves %s to the library', (_, yaml) => {
    const frontmatter = encodeFrontmatter(PLAIN_THOUGHT);
    expect(decodeFrontmatterFast(frontmatter)).toBeDefined();
    expect(
      decodeFrontmatterFast(yaml === '' ? '' : frontmatter.replace('agent_id: builder-7\n', yaml)),
    ).toBeUndefined();
  });
});
