import type { Environment } from '../../../config/index.ts';
import { atribServices } from '../../machine-settings.ts';
import { RemoteRecords } from './remote-records.ts';

export interface OpenRemoteOptions {
  readonly environment: Environment;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * What this machine may ask others about, `null` when a person configured nothing. Settings that cannot be read name
 * nobody; `waymark status` and `waymark doctor` say what is wrong with them.
 */
export function openRemote({ environment, now }: OpenRemoteOptions): RemoteRecords | null {
  const services = atribServices(environment);
  if (!services.ok || (services.value.log === null && services.value.archive === null)) return null;
  return new RemoteRecords({ services: services.value, now });
}
