import { expect, it } from "vitest";
import type { ToolCall } from "../../core/call.ts";
import { createSession } from "../../core/session.ts";
import { openStore } from "../../store/open.ts";
import { clientCaller } from "./client-session.ts";
import { restoreCall, SESSION_FIELDS, WORKSPACE_FIELDS } from "./kept-parts.ts";
import { createRuntimeMemory, isUnsaved, type RuntimeMemory } from "./runtime-memory.ts";
import { createSessionKeeper, SESSION_KEPT_MS } from "./session-keeper.ts";

const OWNER = "caller client:claude s";
const store = openStore("memory").sessionMemory;

/** One process: what it remembers, and a turn of a client's session. */
function place(workspace: string, redact = (text: string) => text, kept = store) {
  const memory = createRuntimeMemory();
  const session = createSession(() => {}, memory.marks);
  const keeper = createSessionKeeper({ store: kept, workspace, memory, redact });
  const turnOf = (name: string) => session.current(clientCaller("claude", name));
  return { memory, keeper, turnOf, turn: turnOf("s") };
}

const CALL = {} as ToolCall;

/** Something in every field that is stored. */
function fill({ gates, names, open }: RuntimeMemory): void {
  gates.quota.set(OWNER, new Set(["a", "b"]));
  gates.trust.levels.set("one", { level: "untrusted", until: Number.POSITIVE_INFINITY });
  gates.trust.levels.set("two", { level: "provisional", until: 5 });
  gates.sentinel.conversations.set(OWNER, { steps: [["read", "x"]], calls: 1, progress: new Map([["p", 2]]) });
  gates.sentinel.taints.set(OWNER, { private: ".env", stranger: null });
  gates.anomaly.windows.set("bash", { calls: [true, false], failed: 1, told: "warned", until: 0 });
  const tools = new Map([["read", { calls: 1, answers: 1, meanTokens: 2, recent: [new Set(["x"])] }]]);
  gates.utility.conversations.set(OWNER, {
    ...{ said: "x", answered: new Set(["k"]), tools, inARow: 1, inTurn: { id: "t", skips: 1 }, asOf: 3 },
  });
  gates.utility.skipped.set("k", 7);
  gates.utility.changes = 3;
  gates.utility.judged.set(CALL, { kind: "pass", rule: "score 1" });
  gates.strangerFiles.began.set(CALL, 11);
  gates.sentinel.admitted.set(CALL, [["read", "x"]]);
  names.add("client:claude s a.example");
  open.set(OWNER, new Map([["key", { about: "h", n: 1, kind: "allowed", call: CALL, pending: null }]]));
}

const itemsOf = (memory: RuntimeMemory) =>
  [...SESSION_FIELDS, ...WORKSPACE_FIELDS].map(({ name, codec, in: inside }) => [name, [...codec.items(inside(memory), OWNER)]]);

it("every field that is stored is there in the next process as it was", async () => {
  const first = place("/a");
  fill(first.memory);
  first.turn.seen.untrusted = true;
  first.turn.seen.skill = { name: "x", trust: "untrusted" };
  await first.keeper.sync(first.turn);
  const second = place("/a");
  await second.keeper.during(second.turn, async () => {});
  for (const [name, items] of itemsOf(second.memory)) expect(items, String(name)).not.toEqual([]);
  expect(itemsOf(second.memory)).toEqual(itemsOf(first.memory));
  expect({ ...second.turn.seen }).toEqual({ untrusted: true, skill: { name: "x", trust: "untrusted" } });
  expect({ ...second.turnOf("other").seen }).toMatchObject({ untrusted: false });
  const call = {} as ToolCall;
  restoreCall(second.memory, call, second.memory.open.get(OWNER)!.get("key")!.notes!);
  const { strangerFiles, sentinel, utility } = second.memory.gates;
  expect([strangerFiles.began.get(call), sentinel.admitted.get(call), utility.judged.get(call)]).toEqual([
    11,
    [["read", "x"]],
    { kind: "pass", rule: "score 1" },
  ]);
});

it("what a field forgets is forgotten in the store, and another workspace and session know nothing of it", async () => {
  const first = place("/b");
  fill(first.memory);
  await first.keeper.sync(first.turn);
  first.memory.gates.quota.delete(OWNER);
  first.memory.names.clear();
  await first.keeper.sync(first.turn);
  const [again, elsewhere] = [place("/b"), place("/c")];
  await again.keeper.sync(again.turn);
  await again.keeper.sync(again.turnOf("other"));
  expect([again.memory.gates.quota.size, again.memory.names.size, again.memory.gates.sentinel.taints.size]).toEqual([0, 0, 1]);
  await elsewhere.keeper.sync(elsewhere.turn);
  expect(elsewhere.memory.gates.sentinel.taints.size).toBe(0);
});

it("two processes each add what they found out", async () => {
  const [one, two] = [place("/d"), place("/d")];
  await one.keeper.sync(one.turn);
  await two.keeper.sync(two.turn);
  one.memory.gates.sentinel.taints.set(OWNER, { private: ".env", stranger: null });
  one.memory.gates.quota.set(OWNER, new Set(["a"]));
  two.memory.gates.sentinel.taints.set(OWNER, { private: null, stranger: "a.example" });
  two.memory.gates.quota.set(OWNER, new Set(["b"]));
  two.turn.seen.untrusted = true;
  await Promise.all([one.keeper.sync(one.turn), two.keeper.sync(two.turn)]);
  for (const { keeper, memory, turn } of [one, two]) {
    await keeper.sync(turn);
    expect(memory.gates.sentinel.taints.get(OWNER)).toEqual({ private: ".env", stranger: "a.example" });
    expect(memory.gates.quota.get(OWNER)).toEqual(new Set(["a", "b"]));
    expect(turn.seen.untrusted).toBe(true);
  }
});

