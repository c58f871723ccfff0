/** `waymark export site OUT`: what one principal may see, as plain files. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createHttpApp } from '../../http/app.ts';
import { everyoneIs } from '../../http/authenticate.ts';
import { CONTENTS } from '../../http/web/export/addresses.ts';
import { contentsPage } from '../../http/web/export/contents-page.ts';
import { rewritePage } from '../../http/web/export/rewrite.ts';
import { type LostPage, type SitePage, sitePages } from '../../http/web/export/site-pages.ts';
import { createLog } from '../../mcp/log.ts';
import { createServerFactory } from '../../mcp/server-factory.ts';
import { type Grant, parseGrant, renderGrant } from '../../record/grants.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { type Credential, isAgentId } from '../../record/principal.ts';
import { quote } from '../../record/quote.ts';
import { DEFAULT_AGENT_ID } from '../../trail/identity.ts';
import { type OpenRecord, openRecord } from '../../trail/open.ts';
import { Session } from '../../trail/session.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRecord } from '../find-record.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { openOptions } from '../open-options.ts';
import { progress } from '../progress.ts';
import { openSiteFolder, type SiteFolder } from '../site-folder.ts';

export interface ExportSiteOptions {
  /** Agent whose view it is. */
  readonly as?: string;
  /** `SCOPE:read`. */
  readonly grant?: readonly string[];
}

/** Of the app, which is asked in this process and never listens. */
const HOST = '127.0.0.1';
const PORT = 8765;

export async function exportSite(invocation: Invocation, out: string, options: ExportSiteOptions): Promise<ExitCode> {
  const found = findRecord(invocation);
  if (!found.ok) return fail(invocation, found, { exit: EXIT.environment });
  const { environment, located } = found.value;
  const credential = credentialOf(options, environment.agentId ?? DEFAULT_AGENT_ID);
  if (!credential.ok) return fail(invocation, credential);
  const folder = openSiteFolder(resolve(invocation.cwd, out), realpathSync(located.root));
  if (!folder.ok) return fail(invocation, folder);
  try {
    const open = (now: () => number) => openRecord(located, { ...openOptions(invocation, environment), now });
    // Ages and what is due depend on the day it is made, so that day is the head's: the same head, the same copy.
    const at = await momentOfHead(invocation, await open(Date.now));
    if (!at.ok) return fail(invocation, at, { exit: EXIT.environment });
    const opened = await open(() => at.value);
    if (!opened.ok) return fail(invocation, opened, { exit: EXIT.environment });
    try {
      const made = await fill(invocation, { record: opened.value, credential: credential.value, folder: folder.value });
      if (!made.ok) return fail(invocation, made);
      printResult(invocation, { status: 'ok', out: resolve(invocation.cwd, out), ...made.value }, render);
      return made.value.lost.length === 0 ? EXIT.ok : EXIT.refused;
    } finally {
      await opened.value.repository.close();
    }
  } finally {
    folder.value.discard();
  }
}

function credentialOf({ as, grant = [] }: ExportSiteOptions, usual: string): Outcome<Credential> {
  const agentId = as ?? usual;
  if (!isAgentId(agentId)) {
    return refuse('invalid', `${quote(agentId)} is no agent id`, { field: 'as', next: 'Name an agent as events do' });
  }
  const grants: Grant[] = [];
  for (const text of grant) {
    const parsed = parseGrant(text);
    if (!parsed.ok) return parsed;
    grants.push(parsed.value);
  }
  const everything: Grant = { scope: '**', rights: ['read'] };
  const common = { role: 'agent', authenticated_by: 'token', id: 'export-site' } as const;
  return ok({ agent_id: agentId, grants: grants.length === 0 ? [everything] : grants, ...common });
}

/** Unix milliseconds of the newest event, with the index in step. Closes the record. */
async function momentOfHead(invocation: Invocation, opened: Outcome<OpenRecord>): Promise<Outcome<number>> {
  if (!opened.ok) return opened;
  const { repository } = opened.value;
  try {
    await repository.settleIndex(progress(invocation));
    const index = repository.index.reader();
    const times = index.writers().map(({ log }) => index.newestEventOf(log)?.envelope.record.timestamp ?? 0);
    return ok(Math.max(0, ...times));
  } finally {
    await repository.close();
  }
}

interface Filling {
  readonly record: OpenRecord;
  readonly credential: Credential;
  readonly folder: SiteFolder;
}

interface MadeSite {
  readonly head: string | null;
  readonly as: string;
  readonly grants: readonly string[];
  readonly files: number;
  /** Pages that links lead to and that could not be made. */
  readonly lost: readonly LostPage[];
}

async function fill(invocation: Invocation, { record, credential, folder }: Filling): Promise<Outcome<MadeSite>> {
  const head = record.repository.store.head();
  const lost: LostPage[] = [];
  const pages: Pick<SitePage, 'file' | 'fileOf'>[] = [];
  const session = new Session(record, { via: 'http', credential, wantsOperator: false, env: {} });
  const report = progress(invocation);
  try {
    const request = appFor(invocation, record, session);
    for await (const { file, bytes, fileOf } of sitePages({ request, onLost: (page) => lost.push(page) })) {
      folder.write(file, bytes);
      pages.push({ file, fileOf });
      report(`Made ${pages.length} pages`);
    }
  } finally {
    await session.close();
  }
  if (record.repository.store.head() !== head) {
    return refuse('busy', 'The record was changed while its copy was made', { next: 'Run the command again' });
  }
  const held = new Set(pages.map(({ file }) => file));
  const footer = `Static copy of commit <code>${head ?? 'none'}</code>, as <b>${credential.agent_id}</b> may see it`;
  for (const { file, fileOf } of pages) {
    if (fileOf === null) continue;
    const inCopy = (address: string) => {
      const to = fileOf(address);
      return to !== null && held.has(to) ? to : null;
    };
    folder.write(file, rewritePage(folder.read(file).toString('utf8'), { file, fileOf: inCopy, footer }));
  }
  const site = { head, as: credential.agent_id, grants: credential.grants.map(renderGrant), files: pages.length, lost };
  folder.finish(site);
  return ok(site);
}

/** The very pages of the server. */
function appFor(invocation: Invocation, record: OpenRecord, session: Session): (address: string) => Promise<Response> {
  const { version } = invocation;
  const log = createLog();
  const mcp = createServerFactory({
    operationsFor: (meta) => session.operations(meta),
    version,
    surface: 'standard',
    log,
  });
  const endpoint = `http://${HOST}:${PORT}/mcp`;
  const { app } = createHttpApp({
    mcp,
    version,
    authenticate: everyoneIs(session),
    web: { record, log, version, endpoint, now: record.now },
    status: () => Promise.reject(new Error('A static copy has no status page')),
    allowedHosts: [HOST],
    port: PORT,
  });
  app.get(CONTENTS, contentsPage);
  const headers = { host: `${HOST}:${PORT}`, accept: 'text/html' };
  return async (address) => app.request(address, { headers });
}

function render({ out, as, files, lost }: MadeSite & { readonly out: string }): readonly string[] {
  return [
    ...lost.map(({ address, status }) => `Left out ${address}: the server answers ${status}`),
    `Wrote ${files} files to ${out}, as ${as} may see the record: open index.html`,
  ];
}
