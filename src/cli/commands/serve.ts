/** `waymark serve` */
import { fileURLToPath } from 'node:url';
import type { ServeSettings } from '../../config/index.ts';
import { type Access, openAccess } from '../../http/access.ts';
import { sessionOf } from '../../http/mcp-caller.ts';
import { createMetrics } from '../../http/metrics.ts';
import { QueueWatch } from '../../http/notify/queue-watch.ts';
import { tellBy } from '../../http/notify/tell.ts';
import { readyService } from '../../http/ready.ts';
import { isLoopbackHost, serveHttp } from '../../http/serve.ts';
import type { StatusPage } from '../../http/status-page.ts';
import { BrowserSessions } from '../../http/web/browser-sessions.ts';
import { openSignIn } from '../../http/web/sign-in.ts';
import { createLog } from '../../mcp/log.ts';
import { createServerFactory } from '../../mcp/server-factory.ts';
import { shellWord } from '../../record/shell-word.ts';
import { announceAddress, withdrawAddress } from '../../trail/desk/server-address.ts';
import { machineModelOf } from '../../trail/gate/machine.ts';
import { type Egress, gateOverview } from '../../trail/gate/overview.ts';
import { DEFAULT_AGENT_ID } from '../../trail/identity.ts';
import { serveSettings } from '../../trail/machine-settings.ts';
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
  readonly allowHost?: readonly string[];
}

/**
 * Everyone who connects is who their credential says. While none was ever made that is one agent, the process's own, for
 * this machine alone; nobody is an operator by the process.
 */
export async function serve(invocation: Invocation, options: ServeOptions): Promise<ExitCode> {
  return withRecord(invocation, async (record) => {
    const { agentId = DEFAULT_AGENT_ID, operator, scopeHint, mcpSurface } = record.environment;
    if (operator) say(invocation, 'WAYMARK_OPERATOR=1 is ignored: an endpoint for everyone is never an operator');
    const settings = serveSettings(record.environment);
    if (!settings.ok) return fail(invocation, settings, { exit: EXIT.environment });
    const { host, port, allowHost: allowedNames = [] } = options;
    const log = createLog();
    const tell = (egress: Egress) => log.info({ trust_gate_egress: egress }, 'about to ask the model');
    const { env, version } = invocation;
    const metrics = createMetrics({ figures: () => serviceFigures(record), version });
    const common = { via: 'http', wantsOperator: false, env, announce: tell, observe: metrics.operation };
    const session = new Session(record, { ...common, agentId });
    const browsers = new BrowserSessions(record.now);
    const access = openAccess({
      record,
      browsers,
      settings: settings.value,
      anyone: isLoopbackHost(host) ? session : null,
      open: (credential) => new Session(record, { ...common, credential }),
      log,
    });
    if (!access.ok) return fail(invocation, access, { exit: EXIT.environment });
    const stopped = stopSignal();
    const mcp = createServerFactory({
      operationsFor: (meta, auth) => sessionOf(auth).operations(meta),
      ...(scopeHint === undefined ? {} : { scopeHint }),
      version,
      surface: mcpSurface,
      log,
    });
    const { public_url: publicUrl, trusted_proxies: trustedProxies, limits, notify } = settings.value;
    const { tokens } = access.value;
    const signIn = openSignIn({ record, settings: settings.value, browsers, tokens });
    const service = await serveHttp({
      ...{ host, port, allowedNames, publicUrl, trustedProxies, mcp, version },
      ...access.value.http,
      needsCredential: access.value.needsCredential(),
      maxConnections: limits.connections,
      web: { record, log, version, now: record.now, signIn },
      status: () => pageOf(record, session),
      healthy: () => record.repository.store.head() !== null,
      ready: readyService({ probe: (signal) => readiness(record, signal), log }),
      metrics,
    });
    // A port in use is the machine's state, not a refusal of the record.
    if (!service.ok) return fail(invocation, service, service.code === 'busy' ? { exit: EXIT.environment } : {});
    const { endpoint } = service.value;
    const { origin } = new URL(endpoint);
    announceAddress(record, origin);
    const watch =
      notify === undefined
        ? null
        : new QueueWatch({ record, tell: tellBy(notify, { env }), url: `${origin}/desk`, log });
    watch?.start();
    announce(invocation, { record, endpoint, agentId, access: access.value, settings: settings.value });
    await stopped;
    withdrawAddress(record);
    await watch?.stop();
    await service.value.close();
    await access.value.close();
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
  readonly access: Access;
  readonly settings: ServeSettings;
}

function announce(invocation: Invocation, service: Service): void {
  const { record, endpoint, agentId, access, settings } = service;
  const { root, store, index } = record.repository;
  const { egress } = gateOverview(index.reader(), machineModelOf(record.environment, invocation.env));
  const needsCredential = access.needsCredential();
  if (invocation.json) {
    const facts = {
      status: 'ok',
      endpoint,
      root,
      branch: store.branch,
      identity: needsCredential ? null : { agent_id: agentId, role: 'agent' },
      oauth_issuer: settings.oauth?.issuer ?? null,
      public_url: settings.public_url ?? null,
      trust_gate_egress: egress,
    };
    invocation.out(`${JSON.stringify(facts)}\n`);
  }
  const cursor = JSON.stringify({ mcpServers: { waymark: { url: endpoint } } });
  const header = needsCredential ? ' --header "Authorization: Bearer TOKEN"' : '';
  const lines = columns([
    ['Record', `${root}, branch ${store.branch}`],
    ['Endpoint', endpoint],
    ['Identity', identityLine({ agentId, needsCredential, settings })],
    ...(settings.trusted_proxies.length === 0 ? [] : [['Proxies', settings.trusted_proxies.join(', ')]]),
    ['Claude Code', `claude mcp add --transport http waymark ${endpoint}${header}`],
    ['Codex', `codex mcp add waymark --url ${endpoint}`],
    ['Cursor', `in .cursor/mcp.json: ${cursor}`],
    ['Trust gate', gateLine(egress)],
    [
      'Desk',
      `${new URL(endpoint).origin}/desk, opened by: cd ${shellWord(root)} && node ${shellWord(MAIN)} desk login`,
    ],
    ['Decide', `a person runs, on a terminal: cd ${shellWord(root)} && node ${shellWord(MAIN)} review`],
  ]);
  invocation.err(
    `Waymark ${invocation.version} is ready; Ctrl-C stops it\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
}

function identityLine(facts: Pick<Service, 'agentId' | 'settings'> & { readonly needsCredential: boolean }): string {
  const { agentId, needsCredential, settings } = facts;
  if (!needsCredential) {
    return `${agentId}, an agent: everyone who connects here is this one identity (WAYMARK_AGENT_ID) until a token is made`;
  }
  const { oauth } = settings;
  const issuer = oauth === undefined ? '' : `, or of ${oauth.issuer} for ${Object.keys(oauth.grants).join(', ')}`;
  return `who the token of each request says ("waymark token list")${issuer}; nobody without one`;
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
