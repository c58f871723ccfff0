/** The index: disposable, so nothing about it is lost, but an old one answers from an old state. */
import type { Facts } from './facts.ts';
import { type Finding, ok, warn } from './finding.ts';

const REBUILD = 'waymark reindex';

export function checkIndex({ record, machine }: Facts): readonly Finding[] {
  // Without SQLite there is nothing to say of the file.
  if (record === null || machine.sqliteFault !== null) return [];
  const { index } = record;
  if (index.state === 'absent') return [warn('index', 'There is none; the next use builds it', REBUILD)];
  if (index.state === 'unusable') {
    return [warn('index', 'It cannot be read or is of another layout; the next use builds it anew', REBUILD)];
  }
  // Without git the branch cannot be read either, which is named already.
  if (record.branch === null) return [];
  if (index.behind === 0) return [ok('index', `in step, ${index.status.counts.thoughts} thoughts`)];
  const far = index.behind === null ? 'not at the commit of the branch' : `${index.behind} commits behind the branch`;
  return [warn('index', `It is ${far}; the next use brings it in step`, REBUILD)];
}
