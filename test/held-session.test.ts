import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CallFate, CallLedger, HeldSession } from "../src/core/ports/fleet/session.ts";
import type { ModelEvent } from "../src/core/ports/model.ts";
import type { Store } from "../src/core/ports/store.ts";
import { openAgent } from "../src/runtime/agent/agent.ts";
import { openStore } from "../src/store/open.ts";
import { all, asks, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

let opened = 0;
const open = (shared: Store, held: HeldSession, turns: readonly (readonly ModelEvent[])[], conversation?: string) =>
  openAgent({
    cwd: place.work,
    shared,
    held,
    model: modelSaying(...turns),
    config: { autonomy: "full", audit: { path: join(place.state, `held-${++opened}.jsonl`) } },
    ...(conversation !== undefined && { conversation }),
  });

/** A journal that remembers the order of things, and lets go of the session when it is told to. */
function ledgerOf(isOurs: (call: number) => boolean, made: () => boolean, isStillOurs: () => boolean = () => true) {
  const told: string[] = [];
  let calls = 0;
  const ledger: CallLedger = {
    async intent(_call, effect) {
      told.push(`intent ${effect}, made ${made()}`);
      return isOurs(++calls);
    },
    isOurs: async () => isStillOurs(),
    async done(_call, outcome) {
      told.push(`done ${outcome}, made ${made()}`);
      return true;
    },
  };
  return { ledger, told };
}
const knowing = (fate: CallFate) => ({ fateOf: () => fate });

describe("a session that a process holds for a fleet", () => {
  it("notes a call before it is made and when it has ended, and a read not at all", async () => {
    const store = openStore("memory");
    const { ledger, told } = ledgerOf(
      () => true,
      () => existsSync(join(place.work, "noted.txt")),
    );
    const agent = await open(store, { ledger, ...knowing("unknown") }, [
      [asks("read", { path: "a.txt" })],
      [asks("write", { path: "noted.txt", content: "x" })],
      [asks("delete_path", { path: "missing.txt" })],
      [says("Done.")],
    ]);
    await all(agent.send("Write."));
    expect(told).toEqual([
      "intent writes, made false",
      "done ok, made true",
      "intent writes, made true",
      "done permanent_failure, made true",
    ]);
    await agent.close();
    await store.close();
  });

  it("makes no call once it is somebody else's, and says so", async () => {
    const store = openStore("memory");
    const { ledger, told } = ledgerOf(
      () => false,
      () => false,
    );
    const agent = await open(store, { ledger, ...knowing("unknown") }, [
      [asks("write", { path: "late.txt", content: "x" })],
      [says("Done.")],
    ]);
    const events = await all(agent.send("Write."));
    expect(events.find(({ type }) => type === "tool_end")).toMatchObject({
      outcome: { ok: false, error: { category: "cancelled", message: expect.stringContaining("held by another worker now") } },
    });
    expect(existsSync(join(place.work, "late.txt"))).toBe(false);
    expect(told).toEqual(["intent writes, made false"]);
    const line = readFileSync(join(place.state, `held-${opened}.jsonl`), "utf8");
    expect(line).toContain('"outcome":"failed"');
    await agent.close();
    await store.close();
  });

  it("looks at its own clock once more in the last moment: after the pictures of files, and not for a read", async () => {
    const store = openStore("memory");
    let looks = 0;
    const { ledger, told } = ledgerOf(
      () => true,
      () => existsSync(join(place.work, "frozen.txt")),
      () => ++looks > 1,
    );
    const agent = await open(store, { ledger, ...knowing("unknown") }, [
      [asks("read", { path: "a.txt" })],
      [asks("write", { path: "frozen.txt", content: "x" })],
      [asks("write", { path: "frozen.txt", content: "y" })],
      [says("Done.")],
    ]);
    const events = await all(agent.send("Write."));
    const ends = events.flatMap((event) => (event.type === "tool_end" ? [event.outcome.ok] : []));
    expect(ends).toEqual([true, false, true]);
    expect(told).toEqual(["intent writes, made false", "done cancelled, made false", "intent writes, made false", "done ok, made true"]);
    expect(looks).toBe(2);
    await agent.close();
    await store.close();
  });

  it.each([
    ["unknown", "Whether it took effect is not known"],
    ["ended", "its result was lost"],
    ["not made", "stopped before this call was made"],
  ] as const)("tells the model what the journal says of a call without a result: %s", async (fate, words) => {
    const store = openStore("memory");
    const { id } = await store.conversations.create(place.work, "t");
    await store.conversations.append(id, [
      { role: "user", text: "Write." },
      {
        role: "assistant",
        model: "test/model",
        parts: [{ type: "request", id: "r1", callId: "c1", name: "bash", args: { command: "true" } }],
      },
    ]);
    const asked: string[] = [];
    const { ledger } = ledgerOf(
      () => true,
      () => false,
    );
    const held: HeldSession = {
      ledger,
      fateOf(call) {
        asked.push(call);
        return fate;
      },
      resumes: true,
      news: "The folder is another one.",
    };
    const agent = await open(store, held, [[says("Going on.")], [says("And on.")]], id);
    await all(agent.send("Go on with the task."));
    const history = await agent.history();
    expect(illegal(history)).toBeNull();
    expect(asked).toContain("c1");
    expect(history.slice(2)).toMatchObject([
      { role: "tool", id: "r1", text: expect.stringContaining(words), failed: true },
      { role: "user", from: "loop", text: "Go on with the task." },
      { role: "user", from: "loop", text: "The folder is another one." },
      { role: "assistant" },
    ]);
    await all(agent.send("And now?"));
    expect((await agent.history()).slice(6)).toEqual([{ role: "user", text: "And now?" }, expect.objectContaining({ role: "assistant" })]);
    await agent.close();
    await store.close();
  });
});
