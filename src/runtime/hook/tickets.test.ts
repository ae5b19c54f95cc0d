import { expect, it } from "vitest";
import { findClient } from "../../hook/find-client.ts";
import { rewriteCall } from "./rewrite-call.ts";
import { createExecTickets } from "./tickets.ts";

const WANTED = { client: "claude", session: "s", cwd: "/w", command: "ls", agreed: true };

it("a ticket is good once", () => {
  const tickets = createExecTickets();
  const ticket = tickets.issue(WANTED);
  expect(ticket).toMatch(/^[0-9a-f]{32}$/);
  expect(tickets.take(ticket, { cwd: "/w", command: null })).toEqual(WANTED);
  expect(tickets.take(ticket, { cwd: "/w", command: null })).toBeNull();
});

it.each([
  ["another command", { cwd: "/w", command: "rm -r x" }],
  ["another folder", { cwd: "/x", command: "ls" }],
])("a ticket is not good for %s, and is used up by it", (_what, asked) => {
  const tickets = createExecTickets();
  const ticket = tickets.issue(WANTED);
  expect(tickets.take(ticket, asked)).toBeNull();
  expect(tickets.take(ticket, { cwd: "/w", command: "ls" })).toBeNull();
});

it("a ticket is good for a minute", () => {
  let now = 0;
  const tickets = createExecTickets(() => now);
  const [early, late] = [tickets.issue(WANTED), tickets.issue(WANTED)];
  now = 59_999;
  expect(tickets.take(early, { cwd: "/w", command: "ls" })).toEqual(WANTED);
  now = 60_000;
  expect(tickets.take(late, { cwd: "/w", command: "ls" })).toBeNull();
});

it.each([
  ["claude", "rewrite"],
  ["codex", "allow"],
])("a command of %s becomes its ticket, and stays readable behind it", async (name, kind) => {
  const tickets = createExecTickets();
  const call = { cwd: "/w", session: "s", callId: null, tool: "Bash", args: { command: "ls\n-l", timeout: 5 } };
  const parts = { tickets, program: "/opt/zeph hook", mayRewrite: async () => true };
  const said = await rewriteCall(call, findClient(name)!, parts);
  const { command, ...rest } = (said as { args: Record<string, string> }).args;
  const [, ticket] = /^'\/opt\/zeph hook' exec ([0-9a-f]{32}) # ls[^\n]*-l$/.exec(command!)!;
  expect([said?.kind, rest]).toEqual([kind, { timeout: 5 }]);
  expect(tickets.take(ticket!, { cwd: "/w", command: null })?.command).toBe("ls\n-l");
  expect(await rewriteCall(call, findClient(name)!, { ...parts, mayRewrite: async () => false })).toBeNull();
  expect(await rewriteCall({ ...call, args: { ...call.args, run_in_background: true } }, findClient(name)!, parts)).toBeNull();
});
