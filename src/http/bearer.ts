/** The `Authorization` header of a request: a token of ours, or an access token of the configured issuer. */
import { OAuthError, OAuthErrorCode, verifyBearerToken } from '@modelcontextprotocol/server';
import type { Credential } from '../record/principal.ts';
import type { Tokens, Verified } from '../trail/tokens/tokens.ts';
import type { OAuthVerifier } from './oauth/verifier.ts';

export type Bearer =
  | {
      readonly kind: 'found';
      readonly credential: Credential;
      readonly opensMcp: boolean;
      /** Unix milliseconds. */
      readonly expires: number;
    }
  | {
      readonly kind: 'refused';
      readonly error: OAuthError;
      /** For the log: a stable word, never anything of the token. */
      readonly reason: string;
      /** Of the token that was known by its text. */
      readonly id?: string;
    }
  /** Nobody can tell now; the caller may try again. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly seconds: number };

export interface BearerSources {
  readonly tokens: Pick<Tokens, 'verify'>;
  readonly oauth: OAuthVerifier | null;
}

/** Longer ones are refused unread. */
const MAX_HEADER = 8 * 1024;
const MENDED_RETRY_S = 60;

export async function readBearer(header: string, sources: BearerSources): Promise<Bearer> {
  if (header.length > MAX_HEADER) return refused('Authorization header is too long', { reason: 'malformed' });
  const seen: { bearer?: Bearer } = {};
  const verifier = {
    async verifyAccessToken(text: string) {
      const bearer = await verify(text, sources);
      seen.bearer = bearer;
      if (bearer.kind !== 'found') throw bearer.kind === 'refused' ? bearer.error : new Error(bearer.reason);
      const { credential, expires } = bearer;
      return { token: '', clientId: credential.id, scopes: [], expiresAt: Math.ceil(expires / 1000) };
    },
  };
  try {
    await verifyBearerToken(header, { verifier });
  } catch (error) {
    if (seen.bearer === undefined || seen.bearer.kind === 'found') {
      return refused(error instanceof OAuthError ? error.message : 'Authorization header is malformed', {
        reason: 'malformed',
      });
    }
  }
  return seen.bearer ?? refused('Authorization header is malformed', { reason: 'malformed' });
}

async function verify(text: string, { tokens, oauth }: BearerSources): Promise<Bearer> {
  return oauth === null || text.startsWith('wm_') ? ofToken(tokens.verify(text)) : oauth.verify(text);
}

function ofToken(verified: Verified): Bearer {
  if (verified.ok) {
    const { credential, opensMcp, expires } = verified;
    return { kind: 'found', credential, opensMcp, expires };
  }
  const { reason, id } = verified;
  if (reason === 'unreadable') return { kind: 'unavailable', reason: 'tokens_unreadable', seconds: MENDED_RETRY_S };
  const message = reason === 'unknown' ? 'The token is not known here' : `The token is ${reason}`;
  return refused(message, { reason, ...(id === undefined ? {} : { id }) });
}

function refused(message: string, facts: { readonly reason: string; readonly id?: string }): Bearer {
  return { kind: 'refused', error: new OAuthError(OAuthErrorCode.InvalidToken, message), ...facts };
}
