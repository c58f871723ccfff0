/** The thoughts a proposal is compared with, whole. */
import { isVisible } from '../../record/visibility.ts';
import type { TrailContext } from '../context.ts';
import type { Proposal } from '../proposal.ts';

export interface ComparedThought {
  readonly thought_id: string;
  readonly agent_id: string;
  readonly body: string;
  /** 0 to 1; absent: it is only named for what it contradicts. */
  readonly similarity?: number;
  /** In what it says something else. */
  readonly differs: readonly string[];
}

/** Governed thoughts that are alike or contradict it: contradictions first, then the most alike. */
export async function comparedTexts(
  { repository, principal }: Pick<TrailContext, 'repository' | 'principal'>,
  { entry, neighbours }: Proposal,
): Promise<readonly ComparedThought[]> {
  const contradictions = new Map(
    entry.care.flatMap((care) => (care.name === 'contradicts' ? [[care.thought_id, care.differs] as const] : [])),
  );
  const alike = new Map(neighbours.map(({ thought_id, similarity }) => [thought_id, similarity]));
  const ids = [...new Set([...contradictions.keys(), ...alike.keys()])];
  const { value } = await repository.read((index) =>
    ids.flatMap((thought_id): readonly ComparedThought[] => {
      const row = index
        .thoughtById(thought_id)
        .find(({ facts, scope }) => scope === entry.source_trail && isVisible(facts, { principal, view: 'governed' }));
      if (row === undefined) return [];
      const similarity = alike.get(thought_id);
      const { agent_id, body } = row.thought;
      const differs = contradictions.get(thought_id) ?? [];
      return [{ thought_id, agent_id, body, differs, ...(similarity === undefined ? {} : { similarity }) }];
    }),
  );
  return value;
}
