/** Who "waymark serve" lets in here. No issuer, webhook or server is asked: nothing leaves this machine to find out. */
import type { Facts, RecordFacts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const CHECK = 'serving';
const SETTINGS = 'waymark/config.yaml of your configuration folder';

export function checkServing({ record }: Facts): readonly Finding[] {
  // What is wrong with the settings is named by their own check.
  if (record === null || record.machineSettingsFault !== null) return [];
  const { tokens, settings, missingProgram } = record.serving;
  if (!tokens.ok) return [fail(CHECK, tokens.message, tokens.next)];
  if (settings.oauth !== undefined && settings.public_url === undefined) {
    const message = '"serve.oauth" is set and "serve.public_url" is not: "waymark serve" refuses to start';
    return [fail(CHECK, message, `Set "public_url" below "serve" in ${SETTINGS}`)];
  }
  if (missingProgram !== null) {
    const message = `"serve.notify.command" names "${missingProgram}", which is no program here: nobody is told what waits`;
    return [warn(CHECK, message, `Correct it in ${SETTINGS}`)];
  }
  return [ok(CHECK, whoIsLetIn(record.serving))];
}

function whoIsLetIn({ tokens, settings }: RecordFacts['serving']): string {
  const issuer = settings.oauth === undefined ? '' : `, and those of ${settings.oauth.issuer}, which was not asked now`;
  const { made, inForce } = tokens.ok ? tokens.value : { made: 0, inForce: 0 };
  if (made === 0 && issuer === '') return 'this machine alone, as one agent: no token was ever made';
  return `whoever has one of ${inForce} tokens in force${issuer}`;
}
