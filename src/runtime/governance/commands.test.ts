import { rmSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { workspace } from "../../../test/workspace.ts";
import { defineTool, NEVER, type Toolset } from "../../core/tool.ts";
import { gateViews } from "../rules/gate-views.ts";
import type { Calls } from "./calls.ts";
import { governanceCommands } from "./commands.ts";
import { notOffered } from "./tools.ts";

/** The commands of a real runtime with these settings under `tools`. */
async function commandsWith(tools: object, calls?: Calls, toolsets: readonly Toolset[] = []) {
  const { runtime, work, state, remove } = workspace([{ op: "file", path: "work/a.txt", content: "a" }]);
  const zeph = await runtime({ config: { audit: { path: `${state}/audit.jsonl` }, tools }, toolsets });
  onTestFinished(async () => {
    await zeph.close();
    rmSync(work, { recursive: true, force: true });
    remove();
  });
  const commands = new Map(
    governanceCommands(zeph.governance, { judge: zeph.judge, ...(calls && { calls }) }).map((one) => [one.name as string, one]),
  );
  return {
    zeph,
    helpOf: (name: string) => commands.get(name)!.help,
    run: async (line: string) => {
      const [name = "", ...rest] = line.split(" ");
      return (await commands.get(name)!.run(rest.join(" "), NEVER)).text;
    },
    offered: async (name: string, rest: string) => (await commands.get(name)!.complete?.(rest)) ?? [],
  };
}

it("unblocks a tool that failed too often, and offers those that are blocked", async () => {
  const { zeph, run, offered } = await commandsWith({});
  expect(await offered("/unblock", "")).toEqual([]);
  for (let n = 0; n < 12; n++) await zeph.callAny("read", { pth: "a.txt" });
  expect(await offered("/unblock", "")).toEqual(["read"]);
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { gate: "trust" } });
  await expect(run("/unblock reed")).rejects.toThrow('reed is not blocked. Did you mean "read"? Blocked: read.');
  await expect(run("/unblock")).rejects.toThrow("Blocked: read. Type /unblock <tool>.");
  expect(await run("/unblock read")).toBe("read is used again; its failures so far are forgotten.");
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
});

it("lifts a refusal by the beginning of a call's id, once and for exactly this call", async () => {
  const { zeph, run } = await commandsWith({ scoped: { enabled: true, denied_tools: ["read"] } });
  const { callId } = await zeph.call("read", { path: "a.txt" });
  await expect(run("/approve 00000000")).rejects.toThrow("The gate scoped refused no call 00000000 in this session.");
  await expect(run(`/approve ${callId} more`)).rejects.toThrow("Type /approve [tool|call_id].");
  await expect(run(`/approve ${callId.slice(0, 5)}`)).rejects.toThrow("give at least 6 characters of its id");
  expect(await run(`/approve ${callId.slice(0, 8)}`)).toMatch(/^read may be called with exactly these arguments, once/);
  expect((await zeph.call("read", { path: "b.txt" })).decision).toMatchObject({ verdict: "deny", gate: "scoped" });
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
  expect((await zeph.call("read", { path: "a.txt" })).decision).toMatchObject({ verdict: "deny", gate: "scoped" });
  await expect(run(`/approve ${callId.slice(0, 8)}`)).rejects.toThrow(`read (${callId.slice(0, 8)}) was approved already`);
});

it("approves the only refusal without an id, and lists them when there are several", async () => {
  const { zeph, run } = await commandsWith({ scoped: { enabled: true, denied_tools: ["read"] } });
  await expect(run("/approve")).rejects.toThrow("The gate scoped has refused no call here.");
  await zeph.call("read", { path: "a.txt" });
  const { callId: again } = await zeph.call("read", { path: "a.txt" });
  expect(zeph.governance.refusals()).toMatchObject([{ callId: again, tool: "read", args: '{"path":"a.txt"}' }]);
  expect(await run("/approve")).toMatch(/^read may be called with exactly these arguments, once/);
  await expect(run("/approve")).rejects.toThrow("The gate scoped has refused no call here.");
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
  const b = await zeph.call("read", { path: "b.txt" });
  const c = await zeph.call("read", { path: "c.txt" });
  const listed = await run("/approve").catch((error: Error) => error.message);
  expect(listed).toMatch(/^The gate scoped refused \d calls\. Type \/approve <call_id> with one of these:/);
  for (const { callId } of [b, c]) expect(listed).toContain(callId.slice(0, 8));
  expect((await zeph.judge("read", { path: "c.txt" })).verdict).toBe("deny");
});

