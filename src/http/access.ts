/** Everything that decides who is let in, put together from the settings of the machine. */
import type { ServeSettings } from '../config/index.ts';
import { faultFacts, type Logger } from '../mcp/log.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Credential } from '../record/principal.ts';
import type { OpenRecord } from '../trail/open.ts';
import type { Session } from '../trail/session.ts';
import { Tokens } from '../trail/tokens/tokens.ts';
import type { HttpAppOptions } from './app.ts';
import { authenticate, spendBody } from './authenticate.ts';
import type { BrowserLookup } from './caller.ts';
import { Limits } from './limits.ts';
import type { ResourceMetadata } from './oauth/metadata.ts';
import { oauthVerifier } from './oauth/verifier.ts';
import { isHttps, proxyTrust } from './peer.ts';
import { Sessions } from './sessions.ts';

export interface AccessOptions {
  readonly record: OpenRecord;
  readonly settings: ServeSettings;
  /** Who everyone is while no credential was ever made; `null` where others than this machine reach the server. */
  readonly anyone: Session | null;
  /** Opens the session of a caller. */
  readonly open: (credential: Credential) => Session;
  /** @default no browser can sign in */
  readonly browsers?: BrowserLookup;
  readonly log: Logger;
}

export interface Access {
  readonly http: Required<Pick<HttpAppOptions, 'authenticate' | 'spendBody' | 'metadata'>>;
  readonly tokens: Tokens;
  /** Whether there is anything to let callers in by, or was. */
  hasCredentials(): boolean;
  /** Whether nobody is let in without one now. */
  needsCredential(): boolean;
  /** Writes what the callers' sessions still have. */
  close(): Promise<void>;
}

/** Code `repository`, field `serve.public_url`, when tokens of an issuer could not be bound to this server. */
export function openAccess(options: AccessOptions): Outcome<Access> {
  const { record, settings, anyone, open, browsers, log } = options;
  const { public_url: publicUrl, oauth, limits: limitSettings, trusted_proxies } = settings;
  if (oauth !== undefined && publicUrl === undefined) {
    return refuse(
      'repository',
      '"serve.oauth" is set and "serve.public_url" is not: no token could be meant for this server',
      {
        field: 'serve.public_url',
        next: 'Set "public_url" below "serve" in waymark/config.yaml of your configuration folder',
      },
    );
  }
  // Then others than this machine reach the server, whatever address it listens on.
  const isBehindProxy = publicUrl !== undefined || trusted_proxies.length > 0;
  const { now } = record;
  const tokens = new Tokens(record);
  const limits = new Limits(limitSettings, now);
  const sessions = new Sessions({ open, onFault: (fault) => log.error(faultFacts(fault)) });
  const metadata: ResourceMetadata = {
    publicUrl,
    issuer: oauth?.issuer,
    scopes: oauth === undefined ? [] : Object.keys(oauth.grants),
  };
  const verifier =
    oauth === undefined
      ? null
      : oauthVerifier({ settings: oauth, audience: oauth.audience ?? `${publicUrl}/mcp`, now });
  const hasCredentials = () => oauth !== undefined || tokens.wereMade();
  const authentication = authenticate({
    ...{ tokens, sessions, limits, log, oauth: verifier },
    anyone: isBehindProxy ? null : anyone,
    ...(browsers === undefined ? {} : { browsers }),
    trust: proxyTrust(trusted_proxies),
    isSecure: isHttps(publicUrl),
    publicUrl,
  });
  return ok({
    http: { authenticate: authentication, spendBody: spendBody(limits), metadata },
    tokens,
    hasCredentials,
    needsCredential: () => isBehindProxy || hasCredentials(),
    async close() {
      tokens.close();
      await sessions.close();
    },
  });
}
