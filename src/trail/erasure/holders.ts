/** Who still holds an erased text, as far as that can be known here. */
import type { Repository } from '../../store/repository.ts';
import type { EraseResult } from './types.ts';

/** Answers before the text goes: afterwards the commit that removes it is one more. */
export async function holdersOf(repository: Repository, paths: readonly string[]): Promise<EraseResult['held']> {
  const found = await repository.textHolders(paths);
  const { commits, remotes } = found;
  const notes = [
    ...(commits.length === 0 ? [] : ['History of this repository still holds it: "--purge-history" rewrites that']),
    ...(repository.store.kind === 'jujutsu' && commits.length > 0
      ? ['Operations of jj keep those commits; "--purge-history" ends them too']
      : []),
    ...(remotes.length === 0 ? [] : [`Remotes may have it, with all that fetched from them: ${remotes.join(', ')}`]),
    'Clones, backups, exports and evidence archives are not known here: whoever has one still has the text',
  ];
  return { ...found, notes };
}