it("approves the only refusal of the tool that is named, and lists them when there are several", async () => {
  const { zeph, run } = await commandsWith({ scoped: { enabled: true, denied_tools: ["read", "grep"] } });
  await zeph.call("grep", { pattern: "x" });
  await zeph.call("read", { path: "a.txt" });
  expect(await run("/approve read")).toMatch(/^read may be called with exactly these arguments, once/);
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
  expect((await zeph.call("grep", { pattern: "x" })).decision).toMatchObject({ gate: "scoped" });
  await expect(run("/approve read")).rejects.toThrow("No call is known as read");
  const calls = [await zeph.call("read", { path: "b.txt" }), await zeph.call("read", { path: "c.txt" })];
  const listed = await run("/approve read").catch((error: Error) => error.message);
  expect(listed).toMatch(/^The gate scoped refused 2 calls of read\. Type \/approve <call_id>/);
  for (const { callId } of calls) expect(listed).toContain(callId.slice(0, 8));
});

it("finds the tool whatever the case of its name", async () => {
  const own = defineTool({
    name: "countWords",
    description: "Counts words.",
    effect: "reads",
    input: z.strictObject({}),
    touches: () => [],
    run: async () => ({ text: "3" }),
  });
  const settings = { scoped: { enabled: true, denied_tools: ["countWords"] } };
  const { zeph, run } = await commandsWith(settings, undefined, [{ id: "own", list: () => [own] }]);
  for (const typed of ["countWords", "COUNTWORDS", "countwords"]) {
    await zeph.callAny("countWords", {});
    expect(await run(`/approve ${typed}`)).toMatch(/^countWords may be called with exactly these arguments, once/);
    expect(await zeph.callAny("countWords", {})).toMatchObject({ ok: true });
  }
});

it("takes the number a call is shown with, and without one approves the last refusal", async () => {
  const shown: string[] = [];
  const calls: Calls = { numbered: (n) => shown[n - 1], refused: () => shown.at(-1) };
  const { zeph, run } = await commandsWith(
    { scoped: { enabled: true, denied_tools: ["read"] }, governance: { trajectory_enabled: true } },
    calls,
  );
  for (const path of ["a.txt", "b.txt", "c.txt"]) shown.push((await zeph.call("read", { path })).callId);
  await run("/approve");
  await run("/approve [1]");
  const answers = await Promise.all(["a.txt", "b.txt", "c.txt"].map((path) => zeph.judge("read", { path })));
  expect(answers.map(({ verdict }) => verdict)).toEqual(["allow", "deny", "allow"]);
  expect(await run("/feedback ok 2")).toBe(`read (${shown[1]!.slice(0, 8)}): noted as fine; earlier feedback on it is removed.`);
  await expect(run("/approve 4")).rejects.toThrow("No call is known as 4");
});

it("knows tools of which every call is denied, and says who denies them", async () => {
  const { zeph, run, offered } = await commandsWith({ scoped: { enabled: true, denied_tools: ["fetch"] } });
  expect(zeph.tools().map(({ name }) => name)).not.toContain("fetch");
  const text = "fetch is not offered: scoped denies every call (tools.scoped.denied_tools)";
  expect(await run('/policy check fetch {"url":"https://a.example"}')).toContain(`\n  ${text}`);
  expect(await run('/policy check read {"path":"a.txt"}')).not.toContain("not offered");
  await expect(run("/policy check fetch {}")).rejects.toThrow(`"url" is missing. ${text}.`);
  expect(await offered("/policy", "check ")).toContain("fetch ");
  const whyNot = async (tools: object, name: string) => {
    const { zeph } = await commandsWith(tools);
    return notOffered(zeph.governance.tools().find((tool) => tool.name === name)!);
  };
  expect(await whyNot({ scoped: { enabled: true, allowed_tools: ["read"] } }, "bash")).toContain("(tools.scoped.allowed_tools)");
  expect(await whyNot({ policy: { enabled: true } }, "bash")).toBe("bash is not offered: policy denies every call (tools.policy)");
  expect(await whyNot({ permissions: { bash: [{ pattern: "*", action: "deny" }] } }, "bash")).toContain("(tools.permissions.bash)");
  expect(await whyNot({ enabled: false }, "bash")).toContain("(tools.enabled)");
  expect(await whyNot({}, "bash")).toBeNull();
});

