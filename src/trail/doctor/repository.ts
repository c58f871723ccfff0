/** The repository: there, of a layout this version reads, and the one this machine first saw here. */
import { repositoryIdOf } from '../../ledger/index.ts';
import type { Facts, PinFacts, RecordFacts } from './facts.ts';
import { type Finding, fail, ok } from './finding.ts';

export function checkRepository({ located, record }: Facts): readonly Finding[] {
  if (!located.ok) return [fail('repository', located.message, located.next)];
  if (record === null) return [];
  return [checkTop(record), checkId(record), checkPinned(record.pin, record.root)];
}

function checkTop({ root, gitFault, located }: RecordFacts): Finding {
  if (gitFault !== null) return fail('repository', gitFault.message, gitFault.next);
  return ok('repository', `${root}, layout ${located.waymark.layout}`);
}

function checkId({ located }: RecordFacts): Finding {
  const { id, owner } = located.waymark;
  if (repositoryIdOf(owner) === id) return ok('id', `${id}, of its owner key`);
  const cause = `config.yaml names repository "${id}", which is not the id of its owner key`;
  return fail('id', cause, 'Restore config.yaml from history: git log -p -- config.yaml');
}

function checkPinned({ file, verdict }: PinFacts, root: string): Finding {
  if (verdict === 'same') return ok('pin', 'the owner this machine first saw here');
  if (verdict === 'first') return ok('pin', 'not seen on this machine yet; the first use pins its owner');
  if (verdict !== 'changed') return fail('pin', verdict.fault, `Mend or remove the pin file "${file}"`);
  const cause = `The owner of the record at "${root}" is not the one this machine first saw there`;
  return fail(
    'pin',
    cause,
    `Restore config.yaml, or, if you replaced the record on purpose, remove its line from "${file}"`,
  );
}
