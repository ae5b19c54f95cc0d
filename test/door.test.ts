import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../src/core/call.ts";
import { ApprovedCall, Door } from "../src/core/door.ts";
import { ToolError } from "../src/core/error.ts";
import { type Gate, ONLY_CALLS } from "../src/core/gate/gate.ts";
import type { Pending, Verdict } from "../src/core/gate/verdict.ts";
import type { Outcome } from "../src/core/layer.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createSession } from "../src/core/session.ts";
import { defineTool } from "../src/core/tool.ts";
import { read } from "../src/tools/read.ts";

const session = createSession();
const turn = session.current({});
const autonomous = session.current({ phase: "autonomous" });
const tools = new Map([[read.name, read]]);
const call = (id = "1") => ToolCall.parse(ToolRequest.from({ id, name: "read", args: { path: "a.txt" } })!, tools) as ToolCall;

const pass: Verdict = { kind: "pass" };
const ask: Verdict = { kind: "ask", rule: null, why: "sure?" };
const deny: Verdict = { kind: "deny", rule: "r", why: "no" };
const saying = (verdict: Verdict, name: string = verdict.kind): Gate => ({ name, alsoJudges: ONLY_CALLS, judge: () => verdict });
const forever = () => new Promise<Verdict>(() => {});
const SHORT = { judgeMs: 20, consultMs: 20 };
const door = (...gates: Gate[]) => new Door(() => null, gates, undefined, SHORT);

it("A call against which two gates speak is noted with both of their objections, one with a single objection is not", async () => {
  const both = door(saying(ask), saying(pass), saying(deny));
  const denied = call();
  await both.preapprove(denied, turn);
  expect(both.noted(denied)?.objections).toEqual([
    { gate: "ask", kind: "ask", rule: null },
    { gate: "deny", kind: "deny", rule: "r" },
  ]);
  const one = door(saying(ask), saying(pass));
  const asked = call();
  await one.preapprove(asked, turn);
  expect(one.noted(asked)).toBeUndefined();
  await both.review(asked, turn);
  expect(both.noted(asked)).toBeUndefined();
});

describe("A gate that cannot take in what happened", () => {
  const failing = (how: "admitted" | "settled", times: number): Gate => ({
    name: "f",
    alsoJudges: ONLY_CALLS,
    judge: () => pass,
    [how]() {
      if (times-- > 0) throw new Error("lost count");
    },
  });
  const outcome: Outcome = { ok: false, callId: "1", error: new ToolError("timeout", ""), decision: { verdict: "allow" } };
  const lost = { kind: "denied", objection: { gate: "f", why: "The f gate failed: lost count" } };
  it("lets nothing in when it is told of the call", async () => {
    const told: string[] = [];
    const shut = door(failing("admitted", 1), { ...saying(pass, "g"), admitted: (c) => void told.push(c.id) });
    expect(await shut.preapprove(call(), turn)).toMatchObject(lost);
    expect(told).toEqual([]);
    expect(await shut.preapprove(call("2"), turn)).toBeInstanceOf(ApprovedCall);
  });
  it("denies the next call when it is told how one ended, and the others are told all the same", async () => {
    const told: string[] = [];
    const shut = door(failing("settled", 1), { ...saying(pass, "g"), settled: (c) => void told.push(c.id) });
    shut.settled(call(), outcome, turn);
    expect(told).toEqual(["1"]);
    expect((await shut.review(call("2"), turn)).verdict).toBe("deny");
    expect(await shut.preapprove(call("2"), turn)).toMatchObject(lost);
    expect(await shut.preapprove(call("3"), turn)).toBeInstanceOf(ApprovedCall);
  });
  it("is a blocklist that hangs: nothing gets in", async () => {
    const shut = new Door(() => new Promise(() => {}), [], undefined, SHORT);
    expect(await shut.preapprove(call(), turn)).toMatchObject({ kind: "denied", objection: { gate: "blocklist" } });
  });
});