it("says in one line that the blocklist left nobody to be asked, and keeps a row for each in what programs read", async () => {
  const { zeph, run } = await commandsWith({});
  const lines = (await run('/policy check bash {"command":"sudo id"}')).split("\n");
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^ {2}blocklist +deny/), "  the other gates were not asked"]);
  const found = await zeph.judge("bash", { command: "sudo id" });
  expect(gateViews(found, zeph.governance.gates())).toHaveLength(zeph.governance.gates().length);
});

it("counts nothing for a gate that is off", async () => {
  const { zeph } = await commandsWith({});
  await zeph.call("read", { path: "a.txt" });
  const gates = zeph.governance.gates();
  expect(gates.find(({ gate }) => gate === "scoped")).toEqual({ gate: "scoped", state: "off", passed: 0, asked: 0, denied: 0 });
  expect(gates.find(({ gate }) => gate === "files")).toMatchObject({ passed: 1 });
});

it("says of an allowed call that a judging model may still object", async () => {
  const { run } = await commandsWith({
    adversarial_policy: { enabled: true, policies: ["No secrets leave."], exempt_tools: ["grep"] },
    scoped: { enabled: true, denied_tools: ["find_path"] },
  });
  expect(await run('/policy check read {"path":"a.txt"}')).toMatch(/^allow, unless the judging model objects\n/);
  expect(await run('/policy check grep {"pattern":"a"}')).toMatch(/^allow\n/);
  expect(await run('/policy check find_path {"path":".","pattern":"*"}')).toMatch(/^deny: /);
});

it("judges a call without making it, from JSON alone", async () => {
  const { zeph, run, offered } = await commandsWith({});
  expect(await run('/policy check read {"path":"a.txt"}')).toMatch(/^allow\n {2}blocklist +pass\n/);
  expect(await run("/policy")).toMatch(/^blocklist: on\nself: for calls of other agents\nfiles: on\n/);
  await expect(run("/policy check read a.txt")).rejects.toThrow("The arguments of read are given as JSON");
  await expect(run("/policy check raed {}")).rejects.toThrow('Did you mean "read"?');
  await expect(run("/policy chekc")).rejects.toThrow('/policy chekc is not known. Did you mean "check"?');
  expect(await offered("/policy", "")).toEqual(["status", "check", "reload"]);
  expect(await offered("/policy", "check ")).toContain("read ");
  expect(zeph.governance.gates().every(({ passed, asked, denied }) => passed + asked + denied === 0)).toBe(true);
});

it("takes a person's judgement of a call, and lets the sequence begin anew", async () => {
  const { zeph, run, helpOf } = await commandsWith({ governance: { trajectory_enabled: true } });
  const { callId } = await zeph.call("read", { path: "a.txt" });
  const short = callId.slice(0, 8);
  for (const [word, meaning] of [
    ["unacceptable", "noted: do not repeat this call or the calls that led to it."],
    ["revoke", "noted: do not repeat this call, whatever came before it."],
    ["ok", "noted as fine; earlier feedback on it is removed."],
  ])
    expect(await run(`/feedback ${word} ${short}`)).toBe(`read (${short}): ${meaning}`);
  for (const meaning of ["unacceptable: do not repeat", "revoke: do not repeat", "ok: this call was fine"]) {
    expect(helpOf("/feedback")).toContain(meaning);
    await expect(run("/feedback")).rejects.toThrow(meaning);
  }
  await expect(run("/feedback ok 00000000")).rejects.toThrow(/^The sentinel does not know the call 00000000\. (?!.*trajectory_enabled)/);
  await expect(run("/feedback fine abcd")).rejects.toThrow("/feedback fine is not known.");
  expect(await run("/trajectory")).not.toBe("");
  expect(await run("/trajectory reset")).toMatch(/new sequence begins/);
});
