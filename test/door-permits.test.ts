import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ToolCall } from "../src/core/call.ts";
import { ApprovedCall, Door } from "../src/core/door.ts";
import { type Gate, ONLY_CALLS } from "../src/core/gate/gate.ts";
import type { Denied, Pending, Verdict } from "../src/core/gate/verdict.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createSession } from "../src/core/session.ts";
import { read } from "../src/tools/read.ts";

const turn = createSession().current({});
const tools = new Map([[read.name, read]]);
const callOf = (id = "1") => ToolCall.parse(ToolRequest.from({ id, name: "read", args: { path: "a.txt" } })!, tools) as ToolCall;
const gateSaying = (verdict: Verdict, name: string = verdict.kind): Gate => ({ name, alsoJudges: ONLY_CALLS, judge: () => verdict });
const pass: Verdict = { kind: "pass" };
const ask: Verdict = { kind: "ask", rule: "q", why: "sure?" };
const deny: Verdict = { kind: "deny", rule: "r", why: "no" };
const doorOf = (...gates: Gate[]) => new Door(() => null, gates);

describe("A permit", () => {
  it("is made by no one but a door", () => {
    const Made = ApprovedCall as unknown as new (key: symbol, call: ToolCall, grant: object) => unknown;
    expect(() => new Made(Symbol("approved"), callOf(), { kind: "preapproved" })).toThrow("Only a Door can approve a call.");
  });

  it("holds its call and why it was let in, and nobody can change either", async () => {
    const call = callOf();
    const permit = (await doorOf(gateSaying(pass)).preapprove(call, turn)) as ApprovedCall;
    expect(permit).toMatchObject({ call, grant: { kind: "preapproved" }, input: { path: "a.txt" } });
    expect(Object.isFrozen(permit)).toBe(true);
  });

  it("names the person and the questions of a yes", async () => {
    const open = doorOf(gateSaying(ask, "first"), gateSaying(pass), gateSaying(ask, "second"));
    const pending = (await open.preapprove(callOf(), turn)) as Pending;
    expect(pending).toMatchObject({ kind: "pending", asked: [{ gate: "first" }, { gate: "second" }] });
    const permit = await open.confirm(pending, { by: "anna", callId: "1" }, turn);
    expect(permit).toMatchObject({ grant: { kind: "confirmed", by: "anna", asked: [{ gate: "first" }, { gate: "second" }] } });
  });

  it("opens the door that issued it, until its call is over, and no other", async () => {
    const open = doorOf();
    const permit = (await open.preapprove(callOf(), turn)) as ApprovedCall;
    expect(() => open.check(permit)).not.toThrow();
    expect(() => doorOf().check(permit)).toThrow("This door did not issue that permit.");
    open.retire(permit);
    expect(() => open.check(permit)).toThrow("This door did not issue that permit.");
  });
});

describe("A door denies", () => {
  it("what a gate denies, by the first that did, on both paths", async () => {
    let verdict: Verdict = ask;
    const changing: Gate = { ...gateSaying(pass, "changing"), judge: () => verdict };
    const open = doorOf(changing, gateSaying(pass));
    const pending = (await open.preapprove(callOf(), turn)) as Pending;
    verdict = deny;
    expect(await open.preapprove(callOf(), turn)).toEqual({ kind: "denied", objection: { ...deny, gate: "changing" } });
    expect(await open.confirm(pending, { by: "anna", callId: "1" }, turn)).toEqual({
      kind: "denied",
      objection: { ...deny, gate: "changing" },
    });
  });

  it("a yes to another call, and a yes to fewer questions than there are now", async () => {
    let second: Verdict = pass;
    const open = doorOf(gateSaying(ask, "first"), { ...gateSaying(pass, "second"), judge: () => second });
    const pending = (await open.preapprove(callOf(), turn)) as Pending;
    expect(await open.confirm(pending, { by: "anna", callId: "2" }, turn)).toMatchObject({ kind: "denied" });
    second = ask;
    expect(await open.confirm(pending, { by: "anna", callId: "1" }, turn)).toMatchObject({ kind: "denied" });
    second = pass;
    expect(await open.confirm(pending, { by: "anna", callId: "1" }, turn)).toBeInstanceOf(ApprovedCall);
  });

  it("what the hooks refuse or fail over, and asks them last, on both paths", async () => {
    let answer: () => Promise<string | null> = async () => "not today";
    const asked: string[] = [];
    const open = new Door(
      () => null,
      [gateSaying(ask)],
      async ({ id }) => {
        asked.push(id);
        return answer();
      },
    );
    const pending = (await open.preapprove(callOf(), turn)) as Pending;
    expect(asked).toEqual([]);
    const yes = () => open.confirm(pending, { by: "anna", callId: "1" }, turn);
    expect(await yes()).toMatchObject({ kind: "denied", objection: { kind: "deny", gate: "hooks", rule: "pre_tool", why: "not today" } });
    answer = () => Promise.reject(new Error("broken"));
    expect(((await yes()) as Denied).objection).toMatchObject({ gate: "hooks", rule: "pre_tool", why: "A hook failed: Error: broken" });
    answer = async () => null;
    expect(await yes()).toBeInstanceOf(ApprovedCall);
    expect(asked).toEqual(["1", "1", "1"]);
    const vetoed = new Door(
      () => null,
      [gateSaying(pass)],
      async () => "never",
    );
    expect(await vetoed.preapprove(callOf(), turn)).toMatchObject({ kind: "denied", objection: { gate: "hooks", why: "never" } });
  });
});

it("A tool is hidden if one gate hides it, whatever the others say", () => {
  const hiding = (name: string): Gate => ({ ...gateSaying(pass), hides: (tool) => tool.name === name });
  expect(doorOf(gateSaying(pass), hiding("read"), hiding("other")).hides(read)).toBe(true);
  expect(doorOf(gateSaying(pass), hiding("other")).hides(read)).toBe(false);
});

describe("Upkeep that nobody asked for", () => {
  const upkeep = createSession().current({ phase: "autonomous" });
  const consulted: string[] = [];
  const consulting: Gate = {
    ...gateSaying(pass, "consulting"),
    consult: async ({ id }) => {
      consulted.push(id);
      return pass;
    },
  };

  it("costs no consultation where a person would have to be asked, and one where not", async () => {
    expect(await doorOf(gateSaying(ask), consulting).preapprove(callOf("asked"), upkeep)).toMatchObject({ kind: "denied" });
    expect(await doorOf(gateSaying(pass), consulting).preapprove(callOf("free"), upkeep)).toBeInstanceOf(ApprovedCall);
    expect(consulted).toEqual(["free"]);
  });
});

it("A door leaves no timer behind when a call is judged, looked at or asked about", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slow: Gate = { ...gateSaying(pass, "slow"), judge: async () => pass, consult: async () => pass };
  const open = new Door(async () => null, [slow]);
  await open.preapprove(callOf(), turn);
  await open.review(callOf(), turn);
  await open.would(callOf(), turn);
  expect(vi.getTimerCount()).toBe(0);
});