describe("A gate that hangs or throws has denied, in its own name", () => {
  const broken = async (): Promise<Verdict> => {
    throw new Error("bug");
  };
  const thrown = (): Verdict => {
    throw "no error at all";
  };
  it.each([
    ["judges for ever", { judge: forever }, "The slow gate failed: it did not answer within 20 ms"],
    ["is consulted for ever", { judge: () => pass, consult: forever }, "The slow gate failed: it did not answer within 20 ms"],
    ["fails when consulted", { judge: () => pass, consult: broken }, "The slow gate failed: bug"],
    ["throws what is no error", { judge: thrown }, "The slow gate failed: no error at all"],
  ])("when it %s", async (_how, gate, why) => {
    const shut = door(saying(pass), { name: "slow", alsoJudges: ONLY_CALLS, ...gate });
    expect(await shut.preapprove(call(), turn)).toEqual({
      kind: "denied",
      objection: { kind: "deny", gate: "slow", rule: "failed", why },
    });
    expect(shut.counts().get("slow")).toEqual({ passed: 0, asked: 0, denied: 1 });
  });
  it("also when its consultation fails before it is a promise", async () => {
    const consult = () => {
      throw new Error("bug");
    };
    expect(await door({ name: "slow", alsoJudges: ONLY_CALLS, judge: () => pass, consult }).preapprove(call(), turn)).toMatchObject({
      kind: "denied",
      objection: { gate: "slow" },
    });
  });
  it("and what it says too late changes nothing", async () => {
    let answer = (_: Verdict) => {};
    const late: Gate = { name: "late", alsoJudges: ONLY_CALLS, judge: () => new Promise((resolve) => (answer = resolve)) };
    const shut = door(late);
    expect(await shut.preapprove(call(), turn)).toMatchObject({ kind: "denied", objection: { gate: "late" } });
    answer(pass);
    await new Promise(setImmediate);
    expect(shut.counts().get("late")).toEqual({ passed: 0, asked: 0, denied: 1 });
  });
});

describe("A redirect and an inner command", () => {
  const page = defineTool({
    ...read,
    name: "page",
    effect: "fetches",
    input: z.strictObject({ url: z.url() }),
    touches: ({ url }) => [{ kind: "url", url }],
    run: async () => ({ text: "" }),
  });
  const fetched = ToolCall.parse(
    ToolRequest.from({ id: "f", name: "page", args: { url: "https://a.example/" } })!,
    new Map([["page", page]]),
  );
  const permit = async () => (await door().preapprove(fetched as ToolCall, turn)) as ApprovedCall;
  const both = (answer: () => Verdict | Promise<Verdict>): Gate => ({
    ...saying(pass, "g"),
    alsoJudges: { redirects: answer, innerCommands: answer },
  });
  const answers = async (open: Door, url = "https://b.example/") => [
    await open.redirect(await permit(), url, turn),
    await open.would(call(), turn),
  ];
  const objection = (why: string) => ({ kind: "deny", gate: "g", rule: "failed", why: `The g gate failed: ${why}` });

  it("are refused by a gate that throws, hangs or lost count, as a call is", async () => {
    const throwing = () => {
      throw new Error("bug");
    };
    expect(await answers(door(both(throwing)))).toEqual([objection("bug"), objection("bug")]);
    const late = objection("it did not answer within 20 ms");
    expect(await answers(door(both(forever)))).toEqual([late, late]);
    const lost: Gate = {
      ...both(() => pass),
      settled() {
        throw new Error("lost count");
      },
    };
    const shut = door(lost);
    shut.settled(call(), { ok: false, callId: "1", error: new ToolError("timeout", ""), decision: { verdict: "allow" } }, turn);
    expect(await answers(shut)).toEqual([objection("lost count"), objection("lost count")]);
  });
  it("are refused where the gate would have to ask", async () => {
    expect(await answers(door(both(() => ask)))).toEqual([
      { ...ask, gate: "g" },
      { ...ask, gate: "g" },
    ]);
  });
  it("are put to the blocklist first, and one that fails or hangs refuses them", async () => {
    let asked = 0;
    const counting = both(() => {
      asked++;
      return pass;
    });
    for (const blocklist of [
      () => ({ rule: "b", why: "barred" }),
      () => Promise.reject(new Error("bug")),
      () => new Promise<null>(() => {}),
    ])
      expect(await answers(new Door(blocklist, [counting], undefined, SHORT))).toMatchObject([
        { gate: "blocklist" },
        { gate: "blocklist" },
      ]);
    expect(asked).toBe(0);
  });
  it("are not put to a gate that ignores them, nor counted, nor admitted", async () => {
    const open = door({ ...saying(deny), admitted: () => expect.fail("a redirect is no call") });
    expect(await answers(open)).toEqual([null, null]);
    expect([...open.counts()]).toEqual([]);
  });
  it("are judged as a call with the new address where a gate wants that, and an address the tool does not take is refused", async () => {
    const seen: unknown[] = [];
    const looking: Gate = {
      name: "looking",
      alsoJudges: { redirects: "as a call", innerCommands: "ignored" },
      judge({ input, touches }) {
        seen.push(input, touches);
        return deny;
      },
    };
    expect((await answers(door(looking)))[0]).toEqual({ ...deny, gate: "looking" });
    expect(seen).toEqual([{ url: "https://b.example/" }, [{ kind: "url", url: "https://b.example/" }]]);
    expect((await answers(door(looking), "no address"))[0]).toMatchObject({ kind: "deny", gate: "door", rule: "redirect" });
  });
});

