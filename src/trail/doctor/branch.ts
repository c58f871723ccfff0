/** The branch that is the record, and where HEAD is. */
import type { Facts } from './facts.ts';
import { type Finding, fail, ok } from './finding.ts';

export function checkBranch({ record }: Facts): readonly Finding[] {
  const branch = record?.branch ?? null;
  if (branch === null) return [];
  const { name, head, checkedOut, headCommit, fault } = branch;
  if (fault !== undefined) return [fail('branch', fault, 'git fsck')];
  if (head === null) {
    const cause = `Branch "${name}" has no commit, and the record is what it names`;
    return [fail('branch', cause, `git branch ${name} COMMIT, with the newest commit that "git reflog" shows`)];
  }
  const isThere = record?.isJujutsu === true ? headCommit === head : checkedOut === name;
  if (isThere) return [ok('branch', `${name} at ${head}`)];
  if (record?.isJujutsu === true) {
    const cause = `jj's working copy (@) is not on "${name}", the record: writes are refused`;
    return [fail('branch', cause, `jj new ${name}`)];
  }
  const where = checkedOut === null ? 'on no branch' : `on "${checkedOut}"`;
  return [fail('branch', `HEAD is ${where}, and the record is "${name}": writes are refused`, `git switch ${name}`)];
}
