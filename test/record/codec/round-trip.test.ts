import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/record/codec/decode.ts';
import { encodeFrontmatter } from '../../../src/record/codec/encode.ts';
import { decodeThought, encodeThought } from '../../../src/record/codec/index.ts';
import { readYaml11, type Yaml11 } from '../../support/yaml11.ts';
import { anyText, asciiText, entriesOf, fieldsOf, thoughtOf } from './arbitraries.ts';
import { askPyYaml, hasPyYaml } from './pyyaml.ts';

const RUNS = { numRuns: 300 };
const BATCH = 300;

function fromYaml11(value: Yaml11): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, fromYaml11(item)]));
  return Array.isArray(value) ? value.map(fromYaml11) : value;
}

describe('a thought of any text in every scalar position', () => {
  it('reads back equal', () => {
    fc.assert(
      fc.property(thoughtOf(anyText), (thought) => {
        const result = decodeThought(Buffer.from(encodeThought(thought)));
        expect(result).toEqual({ ok: true, thought, bom: false, crlf: false });
      }),
      RUNS,
    );
  });

  it('reads back equal through the YAML library alone', () => {
    fc.assert(
      fc.property(thoughtOf(anyText), (thought) => {
        const { body: _, ...frontmatter } = thought;
        expect(readFrontmatter(encodeFrontmatter(frontmatter))).toEqual({ ok: true, value: frontmatter });
      }),
      RUNS,
    );
  });

  it('reads equal by the YAML 1.1 model', () => {
    fc.assert(
      fc.property(thoughtOf(anyText), (thought) => {
        const yaml = encodeFrontmatter(thought);
        expect(yaml).not.toContain('---');
        expect(fromYaml11(readYaml11(yaml))).toEqual(fieldsOf(thought));
      }),
      RUNS,
    );
  });

  it.skipIf(!hasPyYaml)('reads equal by PyYAML, split as FAVA splits', () => {
    const thoughts = fc.sample(thoughtOf(anyText), BATCH);
    const answers = askPyYaml(thoughts.map((thought) => ({ read: encodeThought(thought) })));
    expect(answers).toHaveLength(BATCH);
    for (const [index, thought] of thoughts.entries()) {
      expect(answers[index], encodeThought(thought)).toEqual({ value: fieldsOf(thought) });
    }
  });
});

describe('a thought of printable ASCII', () => {
  it.skipIf(!hasPyYaml)('has the bytes of yaml.dump', () => {
    const thoughts = fc.sample(thoughtOf(asciiText), BATCH);
    const answers = askPyYaml(thoughts.map((thought) => ({ dump: entriesOf(thought) })));
    expect(answers).toHaveLength(BATCH);
    for (const [index, thought] of thoughts.entries()) {
      expect({ text: encodeFrontmatter(thought) }).toEqual(answers[index]);
    }
  });
});

describe('a whole number in a free map', () => {
  const text = 'extra';
  it.skipIf(!hasPyYaml).each([0, -0, 1, -7, 2 ** 53, 1e17, 1e21, -1e300])('%d reads equal by PyYAML', (number) => {
    const yaml = encodeFrontmatter({
      schema_version: 1,
      thought_id: 'id',
      agent_id: 'a',
      confidence: 1,
      source_type: 'decision',
      validation_status: 'draft',
      created_at: '2026-11-30',
      relationships: [],
      metadata: { tags: [], extra: { [text]: number } },
    });
    const [answer] = askPyYaml([{ read: `---\n${yaml}---\n` }]);
    expect(answer?.value).toMatchObject({ metadata: { extra: { [text]: number } } });
    const result = readFrontmatter(yaml);
    expect(result.ok && result.value.metadata.extra[text]).toBe(number);
  });
});
