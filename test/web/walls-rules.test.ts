import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { ConfigInput } from "../../src/core/inputs/config-input.ts";
import { createRuntime } from "../../src/index.ts";
import { httpsStand, PUBLIC } from "./walls-stands.ts";

const stand = httpsStand();
const cwd = mkdtempSync(join(tmpdir(), "zeph-rules-"));
const state = mkdtempSync(join(tmpdir(), "zeph-rules-state-"));
afterAll(() => {
  for (const folder of [cwd, state]) rmSync(folder, { recursive: true, force: true });
});

const open = (rules: readonly object[]) =>
  createRuntime({
    cwd,
    store: "memory",
    config: {
      audit: { path: join(state, "audit.jsonl") },
      tools: { permissions: { fetch: rules }, retry: { max_attempts: 0 } },
    } as ConfigInput,
    web: { lookup: async () => [PUBLIC], dial: (to) => stand.site.dial(to) },
  });

it("a redirect to where no rule allows is refused, and to where one does is followed", async () => {
  stand.handle = (req, res) => {
    if (req.headers.host === "a.test") res.writeHead(302, { location: req.url === "/out" ? "https://evil.test/x" : "https://b.test/x" });
    res.end(`the page of ${req.headers.host}`);
  };
  const allow = (host: string) => ({ pattern: `https://${host}/*`, action: "allow" });
  const zeph = await open([allow("a.test"), allow("b.test")]);
  expect(await zeph.call("fetch", { url: "https://a.test/in" })).toMatchObject({ ok: true, output: { raw: { url: "https://b.test/x" } } });
  const out = await zeph.call("fetch", { url: "https://a.test/out" });
  expect(out).toMatchObject({ ok: false, error: { category: "policy_blocked", message: expect.stringContaining("evil.test") } });
  await zeph.close();
});

it("a page is given again while it is young, and a page that must not be kept never", async () => {
  let asked = 0;
  stand.handle = (req, res) => {
    asked++;
    res.writeHead(200, { "content-type": "text/plain", "cache-control": req.url === "/never" ? "no-store" : "max-age=60" });
    res.end(`time ${asked}`);
  };
  const zeph = await open([{ pattern: "*", action: "allow" }]);
  const cached = async (url: string) => {
    const outcome = await zeph.call("fetch", { url });
    return outcome.ok && outcome.cached;
  };
  expect([await cached("https://a.test/kept"), await cached("https://a.test/kept"), asked]).toEqual([false, true, 1]);
  expect([await cached("https://a.test/never"), await cached("https://a.test/never"), asked]).toEqual([false, false, 3]);
  await zeph.close();
});

it("a name is looked up only once every gate has let the call in", async () => {
  stand.handle = (_req, res) => void res.end("a page");
  const looked: string[] = [];
  const openWith = (fetch: readonly object[], more: object = {}) =>
    createRuntime({
      cwd,
      store: "memory",
      config: {
        audit: { path: join(state, "names.jsonl") },
        tools: { permissions: { fetch }, retry: { max_attempts: 0 }, ...more },
      } as ConfigInput,
      web: {
        lookup: async (name) => {
          looked.push(name);
          return [PUBLIC];
        },
        dial: (to) => stand.site.dial(to),
      },
    });
  const url = "https://canary-data.example.test/";
  const refused: [readonly object[], object?][] = [
    [[{ pattern: "*", action: "deny" }]],
    // Nobody is there to be asked.
    [[{ pattern: "*", action: "ask" }]],
    [[{ pattern: "*", action: "allow" }], { scrape: { allowed_domains: ["other.test"] } }],
    [[{ pattern: "*", action: "allow" }], { scrape: { denied_domains: ["*.example.test"] } }],
  ];
  for (const [rules, more] of refused) {
    const zeph = await openWith(rules, more);
    expect(await zeph.call("fetch", { url })).toMatchObject({ ok: false });
    await zeph.close();
    expect(looked).toEqual([]);
  }
  const zeph = await openWith([{ pattern: "*", action: "allow" }]);
  await zeph.call("fetch", { url });
  await zeph.close();
  expect(looked).toEqual(["canary-data.example.test"]);
});
