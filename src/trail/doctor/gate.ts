/** Who judges proposals here. The model is not asked: nothing leaves this machine to find out. */
import type { Facts } from './facts.ts';
import { type Finding, ok, warn } from './finding.ts';

const CHECK = 'trust gate';

export function checkGate({ record }: Facts): readonly Finding[] {
  if (record === null || record.index.state !== 'read') return [];
  // The settings' own check names it.
  if (record.machineSettingsFault !== null) return [];
  const { policy, why, next, isFault, egress, scopes } = record.index.gate;
  const others = scopes.length === 0 ? '' : `; ${scopes.length} scopes differ, see "waymark status"`;
  if (isFault && why !== undefined) return [warn(CHECK, `People decide: ${why}`, next ?? 'waymark status')];
  if (egress.destination === undefined) {
    const because = why === undefined ? '' : `: ${lower(why)}`;
    return [ok(CHECK, `${policy}${because}; nothing is sent${others}`)];
  }
  const { model, destination, credential_source } = egress;
  const key = credential_source === 'none' ? 'without a key' : `key from ${credential_source}`;
  return [ok(CHECK, `${policy} by ${model} at ${destination}, ${key}; it was not asked now${others}`)];
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
