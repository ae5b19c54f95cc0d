import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agree, authorizationServer } from "../../../../test/peers/authorization.ts";
import { scratch } from "../../../../test/scratch.ts";
import { LoginNeeded } from "../errors.ts";
import { type Account, createAccount } from "./account.ts";
import { createTokens } from "./tokens.ts";

const never = new AbortController().signal;
const folder = () => scratch().root;
let there: Awaited<ReturnType<typeof authorizationServer>>;
let warnings: string[] = [];

beforeEach(async () => {
  there = await authorizationServer();
  warnings = [];
});
afterEach(() => there.close());

const account = (path: string | null = null) =>
  createAccount({ name: "guarded", url: there.url, tokens: createTokens(path, (message) => void warnings.push(message)) });

const signIn = (one: Account, person: (url: string) => unknown = agree) => one.signIn((url) => void person(url), never);

/** One call, as a connection makes it. */
async function call(one: Account): Promise<unknown> {
  const client = new Client({ name: "test", version: "1" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(there.url), { authProvider: one.auth }));
    return (await client.callTool({ name: "hello", arguments: {} })).content;
  } finally {
    await client.close();
  }
}
const hello = [{ type: "text", text: "hello" }];
const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: Error) => error,
  );

describe("a login", () => {
  it("brings a token that calls are made with, for this server alone", async () => {
    const one = account();
    await signIn(one);
    expect(await call(one)).toEqual(hello);
    const [asked] = there.asked("/token");
    expect(Object.fromEntries(asked!.form)).toMatchObject({ grant_type: "authorization_code", resource: there.url });
    expect(asked!.form.get("code_verifier")!.length).toBeGreaterThan(42);
    expect(asked!.form.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  it("is kept in a file that only the person can read, under the name and the address", async () => {
    const path = join(folder(), "deep", "tokens.json");
    await signIn(account(path));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")).servers)).toEqual([`guarded ${there.url}`]);
    expect(await call(account(path))).toEqual(hello);
    const other = createAccount({ name: "guarded", url: `${there.url}?other`, tokens: createTokens(path, () => {}) });
    expect(await other.auth.token()).toBeUndefined();
  });

  it("registers once, and again only where the authorization server is another one", async () => {
    const one = account();
    await signIn(one);
    await signIn(one);
    expect(there.asked("/register")).toHaveLength(1);
    const next = await authorizationServer();
    there.twists.movedTo = next.base;
    try {
      there.expire();
      await signIn(one);
      expect(next.asked("/register")).toHaveLength(1);
      const sent = JSON.stringify(next.seen.map(({ headers, form }) => [headers, [...form]]));
      expect(sent).not.toMatch(/access-|refresh-/);
    } finally {
      await next.close();
    }
  });

  it("sends the secret of a configured client to no other authorization server than the first", async () => {
    const tokens = createTokens(null, () => {});
    const registered = { clientId: "ours", clientSecret: "the-secret-of-ours" };
    const one = createAccount({ name: "guarded", url: there.url, tokens, registered });
    const shown: unknown[] = [];
    await one.signIn((url, issuer) => {
      shown.push(issuer);
      void agree(url);
    }, never);
    expect(shown).toEqual([new URL(there.base).host]);
    const next = await authorizationServer();
    there.twists.movedTo = next.base;
    try {
      there.expire();
      const error = await thrown(
        signIn(one, (url) => {
          shown.push(url);
          return agree(url);
        }),
      );
      expect(error.message).toContain(new URL(there.base).origin);
      expect(error.message).toContain(new URL(next.base).origin);
      expect(shown).toHaveLength(1);
      expect(JSON.stringify(next.seen.map(({ headers, form }) => [headers, [...form]]))).not.toContain("the-secret");
      expect(next.asked("/token")).toEqual([]);
      // The person says that the change is right.
      one.signOut();
      await signIn(one);
      expect(next.asked("/token")).toHaveLength(1);
    } finally {
      await next.close();
    }
  });

  it("takes no answer with another state, and goes on waiting", async () => {
    const statuses: number[] = [];
    await signIn(account(), async (url) => {
      const forged = new URL(new URL(url).searchParams.get("redirect_uri")!);
      forged.search = "?code=stolen&state=guessed";
      statuses.push((await fetch(forged)).status);
      forged.searchParams.append("state", new URL(url).searchParams.get("state")!);
      statuses.push((await fetch(forged)).status);
      statuses.push((await agree(url)).status);
    });
    expect(statuses).toEqual([400, 400, 200]);
    expect(there.asked("/token")).toHaveLength(1);
  });

  it("refuses an answer from another issuer before it is used", async () => {
    there.twists.iss = "https://evil.example";
    const one = account();
    expect((await thrown(signIn(one))).message).toContain("the answer came from another authorization server");
    expect(there.asked("/token")).toEqual([]);
    expect(await one.auth.token()).toBeUndefined();
  });

  it("does not even believe a no of another issuer", async () => {
    Object.assign(there.twists, { iss: "https://evil.example", denied: true });
    expect((await thrown(signIn(account()))).message).toContain("the answer came from another authorization server");
  });

  it("refuses metadata of another issuer", async () => {
    there.twists.issuer = "https://evil.example";
    expect((await thrown(signIn(account()))).message).toContain("its authorization server says it is another one");
    expect(there.asked("/register")).toEqual([]);
  });

  it.each(["javascript:alert(1)", "http://192.0.2.1/authorize", "file:///etc/passwd"])("shows no page at %s", async (page) => {
    there.twists.authorizationEndpoint = page;
    const shown: string[] = [];
    await thrown(signIn(account(), (url) => shown.push(url)));
    expect(shown).toEqual([]);
  });

  it("says that it was denied, and that it was not registered", async () => {
    there.twists.denied = true;
    expect((await thrown(signIn(account()))).message).toBe("The login was denied.");
    there.twists.registration = "refused";
    expect((await thrown(signIn(account()))).message).toContain("did not register Zeph (HTTP 400)");
  });

  it("ends when it is cancelled, and nobody listens any more", async () => {
    const cancel = new AbortController();
    let back = "";
    const login = account().signIn((url) => {
      back = new URL(url).searchParams.get("redirect_uri")!;
      cancel.abort(new Error("enough"));
    }, cancel.signal);
    expect((await thrown(login)).message).toBe("enough");
    await expect(fetch(back)).rejects.toThrow();
  });
});

describe("a token", () => {
  it("that is missing needs a login, and nobody is asked for one", async () => {
    const one = account();
    const error = await thrown(call(one));
    expect(error).toBeInstanceOf(LoginNeeded);
    expect(one.needsLogin(error)).toBe(true);
    expect(new Set(there.seen.map(({ path }) => path))).toEqual(new Set(["/mcp"]));
  });

  it("is known to be missing from the cause of an error, however that is wrapped", () => {
    const one = account();
    const round = new Error("round");
    round.cause = round;
    expect(one.needsLogin(new Error("it was closed", { cause: new Error("so", { cause: new LoginNeeded("guarded") }) }))).toBe(true);
    expect([new Error("no"), round, null, "text"].map((error) => one.needsLogin(error))).toEqual([false, false, false, false]);
  });

  it("that is no longer taken is renewed, once for all calls", async () => {
    const one = account();
    await signIn(one);
    there.expire();
    expect(await Promise.all([call(one), call(one), call(one)])).toEqual([hello, hello, hello]);
    const renewals = there.asked("/token").filter(({ form }) => form.get("grant_type") === "refresh_token");
    expect(renewals).toHaveLength(1);
    expect(renewals[0]!.form.get("resource")).toBe(there.url);
  });

  it("whose renewal is refused needs a login, which then works", async () => {
    const one = account();
    await signIn(one);
    there.expire();
    there.twists.refresh = "refused";
    expect(one.needsLogin(await thrown(call(one)))).toBe(true);
    expect(await one.auth.token()).toBeUndefined();
    await thrown(call(one));
    expect(there.asked("/token")).toHaveLength(2);
    await signIn(one);
    expect(await call(one)).toEqual(hello);
  });

  it("stays when the authorization server only fails", async () => {
    const one = account();
    await signIn(one);
    there.expire();
    there.twists.refresh = "broken";
    const error = await thrown(call(one));
    expect(error).toMatchObject({ category: "network_error" });
    expect(one.needsLogin(error)).toBe(false);
    there.twists.refresh = undefined!;
    expect(await call(one)).toEqual(hello);
  });

  it("that another process has renewed is used", async () => {
    const path = join(folder(), "tokens.json");
    await signIn(account(path));
    const [one, two] = [account(path), account(path)];
    there.expire();
    await call(one);
    expect(await call(two)).toEqual(hello);
    expect(there.asked("/token")).toHaveLength(2);
  });

  it("that another process renews at the same moment is used", async () => {
    const path = join(folder(), "tokens.json");
    await signIn(account(path));
    const one = account(path);
    const slow = async (url: string | URL, init?: RequestInit) => {
      await call(one);
      return fetch(url, init);
    };
    const two = createAccount({ name: "guarded", url: there.url, tokens: createTokens(path, () => {}), fetch: slow });
    there.expire();
    expect(await call(two)).toEqual(hello);
    expect(there.asked("/token")).toHaveLength(3);
  });

  it("that allows too little needs a login that asks for both", async () => {
    const one = account();
    there.twists.toolScope = "hello:say";
    await signIn(one);
    expect(one.needsLogin(await thrown(call(one)))).toBe(true);
    let page = "";
    await signIn(one, (url) => {
      page = url;
      return agree(url);
    });
    expect(new URL(page).searchParams.get("scope")).toBe("hello:say");
    expect(await call(one)).toEqual(hello);
  });

  it("is forgotten", async () => {
    const path = join(folder(), "tokens.json");
    const one = account(path);
    expect(one.signOut()).toBe(false);
    await signIn(one);
    expect(one.signOut()).toBe(true);
    expect(readFileSync(path, "utf8")).not.toMatch(/access-|refresh-/);
    expect(one.needsLogin(await thrown(call(one)))).toBe(true);
  });

  it("is in no message, even when the other side repeats it", async () => {
    for (const refresh of ["echoed", "broken"] as const) {
      const one = account();
      await signIn(one);
      there.expire();
      there.twists.refresh = refresh;
      const error = await thrown(call(one));
      expect(`${error.message} ${error.stack} ${error.cause} ${JSON.stringify(error)}`).not.toMatch(/refresh-|access-/);
    }
    expect(warnings).toEqual([]);
  });

  it("is not sent to where the authorization server lies, nor is anything else", async () => {
    const one = account();
    await signIn(one);
    await call(one);
    await signIn(one);
    const others = there.seen.filter(({ path }) => path !== "/mcp");
    expect(others.length).toBeGreaterThan(5);
    expect(others.filter(({ headers }) => headers.authorization !== undefined || headers.cookie !== undefined)).toEqual([]);
  });
});

describe("the file", () => {
  it.each([
    "",
    "{",
    "[]",
    '{"version":2,"servers":{}}',
    '{"version":1,"servers":{"a":{"tokens":{"access_token":5}}}}',
    `{"version":1,"servers":{}}${" ".repeat(1_000_000)}`,
  ])("that is broken counts as empty and is kept aside (%#)", (text) => {
    const path = join(folder(), "tokens.json");
    writeFileSync(path, text);
    const tokens = createTokens(path, (message) => void warnings.push(message));
    expect(tokens.read({ name: "a", url: "b" })).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(readFileSync(`${path}.broken`, "utf8")).toBe(text);
    tokens.write({ name: "a", url: "b" }, { client: { client_id: "c" } });
    expect(tokens.read({ name: "a", url: "b" })).toEqual({ client: { client_id: "c" } });
    expect(warnings).toHaveLength(1);
  });

  it("takes nothing that is too long, and stays as it was", () => {
    const path = join(folder(), "tokens.json");
    const tokens = createTokens(path, () => {});
    const who = { name: "a", url: "b" };
    tokens.write(who, { client: { client_id: "c" } });
    expect(() => tokens.write(who, { client: { client_id: "c".repeat(64_000) } })).toThrow("too long");
    for (let n = 0; n < 15; n += 1) tokens.write({ name: `${n}`, url: "b" }, { client: { client_id: "c".repeat(63_000) } });
    expect(() => tokens.write({ name: "last", url: "b" }, { client: { client_id: "c".repeat(63_000) } })).toThrow("Sign out");
    expect(tokens.read(who)).toEqual({ client: { client_id: "c" } });
    expect(existsSync(`${path}.broken`)).toBe(false);
  });
});
