/** What signing in needs of the server. */
import type { ServeSettings } from '../../config/index.ts';
import type { OpenRecord } from '../../trail/open.ts';
import type { Tokens } from '../../trail/tokens/tokens.ts';
import { type ProxyTrust, proxyTrust } from '../peer.ts';
import { TokenBuckets } from '../token-bucket.ts';
import type { BrowserSessions } from './browser-sessions.ts';

/** Attempts of one address; who mistypes has enough of them. */
const ATTEMPTS_PER_MINUTE = 10;

export interface SignIn {
  readonly browsers: BrowserSessions;
  readonly tokens: Pick<Tokens, 'verify' | 'stands'>;
  readonly attempts: TokenBuckets;
  readonly trust: ProxyTrust;
  /** People come over HTTPS, as `public_url` says. */
  readonly isSecure: boolean;
}

export interface SignInOptions {
  readonly record: Pick<OpenRecord, 'now'>;
  readonly settings: Pick<ServeSettings, 'public_url' | 'trusted_proxies'>;
  /** The same as `authenticate` looks browsers up in. */
  readonly browsers: BrowserSessions;
  readonly tokens: SignIn['tokens'];
}

export function openSignIn({ record: { now }, settings, browsers, tokens }: SignInOptions): SignIn {
  return {
    browsers,
    tokens,
    attempts: new TokenBuckets({ perMinute: ATTEMPTS_PER_MINUTE, burst: ATTEMPTS_PER_MINUTE, now }),
    trust: proxyTrust(settings.trusted_proxies),
    isSecure: settings.public_url?.startsWith('https:') === true,
  };
}