describe("Who is consulted", () => {
  const consulted = (answer: () => Promise<Verdict>, judge: Gate["judge"] = () => pass) => {
    let times = 0;
    const gate: Gate = {
      name: "model",
      alsoJudges: ONLY_CALLS,
      judge,
      consult: () => {
        times++;
        return answer();
      },
    };
    return { gate, times: () => times };
  };
  it("is asked once about a call, however often it is judged", async () => {
    const { gate, times } = consulted(async () => pass);
    const open = door(saying(ask), gate);
    const one = call();
    const pending = (await open.preapprove(one, turn)) as Pending;
    expect(await open.confirm(pending, { by: "me", callId: "1" }, turn)).toBeInstanceOf(ApprovedCall);
    expect(times()).toBe(1);
    await open.preapprove(call("2"), turn);
    expect(times()).toBe(2);
  });
  it("is not asked about a call that somebody denied, wherever that one stands", async () => {
    for (const order of [0, 1]) {
      const { gate, times } = consulted(async () => pass);
      const gates = order === 0 ? [saying(deny), gate] : [gate, saying(deny)];
      const shut = door(...gates);
      expect(await shut.preapprove(call(), turn)).toMatchObject({ kind: "denied", objection: { gate: "deny" } });
      expect(times()).toBe(0);
    }
  });
  it("is not asked just to see", async () => {
    const { gate, times } = consulted(async () => deny);
    expect(await door(gate).review(call(), turn)).toMatchObject({ verdict: "allow" });
    expect(times()).toBe(0);
  });
  it("decides in place of its own first word, keeps its place, and sees the caller's signal", async () => {
    const stop = new AbortController();
    let heard: AbortSignal | undefined;
    const gate: Gate = {
      name: "model",
      alsoJudges: ONLY_CALLS,
      judge: () => ask,
      consult: async (_call, _turn, signal) => {
        heard = signal;
        return deny;
      },
    };
    const shut = door(gate, saying(pass, "after"));
    expect(await shut.preapprove(call(), turn, stop.signal)).toMatchObject({ kind: "denied", objection: { gate: "model", why: "no" } });
    expect(heard).toBe(stop.signal);
    expect([...shut.counts()]).toEqual([
      ["blocklist", { passed: 1, asked: 0, denied: 0 }],
      ["model", { passed: 0, asked: 0, denied: 1 }],
      ["after", { passed: 1, asked: 0, denied: 0 }],
    ]);
  });
  it("is not asked again by other rules that would ask the same", async () => {
    for (const [question, expected] of [
      ["same", 1],
      [undefined, 2],
    ] as const) {
      const { gate, times } = consulted(async () => pass);
      const built = (): Gate => ({ ...gate, ...(question && { question }) });
      const open = door(saying(ask), built());
      const pending = (await open.preapprove(call(), turn)) as Pending;
      open.replace({ blocklist: () => null, gates: [saying(ask), built()] });
      expect(await open.confirm(pending, { by: "me", callId: "1" }, turn)).toBeInstanceOf(ApprovedCall);
      expect(times()).toBe(expected);
    }
  });
});

