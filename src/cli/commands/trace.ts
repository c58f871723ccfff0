/** `waymark trace ID` */
import type { LinkKind } from '../../ledger/links.ts';
import type { TracePathResult } from '../../trail/trace/trace-path.ts';
import type { TraceInput, TraceResult } from '../../trail/trace/types.ts';
import { type TraceView, traceView } from '../../trail/trace/view.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { recordName } from '../record-name.ts';
import { lagLine } from '../render-thought.ts';
import { dotLines } from '../trace/dot.ts';
import type { Format } from '../trace/formats.ts';
import { mermaidLines } from '../trace/mermaid.ts';
import { pathLines } from '../trace/path-lines.ts';
import { provDocument } from '../trace/prov.ts';
import { withTracing } from '../trace/tracing.ts';
import { treeLines } from '../trace/tree.ts';

/** As the command line gives them. */
export interface TraceOptions {
  readonly depth?: number;
  readonly maxNodes?: number;
  readonly forward?: true;
  readonly both?: true;
  readonly follow?: readonly LinkKind[];
  readonly context?: string;
  readonly content?: true;
  readonly verify: boolean;
  readonly cursor?: string;
  readonly pathTo?: string;
  readonly format?: Format;
}

/** A record that is shown and not verified is an answer too: it is marked, counted, and the exit code is 0. */
export async function trace(invocation: Invocation, id: string, options: TraceOptions): Promise<ExitCode> {
  const { pathTo, format = invocation.json ? 'json' : 'tree' } = options;
  const told = { ...invocation, json: format === 'json' };
  return withTracing(told, async (tracing) => {
    const input = inputOf(id, options);
    const traced =
      pathTo === undefined
        ? await tracing.trace(input)
        : await tracing.tracePath({ ...input, path_to: recordName(pathTo) });
    if (!traced.ok) return fail(told, traced);
    print(told, { result: traced.value, follow: input.follow ?? ['informed_by'], format });
    return traced.value.visited.length === 0 ? EXIT.refused : EXIT.ok;
  });
}

function inputOf(id: string, options: TraceOptions): TraceInput {
  return {
    record_hash: recordName(id),
    depth: options.depth,
    max_nodes: options.maxNodes,
    direction: options.forward ? 'forward' : options.both ? 'both' : undefined,
    follow: options.follow,
    context_id: options.context,
    include_content: options.content,
    verify: options.verify,
    cursor: options.cursor,
  };
}

interface Printed {
  readonly result: TraceResult | TracePathResult;
  readonly follow: readonly LinkKind[];
  readonly format: Format;
}

function print(invocation: Invocation, { result, follow, format }: Printed): void {
  if (format === 'json') {
    printResult(invocation, result, () => []);
    return;
  }
  const view = traceView(result, { follow });
  if (format === 'prov') {
    invocation.out(`${JSON.stringify(provDocument(view))}\n`);
    return;
  }
  const render = { tree: () => treeOf(view, result), mermaid: mermaidLines, dot: dotLines }[format];
  printResult(invocation, view, render);
}

function treeOf(view: TraceView, result: TraceResult | TracePathResult): readonly string[] {
  const lines = 'path' in result ? pathLines(view, result) : treeLines(view);
  return [...lines, ...lagLine(result.index)];
}
