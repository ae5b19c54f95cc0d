import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";

export interface Claims {
  readonly [name: string]: unknown;
}

/** An issuer of tokens on loopback, with a key of its own. What it publishes can be changed, and it counts who asks. */
export async function startIssuer() {
  const pair = await generateKeyPair("ES256", { extractable: true });
  const published = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "one", alg: "ES256", use: "sig" }] };
  const answers: Record<string, { status: number; body: string }> = {};
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    const { status, body } = answers[request.url ?? ""] ?? { status: 404, body: "" };
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publish = (keys: object) => {
    answers["/keys"] = { status: 200, body: JSON.stringify(keys) };
  };
  answers["/.well-known/openid-configuration"] = { status: 200, body: JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }) };
  publish(published);
  return {
    url,
    answers,
    publish,
    published,
    pair,
    publicPem: await exportSPKI(pair.publicKey),
    asked: () => asked,
    /** A token as the issuer makes it, unless it is told otherwise. */
    sign: (claims: Claims = {}, { kid = "one", key = pair.privateKey }: { kid?: string; key?: PrivateKey } = {}) =>
      new SignJWT({ tenant: "acme", groups: ["devs"], sub: "ann", iss: url, aud: "zeph", exp: now() + 600, ...claims })
        .setProtectedHeader({ alg: "ES256", kid })
        .sign(key),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

export const now = (): number => Math.floor(Date.now() / 1000);
