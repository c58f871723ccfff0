/** `waymark serve` */
import { fileURLToPath } from 'node:url';
import { createMetrics } from '../../http/metrics.ts';
import { readyService } from '../../http/ready.ts';
import { serveHttp } from '../../http/serve.ts';
import type { StatusPage } from '../../http/status-page.ts';
import { createLog } from '../../mcp/log.ts';
import { createServerFactory } from '../../mcp/server-factory.ts';
import { shellWord } from '../../record/shell-word.ts';
import { machineModelOf } from '../../trail/gate/machine.ts';
import { type Egress, gateOverview } from '../../trail/gate/overview.ts';
import { DEFAULT_AGENT_ID } from '../../trail/identity.ts';
import type { OpenRecord } from '../../trail/open.ts';
import { readiness } from '../../trail/readiness.ts';
import { serviceFigures } from '../../trail/service-figures.ts';
import { Session } from '../../trail/session.ts';
import { status } from '../../trail/status.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { gateLine } from '../gate-line.ts';
import { fail, type Invocation, say } from '../invocation.ts';
import { withRecord } from '../with-record.ts';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
}

/** One endpoint is one identity, whoever connects, so it is an agent's and never an operator's. */
export async function serve(invocation: Invocation, options: ServeOptions): Promise<ExitCode> {
  return withRecord(invocation, async (record) => {
    const { agentId = DEFAULT_AGENT_ID, operator, scopeHint, mcpSurface } = record.environment;
    if (operator) say(invocation, 'WAYMARK_OPERATOR=1 is ignored: an endpoint for everyone is never an operator');
    const log = createLog();
    const tell = (egress: Egress) => log.info({ trust_gate_egress: egress }, 'about to ask the model');
    const { env, version } = invocation;
    const metrics = createMetrics({ figures: () => serviceFigures(record), version });
    const caller = { agentId, wantsOperator: false, env, announce: tell, observe: metrics.operation };
    const session = new Session(record, { via: 'http', ...caller });
    const stopped = stopSignal();
    const ready = readyService({ probe: (signal) => readiness(record, signal), log });
    const mcp = createServerFactory({
      operationsFor: (meta) => session.operations(meta),
      ...(scopeHint === undefined ? {} : { scopeHint }),
      version,
      surface: mcpSurface,
      log,
    });
    const healthy = () => record.repository.store.head() !== null;
    const watched = { healthy, ready, metrics, version };
    const service = await serveHttp({ ...options, mcp, status: () => pageOf(record, session), ...watched });
    // A port in use is the machine's state, not a refusal of the record.
    if (!service.ok) return fail(invocation, service, service.code === 'busy' ? { exit: EXIT.environment } : {});
    const { endpoint } = service.value;
    announce(invocation, { record, endpoint, agentId });
    await stopped;
    await service.value.close();
    await session.close();
    return EXIT.ok;
  });
}

/** The built command: a checkout puts no `waymark` on PATH. */
const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

interface Service {
  readonly record: OpenRecord;
  readonly endpoint: string;
  readonly agentId: string;
}

function announce(invocation: Invocation, { record, endpoint, agentId }: Service): void {
  const { root, store, index } = record.repository;
  const { egress } = gateOverview(index.reader(), machineModelOf(record.environment, invocation.env));
  if (invocation.json) {
    const facts = {
      status: 'ok',
      endpoint,
      root,
      branch: store.branch,
      identity: { agent_id: agentId, role: 'agent' },
      trust_gate_egress: egress,
    };
    invocation.out(`${JSON.stringify(facts)}\n`);
  }
  const cursor = JSON.stringify({ mcpServers: { waymark: { url: endpoint } } });
  const lines = columns([
    ['Record', `${root}, branch ${store.branch}`],
    ['Endpoint', endpoint],
    ['Identity', `${agentId}, an agent: everyone who connects here is this one identity (WAYMARK_AGENT_ID)`],
    ['Claude Code', `claude mcp add --transport http waymark ${endpoint}`],
    ['Codex', `codex mcp add waymark --url ${endpoint}`],
    ['Cursor', `in .cursor/mcp.json: ${cursor}`],
    ['Trust gate', gateLine(egress)],
    ['Decide', `a person runs, on a terminal: cd ${shellWord(root)} && node ${shellWord(MAIN)} review`],
  ]);
  invocation.err(
    `Waymark ${invocation.version} is ready; Ctrl-C stops it\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
}

async function pageOf(record: OpenRecord, session: Session): Promise<StatusPage> {
  const { principal } = await session.identity();
  const { root, branch, counts, writers } = await status(record, principal);
  const damaged = writers.filter(({ remembered }) => remembered === 'cut' || remembered === 'forked');
  const isSound = counts.unverified === 0 && counts.problems === 0 && damaged.length === 0;
  return {
    record: root,
    branch,
    counts: { Approved: counts.governed },
    ledger: isSound ? 'no fault seen' : 'faults seen: run "waymark status"',
  };
}

/** A second signal finds no handler and ends the process at once. */
function stopSignal(): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  return new Promise((resolve) => {
    function stop(): void {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    }
    for (const signal of signals) process.on(signal, stop);
  });
}
