/** The clock against the record: times of thoughts and events are what this machine says. */
import type { Facts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** What clocks of two machines may differ by without anybody noticing. Milliseconds. */
const TOLERANCE_MS = 2 * 60_000;

export function checkClock({ record, now }: Facts): readonly Finding[] {
  if (record === null || record.index.state !== 'read') return [];
  const ahead = record.index.logs
    .map(({ own, agent_id, newest }) => ({ own, agent_id, newest: newest ?? 0 }))
    .filter(({ newest }) => newest > now + TOLERANCE_MS)
    .sort((a, b) => b.newest - a.newest);
  const [first] = ahead;
  if (first === undefined) return [ok('clock', `${new Date(now).toISOString()}, after every event`)];
  const ourOwn = ahead.find(({ own }) => own);
  if (ourOwn !== undefined) {
    const cause = `The clock is before this machine's own newest event, of ${new Date(ourOwn.newest).toISOString()}`;
    return [fail('clock', `${cause}: it was set back, or it was ahead`, 'timedatectl set-ntp true')];
  }
  const cause = `The newest event of "${first.agent_id}" is in the future, ${new Date(first.newest).toISOString()}`;
  return [warn('clock', `${cause}: their clock is ahead, or this one is behind`, 'timedatectl set-ntp true')];
}
