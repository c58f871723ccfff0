/** What a trace for people ends with: what was left out, how to go on, and how much of it is proved. */
import { TRACE_LIMITS } from '../../trail/trace/types.ts';
import type { TraceView } from '../../trail/trace/view.ts';
import { proofLine } from '../../trail/trace/words.ts';
import { terminalLine } from '../terminal-text.ts';

export function closingLines(view: TraceView): readonly string[] {
  const { result } = view;
  return [
    ...result.warnings.map((warning) => terminalLine(spokenOf(warning))),
    ...egressLines(view),
    ...moreLines(view),
    proofLine(view),
  ];
}

/** A tool's warning names its arguments, and the start in atrib's words. */
function spokenOf(warning: string): string {
  return warning
    .replace(/^start_hash (\S+) not in local mirror/, 'No record $1 is here that you may see')
    .replace(/^start_hash/, 'The record')
    .replace(/leave context_id out$/, 'leave out --context');
}

function egressLines({ result: { egress } }: TraceView): readonly string[] {
  if (egress === undefined) return [];
  return [terminalLine(`Asked ${egress.hosts.join(', ')} for this: ${egress.requests} requests`)];
}

function moreLines({ result }: TraceView): readonly string[] {
  const { cursor, depth_requested: depth, start_hash, truncated_by_depth, truncated_by_cap } = result;
  const deepest = result.visited.findLast((visited) => 'next_resolved' in visited && visited.next_resolved.length > 0);
  return [
    ...(result.visited.length === 0 && result.dangling.length > 0
      ? ['Look for a thought with "waymark recall"; ATRIB_RECORDS_DIR names a folder of mirrors']
      : []),
    ...(cursor === undefined ? [] : [`More with --cursor ${cursor}`]),
    ...(truncated_by_cap && cursor === undefined ? ['More with a greater --max-nodes'] : []),
    ...(!truncated_by_depth
      ? []
      : depth < TRACE_LIMITS.depth
        ? [`More lies deeper: --depth ${TRACE_LIMITS.depth}`]
        : [`More lies deeper: waymark trace ${deepest?.record_hash ?? start_hash}`]),
  ];
}
