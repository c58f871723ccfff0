import type { Environment } from '../../../config/index.ts';
import { atribServices } from '../../machine-settings.ts';
import { RemoteRecords } from './remote-records.ts';

export interface OpenRemoteOptions {
  readonly environment: Environment;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * What this machine may ask others about; its settings are read on first use. Settings that cannot be read name nobody:
 * `waymark status` and `waymark doctor` say what is wrong with them.
 */
export function openRemote({ environment, now }: OpenRemoteOptions): RemoteRecords {
  const services = () => {
    const found = atribServices(environment);
    return found.ok ? found.value : { log: null, archive: null };
  };
  return new RemoteRecords({ services, now });
}
