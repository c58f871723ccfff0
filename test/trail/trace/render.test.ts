/** How an answer shows what was walked: atrib's members, hostile text as text, and no more than fits. */
import { describe, expect, test } from 'vitest';
import { ok } from '../../../src/record/outcome.ts';
import type { JsonObject } from '../../../src/record/thought.ts';
import { checkTraceInput } from '../../../src/trail/trace/check-input.ts';
import type { TraceRecord, TraceSource } from '../../../src/trail/trace/source.ts';
import { Tracer } from '../../../src/trail/trace/tracer.ts';
import type { TraceInput, TraceResult } from '../../../src/trail/trace/types.ts';
import { value } from '../../support/record.ts';
import { hashAt, memorySource, recordAt } from './memory-source.ts';

async function traced(source: TraceSource, input: Partial<TraceInput> = {}): Promise<TraceResult> {
  const tracer = new Tracer(Date.now);
  const request = value(checkTraceInput({ record_hash: hashAt(1), ...input }, { takesThoughts: false }));
  return tracer.render(value(tracer.walk({ request, source, caller: 'x', resolve: () => ok(request.start) })));
}

function withSidecar(local: JsonObject, over: Partial<TraceRecord> = {}): TraceSource {
  return memorySource([{ ...recordAt(1), local, ...over }]);
}

async function firstOf(source: TraceSource, input: Partial<TraceInput> = {}) {
  const [visit] = (await traced(source, input)).visited;
  if (visit === undefined) throw new Error('Nothing was visited');
  return visit;
}

describe('a sidecar', () => {
  test("is summarised by atrib's rules, long text cut at 200, six topics", async () => {
    const long = 'x'.repeat(201);
    const exact = 'y'.repeat(200);
    const content = {
      tool_name: 'run',
      what: long,
      intent: long,
      rationale: exact,
      importance: 'high',
      topics: ['a', 1, 'b', 'c', 'd', 'e', 'f', 'g'],
      summary: 'not the first',
    };
    expect(await firstOf(withSidecar({ content, producer: 'p' }))).toMatchObject({
      sidecar_summary: {
        tool_name: 'run',
        what: `${'x'.repeat(197)}…`,
        intent: `${'x'.repeat(197)}...`,
        rationale: exact,
        importance: 'high',
        topics: ['a', 'b', 'c', 'd', 'e', 'f'],
        producer: 'p',
      },
    });
    for (const name of ['new_position', 'summary', 'prompt', 'output']) {
      const shown = await firstOf(withSidecar({ content: { [name]: 'said' } }));
      expect(shown).toMatchObject({ sidecar_summary: { what: 'said' } });
    }
  });

  test('without content gives what a tool call or a span left', async () => {
    const call = await firstOf(withSidecar({ toolName: 't', args: { a: 1 }, result: 2 }), { include_content: true });
    expect(call).toMatchObject({
      sidecar_summary: { tool_name: 't' },
      local_content: { tool_name: 't', args: { a: 1 }, result: 2 },
    });
    const span = await firstOf(withSidecar({ span_name: 's', model_name: 'm' }));
    expect(span).toMatchObject({ sidecar_summary: { span_name: 's', model_name: 'm' } });
    expect(await firstOf(withSidecar({ other: 1 }), { include_content: true })).not.toHaveProperty('local_content');
  });

  test('shows what cannot be seen as escapes, in one line in the summary', async () => {
    const text = 'a\u001b[31m\u202eb\nc\u0000';
    const shown = await firstOf(withSidecar({ content: { what: text, ['k\u001b']: [text] }, producer: text }), {
      include_content: true,
    });
    const line = 'a\\u{1b}[31m\\u{202e}b\\u{a}c\\u{0}';
    expect(shown).toMatchObject({
      sidecar_summary: { what: line, producer: line },
      local_content: { 'k\\u{1b}': ['a\\u{1b}[31m\\u{202e}b\nc\\u{0}'] },
      local_producer: line,
    });
  });

  test('is cut at 64 KiB, which is said, and ends at 64 levels', async () => {
    const big = await firstOf(withSidecar({ content: { what: 'x'.repeat(70_000) } }), { include_content: true });
    expect(big).toMatchObject({ content_truncated: true });
    expect(JSON.stringify(big).length).toBeLessThan(67_000);
    let deep: JsonObject = { end: 'here' };
    for (let level = 0; level < 5_000; level += 1) deep = { deep };
    expect(JSON.stringify(await firstOf(withSidecar({ content: deep }), { include_content: true }))).not.toContain(
      'here',
    );
  });

  test('of an event of Waymark gives neither its nonce nor what digests it holds', async () => {
    const local = {
      ...{ producer: 'waymark/1', verb: 'save', agent_id: 'ann', role: 'agent', nonce: 'N', claim: 'C', reason: 'why' },
      files: [{ path: 'trails/a.md', before: null, after: 'D', thought_id: 'T', status: 'draft' }],
    };
    const shown = await firstOf(withSidecar(local), { include_content: true });
    expect(shown).toMatchObject({
      sidecar_summary: { producer: 'waymark/1', verb: 'save', agent_id: 'ann', reason: 'why' },
      local_content: { verb: 'save', files: [{ path: 'trails/a.md', thought_id: 'T', status: 'draft' }] },
    });
    expect(JSON.stringify(shown)).not.toMatch(/"N"|"C"|"D"/);
  });
});

