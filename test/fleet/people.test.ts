import { createHmac } from "node:crypto";
import { generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createAuthenticator } from "../../src/fleet/govern/authenticator.ts";
import type { OidcSettings } from "../../src/fleet/govern/oidc.ts";
import { createOidcCheck } from "../../src/fleet/govern/oidc.ts";
import { createFleetTokens } from "../../src/fleet/govern/tokens.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { now, startIssuer } from "./issuer.ts";

describe.skipIf(!hasPostgres)("a token of our own", () => {
  let url = "";
  const open: Pg[] = [];
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(() => Promise.all(open.map((db) => db.close())));
  const fleet = () => {
    const tenant = newTenant();
    const db = openPg({ url, tenant, role: "zeph_gateway", max: 2 });
    // The gateway looks for a token before it knows whose it is.
    const anybody = openPg({ url, tenant: newTenant(), role: "zeph_gateway", max: 2 });
    open.push(db, anybody);
    return { tenant, db, tokens: createFleetTokens(db), authenticator: createAuthenticator({ db: anybody }) };
  };

  it("names its person, tenant and roles, until it is revoked", async () => {
    const { tenant, tokens, authenticator } = fleet();
    const { id, token } = await tokens.add({ person: "ann", roles: ["user", "approver"], by: "root" });
    expect(await authenticator.check(`Bearer ${token}`)).toEqual({ tenant, person: "ann", roles: ["user", "approver"] });
    expect(await authenticator.check(`bearer  ${token} `)).toMatchObject({ person: "ann" });
    expect(await tokens.revoke(id)).toBe(true);
    expect(await authenticator.check(`Bearer ${token}`)).toBeNull();
    expect(await tokens.revoke(id)).toBe(false);
    expect(await tokens.list()).toMatchObject([{ id, person: "ann", madeBy: "root", until: null, revokedAt: expect.any(Number) }]);
  });

  it("is kept as a hash only", async () => {
    const { db, tokens } = fleet();
    const { token } = await tokens.add({ person: "ann", roles: ["user"], by: "root" });
    const rows = await db.all("select * from tokens");
    expect(JSON.stringify(rows)).not.toContain(token.slice(5, 20));
    expect(rows[0]!.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("opens nothing after its end", async () => {
    const { tokens, authenticator } = fleet();
    const late = await tokens.add({ person: "ann", roles: ["user"], by: "root", until: new Date(Date.now() - 1000) });
    const valid = await tokens.add({ person: "ann", roles: ["user"], by: "root", until: new Date(Date.now() + 600_000) });
    expect(await authenticator.check(`Bearer ${late.token}`)).toBeNull();
    expect(await authenticator.check(`Bearer ${valid.token}`)).toMatchObject({ person: "ann" });
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Basic abc",
    "Bearer zeph_short",
    `Bearer zeph_${"a".repeat(43)}`,
    `zeph_${"a".repeat(43)}`,
    `Bearer ${"a".repeat(20_000)}`,
  ])("is no other text: %s", async (header) => {
    expect(await fleet().authenticator.check(header)).toBeNull();
  });

  it("wants a name that can be shown, and a role", async () => {
    const { tokens } = fleet();
    await expect(tokens.add({ person: "ann\u202e", roles: ["user"], by: "root" })).rejects.toThrow("A person is named with");
    await expect(tokens.add({ person: "ann", roles: [], by: "root" })).rejects.toThrow("needs a role");
  });

  it("is nobody's while the database is away: the check throws", async () => {
    const away = openPg({ url: url.replace(/:\d+\//, ":9/"), role: "zeph_gateway", max: 1 });
    await expect(createAuthenticator({ db: away }).check(`Bearer zeph_${"a".repeat(43)}`)).rejects.toThrow("cannot be reached");
    await away.close();
  });
});

describe("a token of an issuer", () => {
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  afterEach(() => issuer.close());
  const checkWith = async (more: Partial<OidcSettings> = {}) => {
    issuer = await startIssuer();
    return createOidcCheck({ issuer: issuer.url, audience: "zeph", roles: { user: ["devs"], approver: ["leads", "boss"] }, ...more });
  };

  it("names its person, tenant and the roles of its groups", async () => {
    const check = await checkWith();
    expect(await check(await issuer.sign())).toEqual({ tenant: "acme", person: "ann", roles: ["user"] });
    expect(await check(await issuer.sign({ groups: "x leads" }))).toEqual({ tenant: "acme", person: "ann", roles: ["approver"] });
    expect(await check(await issuer.sign({ groups: [7, "other"] }))).toEqual({ tenant: "acme", person: "ann", roles: [] });
    expect(await check(await issuer.sign({ aud: ["other", "zeph"] }))).toMatchObject({ person: "ann" });
  });

  it("is read by the claims that the settings name", async () => {
    const check = await checkWith({ tenantClaim: "org", personClaim: "email", groupsClaim: "roles", usualTenant: "main" });
    expect(await check(await issuer.sign({ email: "ann@acme.example", roles: ["boss"] }))).toEqual({
      tenant: "main",
      person: "ann@acme.example",
      roles: ["approver"],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["of another issuer", { iss: "https://elsewhere.example" }],
    ["for another audience", { aud: "other" }],
    ["without an audience", { aud: undefined }],
    ["that has ended", { exp: now() - 600 }],
    ["without an end", { exp: undefined }],
    ["that does not count yet", { nbf: now() + 600 }],
    ["without a tenant", { tenant: undefined }],
    ["with a tenant that is no name", { tenant: "*" }],
    ["with a person that is no name", { sub: "ann bell" }],
    ["without a person", { sub: undefined }],
  ])("%s is refused", async (_, claims) => {
    const check = await checkWith();
    expect(await check(await issuer.sign(claims))).toBeNull();
  });

  it("is refused without a signature, with one of another key, and with one made of the public key", async () => {
    const check = await checkWith();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iss: issuer.url, aud: "zeph", exp: now() + 600, sub: "ann", tenant: "acme", groups: ["devs"] };
    const unsigned = `${part({ alg: "none", kid: "one" })}.${part(claims)}.`;
    const signed = `${part({ alg: "HS256", kid: "one" })}.${part(claims)}`;
    const secret = `${signed}.${createHmac("sha256", issuer.publicPem).update(signed).digest("base64url")}`;
    const stranger = await generateKeyPair("ES256");
    const good = await issuer.sign();
    const [head, , signature] = good.split(".");
    for (const token of [
      unsigned,
      secret,
      await issuer.sign({}, { key: stranger.privateKey }),
      await issuer.sign({}, { kid: "two", key: stranger.privateKey }),
      `${head}.${part({ ...claims, groups: ["boss"] })}.${signature}`,
      await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(issuer.publicPem)),
    ])
      expect(await check(token)).toBeNull();
    expect(await check(good)).toMatchObject({ person: "ann" });
  });

  it("with an unknown key makes us ask for keys once, however often it comes", async () => {
    const check = await checkWith();
    await check(await issuer.sign());
    const before = issuer.asked();
    for (let n = 0; n < 20; n++) expect(await check(await issuer.sign({}, { kid: `k${n}` }))).toBeNull();
    expect(issuer.asked()).toBe(before);
  });

  it("cannot be told while the keys are away, or are no keys", async () => {
    const check = await checkWith();
    const token = await issuer.sign();
    issuer.answers["/keys"] = { status: 500, body: "" };
    await expect(check(token)).rejects.toThrow("/keys answered 500");
    issuer.answers["/keys"] = { status: 200, body: `{"keys":[],"more":"${"x".repeat(300_000)}"}` };
    await expect(check(token)).rejects.toThrow("more than");
    issuer.answers["/keys"] = { status: 200, body: "<html>" };
    await expect(check(token)).rejects.toThrow("cannot be had");
    issuer.publish(issuer.published);
    expect(await check(token)).toMatchObject({ person: "ann" });
  });

  it("cannot be told where the discovery is about somebody else", async () => {
    const check = await checkWith();
    issuer.answers["/.well-known/openid-configuration"] = { status: 200, body: JSON.stringify({ issuer: "https://x", jwks_uri: "x" }) };
    await expect(check(await issuer.sign())).rejects.toThrow("does not describe");
  });

  it("comes from an address of https, and for an audience of ours", async () => {
    issuer = await startIssuer();
    const settings = { issuer: "http://id.example", audience: "zeph", roles: {} };
    expect(() => createOidcCheck(settings)).toThrow("address of https");
    expect(() => createOidcCheck({ ...settings, issuer: "https://id.example", jwks: "http://id.example/keys" })).toThrow(
      "address of https",
    );
    expect(() => createOidcCheck({ ...settings, issuer: "https://id.example", audience: "" })).toThrow("audience");
  });

  it("is told of in the metadata of the gateway", async () => {
    issuer = await startIssuer();
    const oidc = { issuer: issuer.url, audience: "zeph", roles: { user: ["devs"] } };
    const db = {} as Pg;
    const authenticator = createAuthenticator({ db, oidc });
    expect(authenticator.metadata("https://zeph.example/mcp")).toEqual({
      resource: "https://zeph.example/mcp",
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
    });
    expect(createAuthenticator({ db }).metadata("https://zeph.example/mcp")).toBeNull();
    expect(await authenticator.check(`Bearer ${await issuer.sign()}`)).toMatchObject({ person: "ann" });
  });
});
