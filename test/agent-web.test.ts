import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { createRuntime, type ZephEvent } from "../src/index.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/links.md", content: "see https://linked.example/a?b=1\n" }]);
afterAll(() => place.remove());

const allowed = { tools: { permissions: { fetch: [{ pattern: "*", action: "allow" }] }, retry: { max_attempts: 0 } } };
/** Names nobody can look up: a call that gets so far was let in. */
const web = { lookup: async () => Promise.reject(new Error("no such name")) };
const fetches = (url: string) => asks("fetch", { url });
const ended = (events: readonly ZephEvent[]) =>
  events.flatMap((event) =>
    event.type === "tool_end" && event.request.name === "fetch" && !event.outcome.ok ? [event.outcome.error.category] : [],
  );

describe("a model", () => {
  it("is asked about an address it made up, and not about one it was given", async () => {
    const model = modelSaying(
      [fetches("https://made.example/"), fetches("https://named.example/docs/more"), fetches("https://linked.example/a?b=1")],
      [asks("read", { path: "links.md" })],
      [fetches("https://linked.example/a?b=1"), fetches("https://linked.example/a?b=2")],
      [says("done")],
    );
    const agent = await agentIn(place, model, { config: allowed, web });
    const events = await all(agent.send("Look at https://named.example/docs please"));
    expect(ended(events).sort()).toEqual([...Array(3).fill("confirmation_required"), ...Array(2).fill("network_error")]);
    const question = events.find((event) => event.type === "question");
    expect(question).toMatchObject({ why: [expect.stringContaining("may have made it up")] });
    await agent.close();
  });

  it("may go on from the same addresses when the conversation is resumed", async () => {
    const store = join(place.state, "web.db");
    const first = await agentIn(place, modelSaying([says("ok")]), { config: allowed, web, store });
    await all(first.send("Remember https://named.example/docs"));
    await first.close();
    const second = await agentIn(place, modelSaying([fetches("https://named.example/docs")], [says("ok")]), {
      config: allowed,
      web,
      store,
      conversation: "last",
    });
    expect(ended(await all(second.send("now")))).toEqual(["network_error"]);
    await second.close();
  });

  it("is not asked under full autonomy, and a person never", async () => {
    const agent = await agentIn(place, modelSaying([fetches("https://made.example/")], [says("ok")]), {
      config: { ...allowed, autonomy: "full" },
      web,
    });
    expect(ended(await all(agent.send("go")))).toEqual(["network_error"]);
    await agent.close();
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      config: { audit: { path: join(place.state, "p.jsonl") }, ...allowed } as ConfigInput,
      web,
    });
    expect(await zeph.call("fetch", { url: "https://made.example/" })).toMatchObject({ error: { category: "network_error" } });
    await zeph.close();
  });
});

describe("a rule for addresses", () => {
  const config = {
    audit: { path: join(place.state, "r.jsonl") },
    tools: {
      permissions: {
        fetch: [
          { pattern: "https://evil.example/*", action: "deny" },
          { pattern: "https://good.example/pub/*", action: "allow" },
        ],
      },
      retry: { max_attempts: 0 },
    },
  };
  it.each([
    ["https:evil.example/x", "policy_blocked"],
    ["https://evil.example./x", "policy_blocked"],
    ["https://evil.example:443/x", "policy_blocked"],
    ["https://%65vil.example/x", "policy_blocked"],
    ["\thttps://evil.example/x", "policy_blocked"],
    ["https://good.example/pub/a", "network_error"],
    ["https://good.example/pub/../private", "confirmation_required"],
    ["https://good.example/pub/%2e%2e/private", "confirmation_required"],
    ["example.com", "invalid_parameters"],
  ])("holds for %j: %s", async (url, category) => {
    const zeph = await createRuntime({ cwd: place.work, store: "memory", config: config as ConfigInput, web });
    expect(await zeph.call("fetch", { url })).toMatchObject({ ok: false, error: { category } });
    await zeph.close();
  });

  it("leaves no secret parameter in the audit log", async () => {
    const zeph = await createRuntime({ cwd: place.work, store: "memory", config: config as ConfigInput, web });
    await zeph.call("fetch", { url: "https://good.example/pub/a?sig=Zm9vYmFy&page=2" });
    await zeph.close();
    const log = readFileSync(join(place.state, "r.jsonl"), "utf8");
    expect(log).toContain("page=2");
    expect(log).not.toContain("Zm9vYmFy");
  });
});
