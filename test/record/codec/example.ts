import type { Thought } from '../../../src/record/thought.ts';

/** A thought file as FAVA writes it: synthetic, read and written alike by FAVA's own parser. */
export const EXAMPLE = `---
schema_version: 1
thought_id: 01KD2Q8W5N7YJ3V9T4B6RCXEMA
parent_id: 01KD2P0H3G8ZS5Q1F7M2NDWVKT
supersedes_id: 01KD2P0H3G8ZS5Q1F7M2NDWVKT
supersedes_scope: acme/eng/billing
agent_id: builder-7
confidence: 0.8
source_type: decision
validation_status: approved
created_at: '2026-11-30T09:15:27.104233Z'
relationships:
- type: DEPENDS_ON
  target_id: 01KD2N4Y6R0CA8X2E5J9HPTBGQ
metadata:
  project: billing
  branch: main
  tags:
  - retries
  - gotcha
  extra:
    trust_gate:
      reviewer: decisions:~typesafe/jev-latest
      reviewed_at: '2026-11-30T09:16:02.551903+00:00'
      verdict: approve
      reasoning: Score 0.71 is at or above threshold 0.45; the reviewer gives no rationale.
      kind: llm_advisory
      provider: openrouter
      model: typesafe/jev-1.13-20260917
      policy: decisions
      noul_probability: 0.71
      threshold: 0.45
    approval:
      kind: llm_advisory
      actor: decisions:~typesafe/jev-latest
      approved_at: '2026-11-30T09:16:02.551903+00:00'
---
# Retry only idempotent charges

We retry a charge only when the gateway call carried an idempotency key.
Two double charges in the sandbox came from retries without one.
`;

/** A thought with every default, to be spread over. */
export const PLAIN_THOUGHT: Thought = {
  schema_version: 1,
  thought_id: '01KD2Q8W5N7YJ3V9T4B6RCXEMA',
  agent_id: 'builder-7',
  confidence: 0.5,
  source_type: 'observation',
  validation_status: 'draft',
  created_at: '2026-11-30T09:15:27.104233Z',
  relationships: [],
  metadata: { tags: [], extra: {} },
  body: 'Body\n',
};
