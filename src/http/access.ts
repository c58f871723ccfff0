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
import { proxyTrust } from './peer.ts';
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
  const authentication = authenticate({
    ...{ tokens, sessions, anyone, limits, log, oauth: verifier },
    ...(browsers === undefined ? {} : { browsers }),
    trust: proxyTrust(trusted_proxies),
    isSecure: publicUrl?.startsWith('https:') === true,
    publicUrl,
  });
  return ok({
    http: { authenticate: authentication, spendBody: spendBody(limits), metadata },
    tokens,
    needsCredential: () => oauth !== undefined || tokens.wereMade(),
    async close() {
      tokens.close();
      await sessions.close();
    },
  });
}
