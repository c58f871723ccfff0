import { expect, test } from 'vitest';
import { claimDigest, claimOf } from '../../src/record/claim.ts';
import type { Thought } from '../../src/record/thought.ts';
import { exampleThought } from './example-thought.ts';

const base = exampleThought({ metadata: { tags: ['a', 'b'], extra: { reason: 'why', deep: { n: null } } } });

test('claimOf holds every field but those of a decision', () => {
  expect(claimOf(base)).toEqual({
    schema_version: 1,
    thought_id: base.thought_id,
    agent_id: 'builder-7',
    confidence: 0.8,
    source_type: 'decision',
    created_at: '2026-11-30T09:15:27.104233Z',
    relationships: [{ type: 'DEPENDS_ON', target_id: '01KD2N4Y6R0CA8X2E5J9HPTBGQ' }],
    metadata: { tags: ['a', 'b'], extra: { reason: 'why', deep: { n: null } } },
    body: base.body,
  });
});

test('claimDigest is a fixed SHA-256 of JCS bytes', () => {
  // Computed with Python's json and hashlib; for these values its sorted compact form is JCS.
  expect(claimDigest(base)).toBe('83dbf9b44ee8318dbd4a1777c741c373fa9fd50925ae787deff6c8d8e0127614');
});

test('claimDigest does not change with what a decision writes', () => {
  const { extra } = base.metadata;
  const decided: readonly Partial<Thought>[] = [
    { validation_status: 'approved' },
    { superseded_by: '01KD2P0H3G8ZS5Q1F7M2NDWVKT' },
    { superseded_scope: 'acme' },
    { metadata: { ...base.metadata, extra: { ...extra, trust_gate: { verdict: 'approve' } } } },
    { metadata: { ...base.metadata, extra: { ...extra, approval: { kind: 'human' } } } },
    { unknown: {} },
    { metadata: { extra: { deep: { n: null }, reason: 'why' }, tags: ['a', 'b'] } },
  ];
  for (const change of decided)
    expect(claimDigest({ ...base, ...change }), JSON.stringify(change)).toBe(claimDigest(base));
});

test('claimDigest changes with everything else', () => {
  const changes: readonly Partial<Thought>[] = [
    { body: `${base.body} ` },
    { thought_id: '01KD2P0H3G8ZS5Q1F7M2NDWVKT' },
    { agent_id: 'other' },
    { confidence: 0.81 },
    { source_type: 'inference' },
    { created_at: '2026-11-30T09:15:27.104234Z' },
    { parent_id: 'x' },
    { supersedes_id: 'x' },
    { supersedes_scope: 'x' },
    { intent_ref: 'x' },
    { relationships: [] },
    { metadata: { ...base.metadata, tags: ['b', 'a'] } },
    { metadata: { ...base.metadata, project: 'x' } },
    { metadata: { ...base.metadata, branch: 'x' } },
    { metadata: { ...base.metadata, extra: { ...base.metadata.extra, reason: 'other' } } },
    { metadata: { ...base.metadata, extra: { ...base.metadata.extra, grounds: 'x' } } },
    { unknown: { colour: 'red' } },
    { unknown: { body: base.body } },
  ];
  const digests = [base, ...changes.map((change) => ({ ...base, ...change }))].map(claimDigest);
  expect(new Set(digests).size).toBe(changes.length + 1);
});

test('claimDigest throws on what JSON cannot hold', () => {
  expect(() => claimDigest({ ...base, confidence: Number.NaN })).toThrow();
  expect(() => claimDigest({ ...base, body: '\ud800' })).toThrow();
});