describe('lists and pages', () => {
  test('lists stop at 100 and say how many there were; what is present beyond the depth is resolved', async () => {
    const causes = Array.from({ length: 250 }, (_, at) => at + 2);
    const source = memorySource([recordAt(1, causes), recordAt(2)]);
    const visit = await firstOf(source, { depth: 0 });
    expect(visit).toMatchObject({
      next_total: 250,
      informed_by_total: 250,
      next_resolved: [hashAt(2)],
      informed_by: { length: 100 },
      next_informed_by: { length: 100 },
      next_dangling: { length: 99 },
    });
    expect((await traced(source)).dangling).toHaveLength(249);
  });

  test('a page ends at about 1 MiB and its cursor goes on', async () => {
    const content = { what: 'x'.repeat(60_000) };
    const records = Array.from({ length: 40 }, (_, at) => ({
      ...recordAt(at + 1, at < 39 ? [at + 2] : [], {}),
      local: { content },
    }));
    // One hop from the start, so that the depth is no limit.
    const [first] = records;
    if (first === undefined) throw new Error('No record');
    const star = { ...first, record: { ...first.record, informed_by: records.slice(1).map(({ hash }) => hash) } };
    const source = memorySource([star, ...records.slice(1)]);
    const page = await traced(source, { include_content: true });
    expect(page.visited.length).toBeLessThan(40);
    expect(JSON.stringify(page).length).toBeLessThan(1.15 * 2 ** 20);
    expect([page.truncated_by_cap, page.cursor === undefined]).toEqual([true, false]);
    const rest = await traced(source, { include_content: true, cursor: page.cursor });
    const shown = [...page.visited, ...rest.visited].map((visit) => visit.record_hash);
    expect(shown.slice(0, 40)).toEqual(records.map(({ hash }) => hash).slice(0, shown.length));
    expect((await traced(source, {})).visited).toHaveLength(40);
  });

  test('a whole record comes as it is stored, before its source', async () => {
    const visit = await firstOf(memorySource([recordAt(1, [], { own_member: { deep: ['\u001b'] } })]), {
      compact: false,
    });
    expect(Object.keys(visit).slice(0, 6)).toEqual([
      'depth',
      'record_hash',
      'parent_hashes',
      'record',
      'source',
      'next_informed_by',
    ]);
    expect(visit).toMatchObject({ record: recordAt(1, [], { own_member: { deep: ['\u001b'] } }).record });
  });

  test('whether the record commits to its sidecar is said, and which sources contradict it', async () => {
    const content = { what: 'x' };
    const args_hash = 'sha256:4cbb1bcb1d6b5e6c9a9a4d4b7f1bb0a9c9b2cbb2a0c5ee7c4a4d6fd0f9b0e1aa';
    const wrong = { ...recordAt(1, [], { args_hash }), local: { content }, conflicts: ['other.jsonl'] };
    expect(await firstOf(memorySource([wrong]))).toMatchObject({
      content_matches: false,
      sidecar_conflicts: ['other.jsonl'],
    });
    expect(await firstOf(memorySource([recordAt(1)]))).not.toHaveProperty('content_matches');
  });
});