describe("Counts", () => {
  it("count a call once, whether it is looked at, asked about or confirmed", async () => {
    const open = door(saying(ask, "asks"), saying(pass, "passes"));
    await open.review(call(), turn);
    expect([...open.counts()]).toEqual([]);
    const pending = (await open.preapprove(call(), turn)) as Pending;
    await open.confirm(pending, { by: "me", callId: "1" }, turn);
    expect(Object.fromEntries(open.counts())).toEqual({
      blocklist: { passed: 1, asked: 0, denied: 0 },
      asks: { passed: 0, asked: 1, denied: 0 },
      passes: { passed: 1, asked: 0, denied: 0 },
    });
  });
  it("also count a denial that came only after the yes", async () => {
    let times = 0;
    const open = door({ name: "turns", alsoJudges: ONLY_CALLS, judge: () => (times++ === 0 ? ask : deny) });
    const pending = (await open.preapprove(call(), turn)) as Pending;
    expect(await open.confirm(pending, { by: "me", callId: "1" }, turn)).toMatchObject({ kind: "denied" });
    expect(open.counts().get("turns")).toEqual({ passed: 0, asked: 1, denied: 1 });
  });
  it("name the blocklist when it bars", async () => {
    const shut = new Door(() => ({ rule: "b", why: "barred" }), [saying(pass)]);
    await shut.preapprove(call(), turn);
    expect(Object.fromEntries(shut.counts())).toEqual({ blocklist: { passed: 0, asked: 0, denied: 1 } });
  });
});

describe("Rules that are exchanged", () => {
  it("hold from the next call on; one that is being judged is judged and let in by the old ones", async () => {
    let answer = (_: Verdict) => {};
    const told: string[] = [];
    const old: Gate = {
      name: "old",
      alsoJudges: ONLY_CALLS,
      judge: () => new Promise((resolve) => (answer = resolve)),
      admitted: ({ id }) => void told.push(`old ${id}`),
    };
    const fresh: Gate = { ...saying(deny, "fresh"), admitted: ({ id }) => void told.push(`fresh ${id}`) };
    const open = new Door(() => null, [old, saying(pass, "second")]);
    const judged = open.preapprove(call("1"), turn);
    await new Promise(setImmediate);
    open.replace({ blocklist: () => null, gates: [fresh] });
    answer(pass);
    expect(await judged).toBeInstanceOf(ApprovedCall);
    expect(told).toEqual(["old 1"]);
    expect(await open.preapprove(call("2"), turn)).toMatchObject({ kind: "denied", objection: { gate: "fresh" } });
  });
  it("judge the yes to a question that was put under the old ones", async () => {
    const open = door(saying(ask));
    const pending = (await open.preapprove(call(), turn)) as Pending;
    open.replace({ blocklist: () => ({ rule: "b", why: "barred" }), gates: [] });
    expect(await open.confirm(pending, { by: "me", callId: "1" }, turn)).toMatchObject({
      kind: "denied",
      objection: { gate: "blocklist" },
    });
  });
  it("are those that were given: a list that is changed afterwards changes nothing", async () => {
    const gates = [saying(deny)];
    const shut = door();
    shut.replace({ blocklist: () => null, gates });
    gates.length = 0;
    expect(await shut.preapprove(call(), turn)).toMatchObject({ kind: "denied" });
  });
  it("take no permit back", async () => {
    const open = door();
    const permit = (await open.preapprove(call(), turn)) as ApprovedCall;
    open.replace({ blocklist: () => null, gates: [saying(deny)] });
    expect(() => open.check(permit)).not.toThrow();
  });
});

describe("Our own upkeep", () => {
  it("is never asked about: a question is a refusal, by the gate that asked", async () => {
    const open = door(saying(pass), saying(ask));
    expect(await open.preapprove(call(), autonomous)).toMatchObject({
      kind: "denied",
      objection: { kind: "deny", gate: "ask", why: expect.stringMatching(/^sure\? /) },
    });
    expect(await open.review(call(), autonomous)).toMatchObject({ verdict: "deny" });
    expect(await open.preapprove(call(), turn)).toMatchObject({ kind: "pending" });
  });
  it("passes where nobody objects", async () => {
    expect(await door(saying(pass)).preapprove(call(), autonomous)).toBeInstanceOf(ApprovedCall);
  });
});

describe("What gates note", () => {
  it("is kept of a decision, all of it, and not of a look", async () => {
    const open = door(saying({ ...pass, noted: { policy_match: "rule[0]" } }), saying({ ...pass, noted: { suspect: "a path" } }));
    const [looked, decided] = [call(), call()];
    await open.review(looked, turn);
    await open.preapprove(decided, turn);
    expect(open.noted(looked)).toBeUndefined();
    expect(open.noted(decided)).toEqual({ policy_match: "rule[0]", suspect: "a path" });
  });
});
