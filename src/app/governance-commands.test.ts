import { rmSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { workspace } from "../../test/workspace.ts";
import { NEVER } from "../core/tool.ts";
import { governanceCommands } from "./governance-commands.ts";

/** The commands of a real runtime with these settings under `tools`. */
async function commandsWith(tools: object) {
  const { runtime, work, state, remove } = workspace([{ op: "file", path: "work/a.txt", content: "a" }]);
  const zeph = await runtime({ config: { audit: { path: `${state}/audit.jsonl` }, tools } });
  onTestFinished(async () => {
    await zeph.close();
    rmSync(work, { recursive: true, force: true });
    remove();
  });
  const commands = new Map(governanceCommands(zeph.governance, zeph).map((one) => [one.name as string, one]));
  return {
    zeph,
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
  for (let n = 0; n < 12; n++) await zeph.call("read", { pth: "a.txt" });
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
  await expect(run(`/approve ${callId} more`)).rejects.toThrow("Type /approve <call_id>.");
  expect(await run(`/approve ${callId.slice(0, 8)}`)).toMatch(/^read may be called with exactly these arguments, once/);
  expect((await zeph.call("read", { path: "b.txt" })).decision).toMatchObject({ verdict: "deny", gate: "scoped" });
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
  expect((await zeph.call("read", { path: "a.txt" })).decision).toMatchObject({ verdict: "deny", gate: "scoped" });
});

it("judges a call without making it, from JSON alone", async () => {
  const { zeph, run, offered } = await commandsWith({});
  expect(await run('/policy check read {"path":"a.txt"}')).toMatch(/^allow\n {2}blocklist +pass\n/);
  expect(await run("/policy")).toMatch(/^blocklist: on\nfiles: on\n/);
  await expect(run("/policy check read a.txt")).rejects.toThrow("The arguments of read are given as JSON");
  await expect(run("/policy check raed {}")).rejects.toThrow('Did you mean "read"?');
  await expect(run("/policy chekc")).rejects.toThrow('/policy chekc is not known. Did you mean "check"?');
  expect(await offered("/policy", "")).toEqual(["status", "check", "reload"]);
  expect(await offered("/policy", "check ")).toContain("read ");
  expect(zeph.governance.gates().every(({ passed, asked, denied }) => passed + asked + denied === 0)).toBe(true);
});

it("takes a person's judgement of a call, and lets the sequence begin anew", async () => {
  const { zeph, run } = await commandsWith({ governance: { trajectory_enabled: true } });
  const { callId } = await zeph.call("read", { path: "a.txt" });
  expect(await run(`/feedback unacceptable ${callId.slice(0, 8)}`)).toMatch(/^read \([0-9a-f]{8}\): noted as unacceptable/);
  await expect(run("/feedback fine abcd")).rejects.toThrow("/feedback fine is not known.");
  expect(await run("/trajectory")).not.toBe("");
  expect(await run("/trajectory reset")).toMatch(/begins anew/);
});
