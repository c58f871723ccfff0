/** A trace that also asks the services of this machine for what it did not find. */
import type { Hash } from '../../../ledger/types.ts';
import type { Outcome } from '../../../record/outcome.ts';
import type { ForeignSource } from '../source.ts';
import type { Tracer, WalkedPage } from '../tracer.ts';
import type { TraceResult } from '../types.ts';
import type { Extended, RemoteRecords } from './remote-records.ts';

/** One walk over what is here. */
export interface LocalWalk {
  readonly page: Outcome<WalkedPage>;
  /** Of what it did not find, what is here and must not be shown to the caller. */
  readonly withheld: ReadonlySet<Hash>;
}

export interface RemoteTraceOptions<W extends LocalWalk> {
  /** Called again when more was fetched. */
  readonly walk: (fetched?: ForeignSource) => Promise<W>;
  /** @default nobody is asked */
  readonly remote: RemoteRecords | undefined;
  /** Hops of the trace. */
  readonly depth: number;
}

export async function walkEverywhere<W extends LocalWalk>({
  walk,
  remote,
  depth,
}: RemoteTraceOptions<W>): Promise<Extended<W>> {
  if (remote?.isConfigured !== true) return { walked: await walk(), logged: new Map(), warnings: [] };
  return remote.extend({
    walk,
    missingOf: ({ page, withheld }) => missingIn(page).map((hash) => ({ hash, isWithheld: withheld.has(hash) })),
    // Each round reaches one hop further, and the start itself may be what is missing.
    rounds: depth + 1,
  });
}

export function missingIn(page: Outcome<WalkedPage>): readonly Hash[] {
  if (!page.ok) return [];
  return [...page.value.page.dangling].flatMap(([hash, reason]) => (reason === 'missing' ? [hash] : []));
}

/** The page as the tracer renders it, with what the services said. */
export async function renderEverywhere(
  tracer: Tracer,
  { page, extended }: { readonly page: WalkedPage; readonly extended: Extended<unknown> },
): Promise<TraceResult> {
  const result = await tracer.render(page);
  const { logged, warnings, egress } = extended;
  return {
    ...result,
    warnings: [...result.warnings, ...warnings],
    dangling_details: result.dangling_details.map((detail) => {
      const facts = logged.get(detail.record_hash);
      return facts === undefined ? detail : { ...detail, reason: 'logged_elsewhere', logged: facts };
    }),
    ...(egress === undefined ? {} : { egress }),
  };
}
