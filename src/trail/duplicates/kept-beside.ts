/** Whether a person decided that two alike thoughts both stand. */
import type { Index } from '../../store/index/index.ts';

/** By a `keep_both` event that counts and names both. */
export function isKeptBeside(index: Index, [one, other]: readonly [string, string]): boolean {
  return index
    .eventsOfThought(one)
    .some(
      ({ valid, envelope: { _local: said } }) =>
        valid && said?.verb === 'keep_both' && namesBoth(said.beside, said.thought_id, other, one),
    );
}

function namesBoth(beside: string | undefined, id: string | undefined, other: string, one: string): boolean {
  return (id === one && beside === other) || (id === other && beside === one);
}
