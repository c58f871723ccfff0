/**
 * `GET /metrics`: counts and times in the Prometheus text format (version 0.0.4).
 *
 * One registry a server, never the library's global one. Labels come from closed lists (verbs, refusal codes, patterns of
 * routes), so neither a caller nor a record can make a new series, and none says a scope, an agent or a text.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ServiceFigures } from '../trail/service-figures.ts';
import type { OperationObserver } from '../trail/session.ts';
import { atMostEvery } from './at-most-every.ts';

export interface MetricsOptions {
  /** From `trail/service-figures.ts`; asked at most once a second. */
  readonly figures: () => Promise<ServiceFigures>;
  /** The package's. */
  readonly version: string;
}

export interface AnsweredRequest {
  /** A pattern of the routing table. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds. */
  readonly ms: number;
}

export interface Metrics {
  /** For `SessionOptions.observe`. */
  readonly operation: OperationObserver;
  request(answered: AnsweredRequest): void;
  /** Where the record cannot be read, what depends on it is left out. */
  render(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics({ figures, version }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const operations = new Counter({
    name: 'waymark_operations_total',
    help: 'Operations by verb and outcome: ok, or the code of the refusal',
    labelNames: ['verb', 'outcome'],
    registers,
  });
  const operationSeconds = new Histogram({
    name: 'waymark_operation_duration_seconds',
    help: 'Time from the call of an operation to its answer',
    labelNames: ['verb'],
    buckets: SECONDS,
    registers,
  });
  const requests = new Counter({
    name: 'waymark_http_requests_total',
    help: 'HTTP requests by pattern of the route and status',
    labelNames: ['route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'waymark_http_request_duration_seconds',
    help: 'Time from an HTTP request to the head of its answer',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  const rateLimited = new Counter({
    name: 'waymark_rate_limited_total',
    help: 'Requests answered with 429',
    registers,
  });
  const unauthenticated = new Counter({
    name: 'waymark_auth_failures_total',
    help: 'Requests answered with 401',
    registers,
  });
  new Gauge({ name: 'waymark_build_info', help: '1, with the version', labelNames: ['version'], registers }).set(
    { version },
    1,
  );
  const collect = recordGauges(registers);
  processGauges(registers);
  const read = atMostEvery(async () => collect(await figures()), { ms: 1_000 });

  return {
    contentType: registry.contentType,
    operation({ verb, outcome, ms }) {
      operations.inc({ verb, outcome });
      operationSeconds.observe({ verb }, ms / 1000);
    },
    request({ route, status, ms }) {
      requests.inc({ route, status });
      requestSeconds.observe({ route }, ms / 1000);
      if (status === 429) rateLimited.inc();
      if (status === 401) unauthenticated.inc();
    },
    async render() {
      await read().catch(() => collect(null));
      return registry.metrics();
    },
  };
}

/** Sets what the record says of itself; `null` when it cannot be asked. */
function recordGauges(registers: Registry[]): (figures: ServiceFigures | null) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const gauges = {
    readable: gauge('waymark_record_readable', '1 when the record could be asked for the figures of this answer'),
    queueLength: gauge('waymark_queue_length', 'Proposals that wait for a decision, over all scopes'),
    queueAge: gauge('waymark_queue_oldest_seconds', 'How long the longest waiting proposal waits'),
    indexBehind: gauge('waymark_index_behind_commits', 'Commits of the branch that the index has not taken in'),
  };
  const counters = {
    events: counter('waymark_events_written_total', 'Events signed and published by this process'),
    lockWaits: counter('waymark_lock_waits_total', 'Times another process held the lock of the record'),
    lockWaitSeconds: counter('waymark_lock_wait_seconds_total', 'Time waited for the lock of the record'),
    lockRefusals: counter('waymark_lock_refusals_total', 'Waits for the lock that ended without it'),
  };
  return (figures) => {
    gauges.readable.set(figures === null ? 0 : 1);
    const { queueLength, queueAge, indexBehind, writes } = figures ?? {
      queueLength: Number.NaN,
      queueAge: Number.NaN,
      indexBehind: Number.NaN,
      writes: null,
    };
    gauges.queueLength.set(queueLength);
    gauges.queueAge.set(queueAge);
    gauges.indexBehind.set(indexBehind);
    if (writes === null) return;
    setTotal(counters.events, writes.events);
    setTotal(counters.lockWaits, writes.lockWaits);
    setTotal(counters.lockWaitSeconds, writes.lockWaitMs / 1000);
    setTotal(counters.lockRefusals, writes.lockRefusals);
  };
}

/** Counted elsewhere. */
function setTotal(counter: Counter, total: number): void {
  counter.reset();
  counter.inc(total);
}

/**
 * The names that Prometheus clients share, asked when they are scraped. The library's own collection keeps observers and
 * timers for as long as the process lives.
 */
function processGauges(registers: Registry[]): void {
  const started = Date.now() / 1000 - process.uptime();
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      setTotal(this, (user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({ name: 'process_start_time_seconds', help: 'Start, Unix seconds', registers }).set(started);
}
