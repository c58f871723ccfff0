import type { Environment } from '../config/index.ts';
import type { OpenOptions } from '../trail/open.ts';
import { type Invocation, say } from './invocation.ts';

/** How every command opens a record; warnings go to the person. */
export function openOptions(invocation: Invocation, environment: Environment): OpenOptions {
  const { env, version } = invocation;
  return {
    environment,
    env,
    producer: `waymark/${version}`,
    warn: (message, cause) => say(invocation, `${message}: ${cause instanceof Error ? cause.message : String(cause)}`),
  };
}
