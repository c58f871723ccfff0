/** The logs of events: whether they are the ones this machine has seen, and whether its own can go on. */
import type { Facts, LogFacts } from './facts.ts';
import { type Finding, fail, ok } from './finding.ts';

const RESTORE =
  'waymark verify, then bring the missing commits here: "git pull" from a clone that has them, or "git reflog"';

export function checkLog({ record }: Facts): readonly Finding[] {
  if (record === null || record.index.state !== 'read') return [];
  const { logs } = record.index;
  const faults = logs.flatMap(faultOf);
  if (faults.length > 0) return faults;
  const own = logs.filter((log) => log.own);
  const events = own.reduce((sum, { size }) => sum + size, 0);
  return [
    ok('log', `${logs.length} logs as remembered; of this machine ${own.length} with ${events} events, all can go on`),
  ];
}

function faultOf({ log, agent_id, size, own, hasGap, remembered }: LogFacts): readonly Finding[] {
  const whose = `Log "${log}" of "${agent_id}"`;
  if (remembered === 'cut') return [fail('log', `${whose} is shorter than this machine remembers`, RESTORE)];
  if (remembered === 'forked') return [fail('log', `${whose} is another than this machine remembers`, RESTORE)];
  if (!hasGap) return [];
  const cause = `${whose} lacks event ${size}, or it is not of its key${own ? ': its next write is refused' : ''}`;
  return [fail('log', cause, 'waymark verify, then restore the event file from history or remove the forged one')];
}
