/** What a service tells of its record in numbers, over all scopes: whoever reads them learns no scope, author or text. */
import type { WriterCounts } from '../store/writer.ts';
import type { OpenRecord } from './open.ts';
import { waitingIn } from './waiting.ts';

export interface ServiceFigures {
  /** Proposals that wait for a decision; exact to 1,000 a scope. */
  readonly queueLength: number;
  /** Seconds since the longest waiting was put forward; 0 when none waits. */
  readonly queueAge: number;
  /** Commits of the branch that the index has not taken in. */
  readonly indexBehind: number;
  readonly writes: WriterCounts;
}

export async function serviceFigures({ repository, now }: OpenRecord): Promise<ServiceFigures> {
  const at = now();
  const { value, state } = await repository.read((index) =>
    waitingIn(index, { scopes: index.scopes().map(({ scope }) => scope), now: at }),
  );
  return {
    queueLength: value.count,
    queueAge: value.since === null ? 0 : Math.max(0, at - value.since) / 1000,
    indexBehind: state?.behind ?? 0,
    writes: repository.writes(),
  };
}
