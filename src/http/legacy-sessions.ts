/**
 * Sessions of 2025-era clients that can put a question to a person.
 *
 * Until the revision 2026-07-28 a question is a request of the server's on the stream of a running call, and its reply is a
 * POST of its own: only `Mcp-Session-Id` leads it back. Whoever declares no `elicitation` is served without a session, which
 * survives a restart. A session opens nothing: each of its requests is authenticated by itself and must come from whoever
 * opened it.
 */
import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServer,
  type McpServerFactory,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

export interface LegacySessionsOptions {
  /** Called once a session. */
  readonly create: McpServerFactory;
  /** Sessions at once, of all callers and of one; the longest unused of the caller, then of all, makes room. */
  readonly limits?: { readonly all: number; readonly each: number };
  /** Milliseconds a session without a request lives. @default 30 minutes */
  readonly idleMs?: number;
  /** Milliseconds. @default Date.now */
  readonly now?: () => number;
}

export interface LegacyRequest {
  /** Its body is bounded; it is left as it was unless answered. */
  readonly request: Request;
  /** Who sent it: a session is its opener's. */
  readonly owner: string;
  readonly authInfo?: AuthInfo | undefined;
}

export interface LegacySessions {
  /** `null`: the request belongs to no session and opens none. */
  answer(incoming: LegacyRequest): Promise<Response | null>;
  /** How many there are. */
  count(): number;
  /** Ends them with their streams. */
  close(): Promise<void>;
}

interface OpenSession {
  readonly owner: string;
  readonly server: McpServer | Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  used: number;
}

const LIMITS = { all: 1_000, each: 50 };
const IDLE_MS = 30 * 60 * 1000;
/** Bytes. An `initialize` is far shorter; a longer body is not parsed twice. */
const MAX_INITIALIZE = 64 * 1024;

const initializeSchema = z.looseObject({
  method: z.literal('initialize'),
  params: z.looseObject({ capabilities: z.looseObject({ elicitation: z.looseObject({}) }) }),
});

export function legacySessions(options: LegacySessionsOptions): LegacySessions {
  const { create, limits = LIMITS, idleMs = IDLE_MS, now = Date.now } = options;
  // In the order of last use: a Map keeps the order of insertion.
  const sessions = new Map<string, OpenSession>();

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close();
  }

  /** Ends what is stale, then the longest unused of whoever has too many, or of all. */
  async function makeRoom(owner: string): Promise<void> {
    for (const [id, { used }] of sessions) if (now() - used > idleMs) await end(id);
    const own = [...sessions].filter(([, session]) => session.owner === owner);
    const full = own.length >= limits.each ? own : sessions.size >= limits.all ? [...sessions] : [];
    if (full[0] !== undefined) await end(full[0][0]);
  }

  async function open({ request, owner, authInfo }: LegacyRequest, message: unknown): Promise<Response> {
    await makeRoom(owner);
    const server = await create({
      era: 'legacy',
      requestInfo: request,
      ...(authInfo === undefined ? {} : { authInfo }),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { owner, server, transport, used: now() }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: message, ...(authInfo === undefined ? {} : { authInfo }) });
  }

  return {
    async answer(incoming) {
      const { request, owner, authInfo } = incoming;
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        const message = await initializeIn(request);
        return message === null ? null : open(incoming, message);
      }
      const session = sessions.get(id);
      // Another's is no other than none.
      if (session === undefined || session.owner !== owner || now() - session.used > idleMs) return noSession();
      session.used = now();
      sessions.delete(id);
      sessions.set(id, session);
      return session.transport.handleRequest(request, authInfo === undefined ? {} : { authInfo });
    },
    count: () => sessions.size,
    async close() {
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

/** The message, when it opens a session. Only an `initialize` comes before its version is agreed and has no header of it. */
async function initializeIn(request: Request): Promise<unknown> {
  if (request.method !== 'POST' || request.headers.has('mcp-protocol-version')) return null;
  if (Number(request.headers.get('content-length') ?? 0) > MAX_INITIALIZE) return null;
  try {
    const message: unknown = await request.clone().json();
    return initializeSchema.safeParse(message).success ? message : null;
  } catch {
    return null;
  }
}

/** Tells a client to open another (2025-11-25, basic/transports, session management). */
function noSession(): Response {
  const error = { code: -32_001, message: 'Session not found: initialize again' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
