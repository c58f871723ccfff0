/** The keys of this account, and who may decide. */
import { shellWord } from '../../record/shell-word.ts';
import type { Facts, IndexFacts, KeyFacts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export function checkKeys({ record }: Facts): readonly Finding[] {
  if (record === null) return [];
  const { keys, index } = record;
  return [...checkFiles(keys), ...checkProtection(keys), ...checkRecovery(keys, index), ...checkRoles(keys, index)];
}

function checkFiles({ folder, fault, sharedBits, own, problems }: KeyFacts): readonly Finding[] {
  if (fault !== null) return [fail('keys', `The key folder cannot be read: ${fault}`, `ls -ld ${shellWord(folder)}`)];
  // Then every key file is a problem too, and for this reason.
  if (sharedBits !== 0) {
    const cause = `Other accounts can reach the key folder "${folder}", expected mode 0700`;
    return [fail('keys', cause, `chmod 0700 ${shellWord(folder)}`)];
  }
  const kinds = own.map(({ kind, agent_id }) => (agent_id === undefined ? kind : `${kind} ${agent_id}`));
  const found = kinds.length === 0 ? 'none of this record here; the first write makes one' : kinds.sort().join(', ');
  return [ok('keys', found), ...problems.map((problem) => fail('keys', problem, mendOf(problem)))];
}

/** The message of a key file ends with what to do where a command does it. */
function mendOf(problem: string): string {
  const [, path, mode] = /^"(.*)" has mode .*chmod (\d+) on it$/.exec(problem) ?? [];
  return path === undefined || mode === undefined ? 'waymark key list' : `chmod ${mode} ${shellWord(path)}`;
}

function checkProtection({ own }: KeyFacts): readonly Finding[] {
  const open = own.filter(({ kind, protection }) => isPersons(kind) && protection === 'none').map(({ kind }) => kind);
  if (open.length === 0) return [];
  const cause = `No passphrase on the ${[...new Set(open)].sort().join(' and ')} key: any program of this account can use it`;
  return [warn('protection', cause, 'waymark key protect')];
}

/** Those of agents and of the reviewing model sign without anybody there to be asked. */
function isPersons(kind: KeyFacts['own'][number]['kind']): boolean {
  return kind === 'owner' || kind === 'operator';
}

/** Whoever can read both keys needs only one of them. */
function checkRecovery({ recoveryBeside }: KeyFacts, index: IndexFacts): readonly Finding[] {
  if (index.state !== 'read') return [];
  if (!index.hasRecoveryKey) {
    const cause = 'There is no recovery key: a lost owner key is lost, and a stolen one stays stolen';
    return [warn('recovery', cause, 'Where the owner key lies: waymark key recovery FILE')];
  }
  if (recoveryBeside === null) return [ok('recovery', 'the recovery key is not beside the owner key')];
  const cause = `The recovery key still lies beside the owner key, in "${recoveryBeside}": who steals one has both`;
  return [warn('recovery', cause, `mv ${shellWord(recoveryBeside)} FOLDER, off this machine`)];
}

/** Keys that sign decisions once somebody enrolled them. */
const DECIDING: readonly KeyFacts['own'][number]['kind'][] = ['operator', 'reviewer', 'service'];

function checkRoles({ own }: KeyFacts, index: IndexFacts): readonly Finding[] {
  if (index.state !== 'read') return [];
  const { operators, enrolled } = index;
  const decided =
    operators.length > 0
      ? ok('operator', [...new Set(operators)].sort().join(', '))
      : warn('operator', 'Nobody may decide yet: the first person to review becomes operator', 'waymark review');
  const waiting = own.filter(({ kind, publicKey }) => DECIDING.includes(kind) && !enrolled.has(publicKey));
  return [
    decided,
    ...waiting.map(({ kind, agent_id = '', publicKey }) =>
      warn(
        'enrolment',
        `The ${kind} key of "${agent_id}" on this machine is not enrolled: it decides nothing`,
        `An operator runs: waymark key enrol ${publicKey} --agent ${agent_id} --role ${kind}`,
      ),
    ),
  ];
}
