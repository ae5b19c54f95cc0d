import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type AgentOptions, createAgent, createRuntime, type OpenQuestion } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());

let n = 0;
const store = () => join(place.state, `held-${++n}.db`);
const config = { audit: { path: join(place.state, "held.jsonl") } };
const agentOn = (path: string, confirm: AgentOptions["confirm"] & {}, name: string) =>
  createAgent({
    cwd: place.work,
    store: path,
    config,
    confirm,
    model: modelSaying([asks("write", { path: name, content: "x" })], [says("ok")]),
  });
const isThere = (name: string) => existsSync(join(place.work, name));

describe("a question that somebody is asked now", () => {
  it("is in the store as long as it is open, with the process that asks, and is gone after the answer", async () => {
    const path = store();
    const seen: OpenQuestion[] = [];
    const other = openStore(path);
    const agent = await agentOn(
      path,
      async () => {
        seen.push(...(await other.openQuestions.list()));
        return "once" as const;
      },
      "a.txt",
    );
    await agent.run("go");
    expect(seen).toMatchObject([{ asking: process.pid, question: { tool: "write" } }]);
    expect(await other.openQuestions.list()).toEqual([]);
    expect(isThere("a.txt")).toBe(true);
    await agent.close();
    await other.close();
  });

  it("is not answered twice: where somebody else has taken it meanwhile, the call is not run here", async () => {
    const path = store();
    const other = openStore(path);
    const agent = await agentOn(
      path,
      async ({ call_id }) => {
        await other.openQuestions.take(call_id);
        return "once" as const;
      },
      "b.txt",
    );
    const events = await all(agent.send("go"));
    const end = events.find(({ type }) => type === "tool_end") as { outcome: { ok: boolean; error: Error } };
    expect(end.outcome.ok).toBe(false);
    expect(end.outcome.error.message).toContain("was not run here");
    expect(isThere("b.txt")).toBe(false);
    await agent.close();
    await other.close();
  });

  it("goes with a turn that is cancelled, and is not kept for a call of no conversation", async () => {
    const path = store();
    const stop = new AbortController();
    const other = openStore(path);
    const agent = await agentOn(
      path,
      () => {
        stop.abort();
        return "later" as const;
      },
      "c.txt",
    );
    await all(agent.send("go", { signal: stop.signal }));
    expect(await other.openQuestions.list()).toEqual([]);
    await agent.close();
    let open: readonly OpenQuestion[] | null = null;
    const zeph = await createRuntime({
      cwd: place.work,
      store: path,
      config,
      async confirm() {
        open = await other.openQuestions.list();
        return "no" as const;
      },
    });
    await zeph.call("write", { path: "d.txt", content: "x" });
    expect(open).toEqual([]);
    await zeph.close();
    await other.close();
  });
});
