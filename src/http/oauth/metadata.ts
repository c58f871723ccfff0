/** RFC 9728: what this resource is and who issues tokens for it, at the two places where clients look. */
import type { Context, Hono } from 'hono';
import type { HttpEnv } from '../caller.ts';

export interface ResourceMetadata {
  /** How callers reach the server. @default the name they used, which was checked before */
  readonly publicUrl?: string | undefined;
  /** @default none: tokens are made by an operator of the record */
  readonly issuer?: string | undefined;
  /** @default none */
  readonly scopes?: readonly string[] | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const RESOURCE = '/mcp';

/** Section 3.1: the path of the resource follows the well-known one. */
export function metadataUrl(c: Context<HttpEnv>, publicUrl: string | undefined): string {
  return `${publicUrl ?? new URL(c.req.raw.url).origin}${WELL_KNOWN}${RESOURCE}`;
}

export function addMetadata(app: Hono<HttpEnv>, { publicUrl, issuer, scopes = [] }: ResourceMetadata): void {
  for (const path of [WELL_KNOWN, `${WELL_KNOWN}${RESOURCE}`]) {
    app.get(path, (c) =>
      c.json({
        resource: `${publicUrl ?? new URL(c.req.raw.url).origin}${RESOURCE}`,
        resource_name: 'Waymark',
        bearer_methods_supported: ['header'],
        ...(issuer === undefined ? {} : { authorization_servers: [issuer] }),
        ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
      }),
    );
  }
}
