/**
 * How `waymark serve` meets the network: the key `serve` of the machine's own file.
 *
 * Never of a repository: whoever writes there could otherwise let themselves in, or name the issuer everyone trusts.
 */
import { z } from 'zod';
import { type Grant, parseGrant } from '../record/grants.ts';
import { isLoopback, serviceAddress } from './service-address.ts';

/** Scheme, name and port alone: links and cookies are of the whole site. */
const publicUrl = serviceAddress.refine(
  (text) => URL.canParse(text) && new URL(text).pathname === '/',
  'expected an https address without a path',
);

/** What an agent may be granted; deciding is for people. */
const agentGrant = z.string().transform((text, context): Grant => {
  const grant = parseGrant(text);
  if (grant.ok && !grant.value.rights.includes('decide')) return grant.value;
  context.addIssue({ code: 'custom', message: 'expected SCOPE:RIGHTS with rights out of read and write' });
  return z.NEVER;
});

const oauthSchema = z.strictObject({
  /** The `iss` of its tokens, compared as it stands. */
  issuer: z.string().max(2048).refine(isIssuer, 'expected an https address, or an http one of this machine'),
  /** Where its keys are. */
  jwks_uri: serviceAddress,
  /** The `aud` that tokens for this server carry. @default the address of `/mcp` below `public_url` */
  audience: z.string().min(1).max(2048).optional(),
  /** The claim that is the agent id. */
  agent_claim: z.string().min(1).max(128).default('sub'),
  /** The `typ` of its access tokens: RFC 9068 section 4 wants the first; some issuers still write `JWT`. */
  token_type: z.enum(['at+jwt', 'JWT']).default('at+jwt'),
  /** What each OAuth scope opens; a scope that is not named opens nothing. */
  grants: z.record(z.string().min(1), z.array(agentGrant)),
});
export type OAuthSettings = Readonly<z.output<typeof oauthSchema>>;

const count = (most: number) => z.int().min(1).max(most);

const limitsSchema = z.strictObject({
  /** Of each credential. */
  requests_per_minute: count(1_000_000).default(6_000),
  /** Bodies of each credential, in MiB. */
  mebibytes_per_minute: count(100_000).default(512),
  /** Requests of each credential that run at once. */
  concurrent_requests: count(10_000).default(64),
  /** Of each address: requests that carry no credential, and failures to authenticate. */
  anonymous_per_minute: count(1_000_000).default(600),
  failures_per_minute: count(1_000_000).default(60),
  /** Of the whole server. */
  connections: count(100_000).default(1_024),
});
export type ServeLimits = Readonly<z.output<typeof limitsSchema>>;

/** How people are told that something waits: a program of this machine, as its arguments, or a webhook. */
const notifySchema = z.union([
  z.strictObject({ command: z.array(z.string().min(1).max(4096)).min(1).max(64) }),
  z.strictObject({ webhook: serviceAddress }),
]);
export type NotifySettings = Readonly<z.output<typeof notifySchema>>;

export const serveSchema = z.strictObject({
  /** How callers reach the server through a proxy, as `https://waymark.example`. */
  public_url: publicUrl.optional(),
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  trusted_proxies: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  oauth: oauthSchema.optional(),
  limits: limitsSchema.prefault({}),
  notify: notifySchema.optional(),
});
export type ServeSettings = Readonly<z.output<typeof serveSchema>>;

/** Without the key in the file. */
export const DEFAULT_SERVE_SETTINGS: ServeSettings = serveSchema.parse({});

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (username !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
