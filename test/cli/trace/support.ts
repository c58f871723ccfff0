/** Results of a trace made by hand, as the operation gives them. */

import { hashOf } from '../../../src/ledger/index.ts';
import type { LinkKind } from '../../../src/ledger/links.ts';
import type { DanglingDetail, TraceResult, VisitedRecord } from '../../../src/trail/trace/types.ts';
import { type TraceView, traceView } from '../../../src/trail/trace/view.ts';

export function hash(name: string): string {
  return hashOf(Buffer.from(name));
}

export interface MadeRecord extends Partial<VisitedRecord> {
  readonly name: string;
  /** Names of what it is informed by. */
  readonly causes?: readonly string[];
  readonly parents?: readonly string[];
}

export function visited({ name, causes = [], parents = [], ...members }: MadeRecord): VisitedRecord {
  const named = causes.map(hash);
  return {
    depth: 0,
    record_hash: hash(name),
    parent_hashes: parents.map(hash),
    source: 'ledger/0011223344556677/0000/00/00.jsonl',
    event_type: 'https://atrib.dev/v1/types/observation',
    context_id: 'c'.repeat(32),
    creator_key: `${name}-`.padEnd(43, 'k'),
    timestamp: Date.UTC(2026, 10, 30, 9, 15),
    next_informed_by: named,
    next_resolved: named,
    next_dangling: [],
    ...(named.length === 0 ? {} : { informed_by: named }),
    sidecar_summary: { what: `words of ${name}`, agent_id: 'ann' },
    verification: { status: 'valid' },
    content_matches: true,
    ...members,
  };
}

export function result(
  records: readonly VisitedRecord[],
  { details = [], ...members }: Partial<TraceResult> & { readonly details?: readonly DanglingDetail[] } = {},
): TraceResult {
  return {
    start_hash: records[0]?.record_hash ?? hash('nothing'),
    direction: 'backward',
    depth_requested: 3,
    depth_reached: 2,
    visited: records,
    dangling: details.map((detail) => detail.record_hash),
    truncated_by_depth: false,
    truncated_by_cap: false,
    warnings: [],
    dangling_details: details,
    ...members,
  };
}

/** A new decision that replaced another: both rest on a fact, and on what is lost or was changed. */
export function diamond(): TraceView {
  const thought = (thought_id: string, content_preview: string, superseded = false) => ({
    thought_id,
    scope: 'acme',
    status: 'approved',
    superseded,
    content_preview,
  });
  const records = [
    visited({
      name: 'new',
      causes: ['left', 'right'],
      event_type: 'https://atrib.dev/v1/types/revision',
      sidecar_summary: { verb: 'approve', agent_id: 'carol' },
      thought: thought(
        '01KD2Q8W5N7YJ3V9T4B6RCXEMA',
        '# Retry only idempotent charges, and say so in the answer\n\nMore',
      ),
      revises: hash('old'),
      next_informed_by: ['left', 'right', 'old'].map(hash),
    }),
    visited({ name: 'left', causes: ['fact'], parents: ['new'], depth: 1 }),
    visited({
      name: 'right',
      causes: ['fact', 'lost'],
      parents: ['new'],
      depth: 1,
      source: 'wrapper-codex.jsonl',
      verification: { status: 'bad_signature', reason: 'signature_invalid' },
    }),
    visited({
      name: 'old',
      causes: ['fact'],
      parents: ['new'],
      depth: 1,
      sidecar_summary: { verb: 'approve', agent_id: 'ben' },
      thought: thought('01KD2N4Y6R0CA8X2E5J9HPTBGQ', 'Retry everything', true),
    }),
    visited({ name: 'fact', parents: ['left', 'right', 'old'], depth: 2, causes: ['deeper'] }),
  ];
  const follow: readonly LinkKind[] = ['informed_by', 'revises'];
  return traceView(
    result(records, {
      details: [{ record_hash: hash('lost'), reason: 'missing' }],
      truncated_by_depth: true,
      warnings: ['One line of "wrapper-codex.jsonl" cannot be read'],
    }),
    { follow },
  );
}

const HOSTILE = 'x"]; end --> n9["<b onclick=1>&lt;\n`]} %% \\" -> "evil"; \u202e\u001b[2J #quot; | subgraph \\';

/** What the record's writer controls, in as many places as there are. */
export function hostile(): TraceView {
  const broken = visited({
    name: 'start',
    causes: ['next'],
    sidecar_summary: { what: HOSTILE, agent_id: HOSTILE },
    event_type: HOSTILE,
    creator_key: `${HOSTILE}\ud800`,
    context_id: HOSTILE,
    timestamp: 9e15,
    verification: { status: 'malformed', reason: HOSTILE },
    thought: { thought_id: HOSTILE, scope: HOSTILE, status: HOSTILE, superseded: true, content_preview: HOSTILE },
  });
  const next = visited({ name: 'next', parents: ['start'], sidecar_summary: { what: HOSTILE } });
  return traceView(result([broken, next], { warnings: [HOSTILE] }), { follow: ['informed_by'] });
}
