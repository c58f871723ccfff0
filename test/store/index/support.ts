import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Namespace, Thought } from '../../../src/record/thought.ts';
import { type Index, openIndex, type ThoughtRow } from '../../../src/store/index/index.ts';

export interface RowOptions {
  readonly id?: string;
  readonly scope?: string;
  readonly namespace?: Namespace;
  readonly held?: boolean;
  readonly path?: string;
  readonly thought?: Partial<Thought>;
  readonly metadata?: Partial<Thought['metadata']>;
}

export function tempIndexFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'waymark-index-')), 'index.sqlite');
}

/** An approved, held thought; `number` gives it an id and a second of its own. */
export function row(number: number, body: string, options: RowOptions = {}): ThoughtRow {
  const { scope = 'team', namespace = 'decisions', held = true } = options;
  const id = options.id ?? `01J${String(number).padStart(23, '0')}`;
  return {
    path: options.path ?? `trails/${scope}/thoughts/${namespace}/${id}.md`,
    scope,
    namespace,
    blob: 'b'.repeat(40),
    held,
    thought: {
      schema_version: 1,
      thought_id: id,
      agent_id: 'alice',
      confidence: 0.5,
      source_type: 'observation',
      validation_status: 'approved',
      created_at: new Date(1_700_000_000_000 + number * 1000).toISOString(),
      relationships: [],
      metadata: { tags: [], extra: {}, ...options.metadata },
      ...options.thought,
      body,
    },
  };
}

export function write(index: Index, change: () => void): void {
  if (!index.begin()) throw new Error('The index is busy');
  change();
  index.commit();
}

export function indexOf(rows: readonly ThoughtRow[]): Index {
  const index = openIndex({ file: tempIndexFile() });
  write(index, () => {
    for (const one of rows) index.putThought(one);
  });
  return index;
}
