/** A small OAuth issuer over real HTTP: it publishes keys and signs whatever a test wants. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** `undefined` leaves a claim out. */
export type Claims = Readonly<Record<string, unknown>>;

export interface Header {
  readonly typ?: string | undefined;
  readonly kid?: string | undefined;
}

export interface FakeIssuer {
  readonly issuer: string;
  readonly jwksUri: string;
  /** How often the keys were fetched. */
  fetched: number;
  /** `ok`; `down` answers 500; `junk` answers no key set. */
  mode: 'ok' | 'down' | 'junk';
  /** A token with these claims over good ones; `undefined` leaves one out. */
  sign(claims?: Claims, header?: Header): Promise<string>;
  /** As {@link sign}, with a key that is not published, under the name of the one that is. */
  forge(claims?: Claims): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startIssuer(audience: string): Promise<FakeIssuer> {
  const keys = await generateKeyPair('ES256');
  const strangers = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', use: 'sig', alg: 'ES256' };
  const server = createServer((incoming, response) => {
    fake.fetched += 1;
    if (fake.mode === 'down' || incoming.url !== '/jwks') return void response.writeHead(500).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(fake.mode === 'junk' ? '"nothing"' : JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port, so an address with one.
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const signWith =
    (key: typeof keys.privateKey) =>
    (claims: Claims = {}, header: Header = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const good = { iss: issuer, aud: audience, sub: 'robot', scope: 'waymark:write', iat: now, exp: now + 300 };
      // As JSON writes them: what is undefined is not there.
      const payload: JWTPayload = JSON.parse(JSON.stringify({ ...good, ...claims }));
      const { typ, kid }: Header = { typ: 'at+jwt', kid: 'one', ...header };
      return new SignJWT(payload)
        .setProtectedHeader({
          alg: 'ES256',
          ...(typ === undefined ? {} : { typ }),
          ...(kid === undefined ? {} : { kid }),
        })
        .sign(key);
    };
  const fake: FakeIssuer = {
    issuer,
    jwksUri: `${issuer}/jwks`,
    fetched: 0,
    mode: 'ok',
    sign: signWith(keys.privateKey),
    forge: signWith(strangers.privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
