/** A small real implementation of the operations: thoughts in a Map, every caller an operator of one scope each. */
import { createHash } from 'node:crypto';
import { type Outcome, ok, type Refusal, refuse } from '../../src/record/outcome.ts';
import type { DoorDenial, Operations } from '../../src/trail/operations.ts';
import type { SaveInput, SupersedeInput, ThoughtSummary } from '../../src/trail/types.ts';

export interface MemoryOperations extends Operations {
  readonly denials: DoorDenial[];
  /** Input of every operation that ran, newest last. */
  readonly inputs: object[];
  /** Awaited before each save answers. */
  gate: Promise<void>;
  /** Thrown by the next operation. */
  fault: Error | undefined;
}

export function createMemoryOperations(): MemoryOperations {
  const thoughts = new Map<string, ThoughtSummary & { readonly content: string }>();
  const denials: DoorDenial[] = [];
  const inputs: object[] = [];

  function begin(input: object): void {
    inputs.push(input);
    const { fault } = memory;
    memory.fault = undefined;
    if (fault !== undefined) throw fault;
  }

  function find<T>(id: string, then: (thought: ThoughtSummary & { readonly content: string }) => T): Outcome<T> {
    const found = thoughts.get(id);
    if (found !== undefined) return ok(then(found));
    return refuse('not_found', `Thought "${id}" is not visible`, { field: 'thought_id', next: 'Call recall' });
  }

  function add(input: Pick<SaveInput, 'trail_name' | 'content' | 'source_type' | 'metadata'>, over: object) {
    const id = String(thoughts.size + 1).padStart(26, '0');
    const tags = input.metadata?.tags;
    const thought = {
      thought_id: id,
      source_type: input.source_type ?? ('observation' as const),
      validation_status: 'draft' as const,
      confidence: 0.5,
      agent_id: 'tester',
      created_at: '2026-01-02T03:04:05.000000+00:00',
      content_preview: input.content.slice(0, 200),
      source_trail: input.trail_name,
      content: input.content,
      claim: createHash('sha256').update(input.content).digest('hex'),
      ...(tags === undefined ? {} : { metadata: { tags } }),
      ...over,
    };
    thoughts.set(id, thought);
    return thought;
  }

  function replace(input: SupersedeInput, trail: string) {
    begin(input);
    return find(input.thought_id, (old) => ({
      status: 'ok' as const,
      new_thought: add({ ...input, trail_name: trail }, { supersedes_id: old.thought_id }),
      supersedes_thought_id: old.thought_id,
      reason: input.reason,
      message: 'Replacement drafted',
      target_trail: trail,
    }));
  }

  const memory: MemoryOperations = {
    denials,
    inputs,
    gate: Promise.resolve(),
    fault: undefined,
    async save(input) {
      begin(input);
      await memory.gate;
      return ok({ status: 'ok', thought: add(input, {}), message: 'Saved as a draft' });
    },
    async update(input) {
      begin(input);
      return find(input.thought_id, (old) => {
        const thought = { ...old, content: input.content, content_preview: input.content.slice(0, 200) };
        thoughts.set(input.thought_id, thought);
        return { status: 'ok', thought, message: 'Updated' };
      });
    },
    async get(input) {
      begin(input);
      return find(input.thought_id, (thought) => ({ status: 'ok', thought }));
    },
    async ask() {
      return ok(null);
    },
    async readThought(input) {
      begin(input);
      return find(input.thought_id, ({ thought_id, source_trail: scope = '', content: text }) => {
        return { thought_id, scope, text };
      });
    },
    async mayDecide() {
      return ok({ decides: false });
    },
    async readQueue() {
      return refuse('not_found', 'Nothing waits for you', { next: 'Call recall' });
    },
    async readProposal() {
      return refuse('not_found', 'Nothing waits for you', { next: 'Call recall' });
    },
    async propose(input) {
      begin(input);
      return find(input.thought_id, (old) => {
        const validation_status = input.approval === 'human' ? ('approved' as const) : ('proposed' as const);
        const thought = { ...old, validation_status };
        thoughts.set(input.thought_id, thought);
        return { status: validation_status === 'approved' ? 'ok' : 'proposed', thought, message: 'Noted' };
      });
    },
    supersede: async (input) => replace(input, input.trail_name),
    changeScope: async (input) => replace(input, input.target_trail_name),
    async recall(input) {
      begin(input);
      const words = (input.query ?? '').toLowerCase().split(/\s+/);
      const found = [...thoughts.values()].filter(
        (thought) =>
          thought.validation_status === 'approved' &&
          words.every((word) => thought.content.toLowerCase().includes(word)),
      );
      return ok({
        status: 'ok',
        count: found.length,
        total: found.length < 1000 ? found.length : { at_least: 1000 },
        thoughts: found.slice(0, input.limit ?? 20),
        index: { indexed: null, head: null, behind: 0 },
        filters: { query: input.query ?? '' },
      });
    },
    async listScopes(input) {
      begin(input);
      const paths = [...new Set([...thoughts.values()].map((thought) => thought.source_trail ?? ''))].sort();
      return ok({ status: 'ok', count: paths.length, scopes: paths.map((path) => ({ path })) });
    },
    async forget(input) {
      begin(input);
      return find(input.thought_id, (old) => {
        const thought = { ...old, validation_status: 'tombstoned' as const };
        thoughts.set(old.thought_id, thought);
        return { status: 'ok', thought, message: 'Withdrawn' };
      });
    },
    async rollback(input) {
      begin(input);
      return ok({ status: 'ok', message: 'Nothing to change', changes: [], dry_run: input.dry_run === true });
    },
    async diff(input) {
      begin(input);
      return ok({ status: 'ok', summary: '0 files changed', files_changed: [] });
    },
    async recallSession(input) {
      begin(input);
      const session = { status: [], decisions: [], gotchas: [], preferences: [] };
      return ok({ status: 'ok', session, own_drafts: 0, proposals: 0 });
    },
    async start(input) {
      begin(input);
      const { description } = input;
      return ok({ status: 'ok', change_id: '0'.repeat(32), description, message: 'Started' });
    },
    async learnPreference(input) {
      begin(input);
      return ok({ status: 'ok', thought: add(input, {}), message: 'Saved as a draft' });
    },
    async sync(input) {
      begin(input);
      return ok({ status: 'not_configured', message: 'Local' });
    },
    async conflicts(input) {
      begin(input);
      return ok({ status: 'ok', has_conflicts: false, message: 'None' });
    },
    async trace(input) {
      begin(input);
      return ok({
        start_hash: input.record_hash,
        direction: input.direction ?? 'backward',
        depth_requested: input.depth ?? 3,
        depth_reached: 0,
        visited: [],
        dangling: [input.record_hash],
        truncated_by_depth: false,
        truncated_by_cap: false,
        warnings: [],
        dangling_details: [{ record_hash: input.record_hash, reason: 'missing' }],
      });
    },
    async summarize(input) {
      begin(input);
      return ok({
        narrative: 'There is nothing to tell.',
        narrative_by: 'waymark',
        cited_record_hashes: [],
        steps: [],
        decisions: [],
        turning_points: [],
        open_ends: [],
        records_summarized: 0,
        records_skipped: input.record_hashes?.length ?? 0,
        records_with_sidecar: 0,
        records_without_sidecar: 0,
        model_used: null,
        warnings: [],
      });
    },
    async deny(denial): Promise<Refusal> {
      denials.push(denial);
      const { message, next, rule, field } = denial;
      return refuse('authority', message, { next, rule, ...(field === undefined ? {} : { field }) });
    },
  };
  return memory;
}