it("two processes that change one value at once lose no step, no count and no failure", async () => {
  const places = [place("/m"), place("/m"), place("/m")] as const;
  const [first] = places;
  fill(first.memory);
  await first.keeper.sync(first.turn);
  for (const { keeper, turn } of places) await keeper.sync(turn);
  for (const [n, { memory }] of places.entries()) {
    const { sentinel, utility, anomaly, trust } = memory.gates;
    const sequence = sentinel.conversations.get(OWNER)!;
    sentinel.conversations.set(OWNER, {
      steps: [...sequence.steps, [`t${n}`, "x"]],
      calls: 2,
      progress: new Map([[`p${n}`, 1], ...sequence.progress]),
    });
    const said = utility.conversations.get(OWNER)!;
    said.tools.set("read", { ...said.tools.get("read")!, calls: 2 });
    said.answered.add(`k${n}`);
    utility.changes += 1;
    const window = anomaly.windows.get("bash")!;
    anomaly.windows.set("bash", { ...window, calls: [...window.calls, true], failed: window.failed + 1 });
    trust.levels.set("two", { level: n === 1 ? "untrusted" : "trusted", until: 5 });
  }
  await Promise.all(places.map(({ keeper, turn }) => keeper.sync(turn)));
  for (const { keeper, memory, turn } of places) {
    await keeper.sync(turn);
    const { sentinel, utility, anomaly, trust } = memory.gates;
    const { steps, calls, progress } = sentinel.conversations.get(OWNER)!;
    expect([steps.map(([name]) => name).sort(), calls, [...progress].sort()]).toEqual([
      ["read", "t0", "t1", "t2"],
      4,
      ["p", "p0", "p1", "p2"].map((name) => [name, name === "p" ? 2 : 1]),
    ]);
    const { tools, answered } = utility.conversations.get(OWNER)!;
    expect([tools.get("read")!.calls, [...answered].sort(), utility.changes]).toEqual([4, ["k", "k0", "k1", "k2"], 6]);
    expect(anomaly.windows.get("bash")).toMatchObject({ calls: [true, false, true, true, true], failed: 4 });
    expect(trust.levels.get("two")).toMatchObject({ level: "untrusted" });
  }
});

it("what never stops changing meanwhile is not taken for stored", async () => {
  let version = 1;
  const restless: typeof store = { ...store, read: () => ({ version: ++version, items: new Map() }), write: async () => null };
  const here = place("/n", undefined, restless);
  here.memory.gates.quota.set(OWNER, new Set(["a"]));
  await expect(here.keeper.sync(here.turn)).rejects.toThrow("it keeps changing while it is stored");
});

it("sessions that nobody uses leave the memory and not the store, and one that could not be stored leaves neither", async () => {
  let isFull = false;
  const write: typeof store.write = async (changes, at) => {
    if (isFull) throw new Error("full");
    return store.write(changes, at);
  };
  const here = place("/e", undefined, { ...store, write });
  const taint = (name: string) =>
    here.keeper.during(here.turnOf(name), async () => {
      here.memory.gates.sentinel.taints.set(`caller client:claude ${name}`, { private: name, stranger: null });
      await here.keeper.sync(here.turnOf(name));
    });
  await taint("first");
  isFull = true;
  await expect(taint("unstored")).rejects.toThrow("full");
  expect(isUnsaved(here.memory)).toBe(true);
  isFull = false;
  for (let n = 0; n < 100; n++) await taint(`n${n}`);
  const { taints } = here.memory.gates.sentinel;
  expect([taints.has("caller client:claude first"), taints.has("caller client:claude unstored"), taints.size < 100]).toEqual([
    false,
    true,
    true,
  ]);
  await here.keeper.sync(here.turnOf("first"));
  expect(taints.get("caller client:claude first")).toEqual({ private: "first", stranger: null });
  await here.keeper.sync(here.turnOf("unstored"));
  expect(isUnsaved(here.memory)).toBe(false);
});

it("texts are stored without secrets", async () => {
  const first = place("/f", (text) => text.replaceAll("hunter2", "[…]"));
  first.memory.gates.sentinel.taints.set(OWNER, { private: "hunter2.env", stranger: null });
  await first.keeper.sync(first.turn);
  expect([...store.read({ workspace: "/f", owner: OWNER }, 0)!.items.values()]).toEqual(['"[…].env"']);
});

it("is kept for 30 days", () => expect(SESSION_KEPT_MS).toBe(30 * 24 * 3_600_000));

it("more sessions at once than gates remember are refused, and none of them is forgotten", async () => {
  const here = place("/g");
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const taint = (name: string) =>
    here.keeper.during(here.turnOf(name), async () => {
      here.memory.gates.sentinel.conversations.set(`caller client:claude ${name}`, { steps: [[name]], calls: 1, progress: new Map() });
      await ended;
      await here.keeper.sync(here.turnOf(name));
    });
  const all = Array.from({ length: 80 }, (_, n) =>
    taint(`n${n}`).then(
      () => n,
      () => null,
    ),
  );
  end();
  const done = (await Promise.all(all)).filter((n) => n !== null);
  expect(done.length).toBeGreaterThan(50);
  expect(done.length).toBeLessThan(64);
  for (const n of done) expect(store.read({ workspace: "/g", owner: `caller client:claude n${n}` }, 0)?.items.size).toBe(1);
});
