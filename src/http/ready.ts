/** `GET /readyz`: whether to send requests here, and if not, one reason. */
import { faultFacts, type Logger } from '../mcp/log.ts';
import { beforeTimeout } from '../mcp/running-calls.ts';
import type { Readiness } from '../trail/readiness.ts';
import { atMostEvery } from './at-most-every.ts';

export interface ReadinessOptions {
  /** From `trail/readiness.ts`. */
  readonly probe: (signal: AbortSignal) => Promise<Readiness>;
  readonly log: Logger;
  /** Milliseconds a probe may take. @default 2_000 */
  readonly deadlineMs?: number;
  /** Milliseconds an answer is good for, so that asking often costs nothing. @default 1_000 */
  readonly keptMs?: number;
}

/** Besides those of a check: ours to say whatever the record's state is. */
export const SERVICE_REASONS = ['stopping', 'probe_timeout', 'readiness_probe_failed'] as const;

export interface ReadyAnswer {
  readonly status: 'ready' | 'not_ready';
  readonly reason?: string;
  readonly checks?: Readiness['checks'];
}

export interface ReadyService {
  answer(): Promise<ReadyAnswer>;
}

export function readyService(options: ReadinessOptions): ReadyService {
  const { probe, log, deadlineMs = 2_000, keptMs = 1_000 } = options;
  // A probe that hangs goes on behind the time-outs of whoever asks: there is never a second one.
  const ask = atMostEvery(
    async (): Promise<ReadyAnswer> => {
      const late = AbortSignal.timeout(deadlineMs);
      try {
        const { checks, reason } = await probe(late);
        return reason === undefined ? { status: 'ready', checks } : { status: 'not_ready', reason, checks };
      } catch (fault) {
        if (late.aborted) return notReady('probe_timeout');
        log.error({ route: '/readyz', ...faultFacts(fault) });
        return notReady('readiness_probe_failed');
      }
    },
    { ms: keptMs },
  );
  return {
    async answer() {
      let answer = notReady('probe_timeout');
      await beforeTimeout(
        ask().then((found) => {
          answer = found;
        }),
        deadlineMs,
      );
      return answer;
    },
  };
}

export function notReady(reason: (typeof SERVICE_REASONS)[number]): ReadyAnswer {
  return { status: 'not_ready', reason };
}
