import { expect, test } from 'vitest';
import { promotionTarget } from '../../src/record/routing.ts';
import { NAMESPACES, SOURCE_TYPES } from '../../src/record/thought.ts';

test('promotionTarget follows the source type and leaves preferences/client and preferences/firm where they are', () => {
  const bySource = {
    decision: 'decisions',
    observation: 'observations',
    inference: 'observations',
    tool_output: 'observations',
    user_input: 'preferences',
  } as const;
  for (const source of SOURCE_TYPES) {
    for (const namespace of NAMESPACES) {
      const stays = namespace === 'preferences/client' || namespace === 'preferences/firm';
      expect(promotionTarget(source, namespace), `${source} ${namespace}`).toBe(stays ? namespace : bySource[source]);
    }
  }
});
