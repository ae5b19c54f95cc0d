import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRuntime, type Zeph } from "../../src/index.ts";
import { agree, authorizationServer } from "../peers/authorization.ts";

let there: Awaited<ReturnType<typeof authorizationServer>>;
let base: string;
let zeph: Zeph;

beforeEach(async () => {
  there = await authorizationServer();
  base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-login-")));
  vi.stubEnv("XDG_STATE_HOME", join(base, "state"));
  zeph = await createRuntime({
    cwd: base,
    store: "memory",
    config: {
      audit: { path: join(base, "audit.jsonl") },
      autonomy: "full",
      mcp: { servers: [{ name: "guarded", url: there.url, trust: "trusted" }] },
    },
  });
});
afterEach(async () => {
  await zeph.close();
  await there.close();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const state = () => zeph.mcp.states()[0]!;
const login = () => zeph.mcp.login("guarded", (url) => void agree(url), new AbortController().signal);
const call = () => zeph.call("mcp__guarded__hello", {});

describe("a server that wants a login", () => {
  it("says so, asks nobody, and offers its tools once the person has signed in", async () => {
    expect(state()).toMatchObject({ state: "needs login", tools: [] });
    expect(state().why).toContain("zeph mcp login guarded");
    expect(there.asked("/register")).toEqual([]);
    await login();
    expect(state()).toMatchObject({ state: "connected", tools: [{ tool: "hello", state: "offered" }] });
    expect(await call()).toMatchObject({ ok: true, output: { text: "hello" } });
  });

  it("leaves no token behind where the store keeps nothing", async () => {
    await login();
    expect(existsSync(join(base, "state", "zeph", "mcp-tokens.json"))).toBe(false);
  });

  it("is called with a renewed token, and refuses when there is none any more", async () => {
    await login();
    there.expire();
    expect(await call()).toMatchObject({ ok: true, output: { text: "hello" } });
    there.twists.refresh = "refused";
    there.expire();
    const outcome = await call();
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(state().state).toBe("needs login");
    there.twists.refresh = undefined!;
    await login();
    expect(await call()).toMatchObject({ ok: true, output: { text: "hello" } });
  });

  it("knows nobody after a logout", async () => {
    await login();
    expect(await zeph.mcp.logout("guarded")).toBe(true);
    expect(await zeph.mcp.logout("guarded")).toBe(false);
    expect(state().state).not.toBe("connected");
    expect(await call()).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(state().state).toBe("needs login");
  });

  it("leaves no token in the audit log or in what it says of itself", async () => {
    await login();
    await call();
    there.twists.refresh = "echoed";
    there.expire();
    const outcome = await call();
    const said = JSON.stringify([zeph.mcp.states(), zeph.warnings, outcome, String((outcome as { error?: Error }).error?.message)]);
    expect(said + readFileSync(join(base, "audit.jsonl"), "utf8")).not.toMatch(/access-[0-9a-f]|refresh-[0-9a-f]/);
  });
});
