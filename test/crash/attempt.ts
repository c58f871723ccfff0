/** Operations to be cut off, and how to see afterwards whether they happened. */
import { value } from '../support/record.ts';
import type { Opened } from './home.ts';

export type Verb = 'save' | 'update' | 'approve';

/** One operation to be cut off, and how to see afterwards whether it happened. */
export interface Attempt {
  readonly agent: string;
  readonly operator: boolean;
  readonly input: object;
  /** `mixture` when the thoughts it touches are neither all old nor all new. */
  look(successor: Opened, thoughts: ReadonlyMap<string, Facts>): Promise<'old' | 'new' | 'mixture'>;
}

type Facts = { readonly validation_status: string; readonly body: string; readonly superseded_by?: string };

export async function prepareAttempt(
  preparer: Opened,
  { verb, label }: { readonly verb: Verb; readonly label: string },
): Promise<Attempt> {
  const trail_name = `kill/${verb}-${label.replaceAll(/[^a-z0-9]/g, '-')}`;
  const alice = preparer.as('alice');
  if (verb === 'save') {
    const content = `Saved at ${label}`;
    return {
      agent: 'alice',
      operator: false,
      input: { trail_name, content },
      async look(successor, thoughts) {
        const found = [...thoughts.values()].filter((thought) => thought.body === content).length;
        const mode = 'authoring';
        const recalled = value(await successor.as('alice').recall({ trail_name, query: content, mode })).count;
        if (found !== recalled || found > 1) return 'mixture';
        return found === 1 ? 'new' : 'old';
      },
    };
  }
  const first = value(await alice.save({ trail_name, content: 'First text' })).thought.thought_id;
  if (verb === 'update') {
    return {
      agent: 'alice',
      operator: false,
      input: { trail_name, thought_id: first, content: 'Second text' },
      async look(successor, thoughts) {
        const got = value(await successor.as('alice').get({ trail_name, thought_id: first, mode: 'authoring' }));
        if (got.thought.content !== thoughts.get(first)?.body) return 'mixture';
        return got.thought.content === 'Second text' ? 'new' : got.thought.content === 'First text' ? 'old' : 'mixture';
      },
    };
  }
  const carol = preparer.as('carol', { operator: true });
  value(await carol.decide({ trail_name, thought_id: first, verdict: 'approve' }));
  const replaced = await alice.supersede({ trail_name, thought_id: first, content: 'Second text', reason: 'Newer' });
  const second = value(replaced).new_thought.thought_id;
  value(await alice.propose({ trail_name, thought_id: second }));
  return {
    agent: 'carol',
    operator: true,
    input: { trail_name, thought_id: second },
    async look(successor, thoughts) {
      const recalled = value(await successor.as('dave').recall({ trail_name, query: 'text' })).thoughts;
      const [old, replacement] = [thoughts.get(first), thoughts.get(second)];
      const sides = new Set([
        recalled.length === 1 && recalled[0]?.thought_id === second,
        old?.superseded_by === second,
        replacement?.validation_status === 'approved',
      ]);
      const isOld = recalled.length === 1 && recalled[0]?.thought_id === first && old?.superseded_by === undefined;
      if (sides.size !== 1 || isOld === sides.has(true)) return 'mixture';
      return sides.has(true) ? 'new' : 'old';
    },
  };
}
