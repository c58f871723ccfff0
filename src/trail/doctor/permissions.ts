/** Whether this account can write where it must, and others cannot look where they must not. */
import { shellWord } from '../../record/shell-word.ts';
import type { Facts, PlaceFacts } from './facts.ts';
import { type Finding, fail, ok } from './finding.ts';

/** A folder that is wrong makes those below it wrong too; the first few say enough. */
const LISTED = 5;

export function checkPermissions({ record }: Facts): readonly Finding[] {
  if (record === null) return [];
  const found = record.places.flatMap((place) => faultOf(place) ?? []);
  if (found.length === 0) return [ok('permissions', '.waymark is private; objects and working files can be written')];
  return found.slice(0, LISTED);
}

function faultOf({ path, state, isPrivate, sharedBits }: PlaceFacts): Finding | null {
  const word = shellWord(path);
  if (state === 'not_a_folder') return fail('permissions', `"${path}" is not a folder`, `mv ${word} ${word}.aside`);
  if (state === 'not_writable')
    return fail('permissions', `This account cannot write in "${path}"`, `chmod u+rwx ${word}`);
  if (isPrivate && state === 'ok' && sharedBits !== 0) {
    return fail('permissions', `Other accounts can reach "${path}", expected mode 0700`, `chmod 0700 ${word}`);
  }
  // What is missing is made when it is needed.
  return null;
}
