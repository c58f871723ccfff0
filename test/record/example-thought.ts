import type { Thought } from '../../src/record/thought.ts';

/** A complete draft; tests name what they change. */
export function exampleThought(change: Partial<Thought> = {}): Thought {
  return {
    schema_version: 1,
    thought_id: '01KD2Q8W5N7YJ3V9T4B6RCXEMA',
    agent_id: 'builder-7',
    confidence: 0.8,
    source_type: 'decision',
    validation_status: 'draft',
    created_at: '2026-11-30T09:15:27.104233Z',
    relationships: [{ type: 'DEPENDS_ON', target_id: '01KD2N4Y6R0CA8X2E5J9HPTBGQ' }],
    metadata: { project: 'billing', tags: ['retries'], extra: {} },
    body: 'We retry only idempotent charges.\n',
    ...change,
  };
}
