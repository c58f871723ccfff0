/**
 * Access tokens of the configured issuer: JWTs (RFC 9068), signed with an asymmetric key of its key set, meant for this
 * server and no other (RFC 8707). Whoever carries one is an agent: people come with tokens of ours or sign in.
 */
import { createHash } from 'node:crypto';
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import * as z from 'zod';
import type { OAuthSettings } from '../../config/index.ts';
import type { Grant } from '../../record/grants.ts';
import { isAgentId, isReservedAgentId } from '../../record/principal.ts';
import type { Bearer } from '../bearer.ts';
import { IssuerUnavailable, issuerKeys, PAUSE_MS } from './issuer-keys.ts';

export interface OAuthVerifier {
  /** Never throws. */
  verify(text: string): Promise<Bearer>;
}

export interface OAuthVerifierOptions {
  readonly settings: OAuthSettings;
  /** What tokens for this server carry as `aud`. */
  readonly audience: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** No `none`, and no symmetric one: with those a public key would be a shared secret (RFC 8725 section 3.1). */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];
const CLOCK_TOLERANCE_S = 5;

/** RFC 8693 writes scopes as one string; some issuers as a list, or as `scp`. */
const scopesSchema = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())]);

export function oauthVerifier({ settings, audience, now }: OAuthVerifierOptions): OAuthVerifier {
  const keys = issuerKeys(settings.jwks_uri, now);
  return {
    async verify(text) {
      try {
        const { payload } = await jwtVerify(text, keys, {
          issuer: settings.issuer,
          audience,
          typ: settings.token_type,
          algorithms: ALGORITHMS,
          requiredClaims: ['exp', 'aud', 'iss'],
          clockTolerance: CLOCK_TOLERANCE_S,
          currentDate: new Date(now()),
        });
        return bearerOf(payload, settings);
      } catch (error) {
        if (error instanceof IssuerUnavailable) {
          return { kind: 'unavailable', reason: 'issuer_unavailable', seconds: PAUSE_MS / 1000 };
        }
        return refusedFor(error);
      }
    },
  };
}

function bearerOf(payload: JWTPayload, settings: OAuthSettings): Bearer {
  const agentId = payload[settings.agent_claim];
  if (typeof agentId !== 'string' || !isAgentId(agentId) || isReservedAgentId(agentId.toLowerCase())) {
    return invalid('The access token names no agent', 'no_agent');
  }
  const scopes = scopesSchema.safeParse(payload['scope'] ?? payload['scp'] ?? []).data ?? [];
  const grants = scopes.flatMap((scope): readonly Grant[] =>
    Object.hasOwn(settings.grants, scope) ? (settings.grants[scope] ?? []) : [],
  );
  if (grants.length === 0) {
    const error = new OAuthError(OAuthErrorCode.InsufficientScope, 'No scope of the access token opens anything here');
    return { kind: 'refused', error, reason: 'insufficient_scope' };
  }
  const id = oauthId(settings.issuer, agentId);
  const credential = { id, agent_id: agentId, role: 'agent' as const, grants, authenticated_by: 'oauth' as const };
  return { kind: 'found', credential, opensMcp: true, expires: (payload.exp ?? 0) * 1000 + CLOCK_TOLERANCE_S * 1000 };
}

/** The same for all tokens of an agent, so that a new one is no new allowance. */
function oauthId(issuer: string, agentId: string): string {
  return `oauth-${createHash('sha256')
    .update(JSON.stringify([issuer, agentId]))
    .digest('hex')
    .slice(0, 32)}`;
}

function refusedFor(error: unknown): Bearer {
  if (error instanceof errors.JWTExpired) return invalid('The access token has expired', 'expired');
  const reason = error instanceof errors.JOSEError ? error.code.toLowerCase() : 'malformed';
  return invalid('The access token is not accepted here', reason);
}

function invalid(message: string, reason: string): Bearer {
  return { kind: 'refused', error: new OAuthError(OAuthErrorCode.InvalidToken, message), reason };
}
