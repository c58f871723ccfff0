/** Which record a command means. Reads settings only: opens nothing, takes no lock. */
import { type Environment, readEnvironment } from '../config/index.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { type Located, locateRecord } from '../trail/locate.ts';
import type { Invocation } from './invocation.ts';

export interface FoundRecord {
  readonly environment: Environment;
  readonly located: Located;
}

/** A refusal is one of the environment, whatever its code. */
export function findRecord({ env, cwd }: Invocation): Outcome<FoundRecord> {
  const environment = readEnvironment(env);
  if (!environment.ok) return environment;
  const located = locateRecord(environment.value, cwd);
  return located.ok ? ok({ environment: environment.value, located: located.value }) : located;
}
