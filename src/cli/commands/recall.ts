/** `waymark recall [QUERY...]` */
import type { Namespace, Status } from '../../record/thought.ts';
import type { RecallInput, RecallResult } from '../../trail/types.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { lagLine, summaryLines } from '../render-thought.ts';
import { withSession } from '../with-record.ts';

/** As the command line gives them. */
export interface RecallOptions {
  readonly scope?: readonly string[];
  readonly mode?: RecallInput['mode'];
  readonly status?: readonly Status[];
  readonly namespace?: Namespace;
  readonly project?: string;
  readonly branch?: string;
  readonly tag?: readonly string[];
  readonly minConfidence?: number;
  readonly order?: RecallInput['order'];
  readonly limit?: number;
  readonly cursor?: string;
  readonly full?: true;
  readonly includeSuperseded?: true;
  readonly related?: true;
  readonly validAt?: string;
  readonly knownAt?: string;
}

export async function recall(
  invocation: Invocation,
  query: readonly string[],
  options: RecallOptions,
): Promise<ExitCode> {
  return withSession(invocation, async ({ session }) => {
    const found = await session.operations().recall(inputOf(query, options));
    if (!found.ok) return fail(invocation, found);
    printResult(invocation, found.value, render);
    return EXIT.ok;
  });
}

function inputOf(query: readonly string[], options: RecallOptions): RecallInput {
  const { scope = [], project, branch, tag, mode, status, namespace, minConfidence, order, limit, cursor } = options;
  const [first, ...more] = scope;
  // One exact name is checked as such; patterns are only matched.
  const single = first !== undefined && more.length === 0 && !first.includes('*');
  return {
    ...(single ? { trail_name: first } : { trail_names: scope.length === 0 ? ['**'] : scope }),
    query: query.join(' '),
    scope: { project, branch, tags: tag },
    mode,
    statuses: status,
    namespace,
    min_confidence: minConfidence,
    order,
    limit,
    cursor,
    full: options.full,
    include_superseded: options.includeSuperseded,
    include_relationships: options.related,
    valid_at: options.validAt,
    known_at: options.knownAt,
  };
}

function render(result: RecallResult): readonly string[] {
  const { thoughts, related = [], count, total, cursor, notes = [], index } = result;
  const of = typeof total === 'number' ? String(total) : `at least ${total.at_least}`;
  return [
    ...thoughts.flatMap((thought) => [...summaryLines(thought), '']),
    ...(related.length > 0 ? ['Related', ...related.flatMap((thought) => [...summaryLines(thought), ''])] : []),
    total === 0 ? 'Nothing that you can see matches' : `${count} of ${of}`,
    ...notes,
    ...(cursor === undefined ? [] : [`More with --cursor ${cursor}`]),
    ...lagLine(index),
  ];
}
