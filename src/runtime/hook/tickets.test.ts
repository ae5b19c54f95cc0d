import { expect, it } from "vitest";
import { findClient } from "../../hook/find-client.ts";
import { isRewritten, rewriteCall } from "./rewrite-call.ts";
import { createExecTickets } from "./tickets.ts";

const WANTED = {
  ...{ client: "claude", session: "s", cwd: "/w", from: ["/w"], command: "ls", processes: ["70 1", "71 2"] },
  ...{ agreed: true, waits: false, note: null },
};
const USE = { cwd: "/w", command: null, above: ["90 1", "71 2", "5 1"] };

it("a ticket is good once", () => {
  const tickets = createExecTickets();
  const ticket = tickets.issue(WANTED);
  expect(ticket).toMatch(/^[0-9a-f]{32}$/);
  expect(tickets.take(ticket, USE)).toEqual(WANTED);
  expect(tickets.take(ticket, USE)).toBeNull();
});

it.each([
  ["another command", { command: "rm -r x" }],
  ["another folder", { cwd: "/x" }],
  ["what another process started", { above: ["90 1", "5 1"] }],
  ["what a later process with the same number started", { above: ["90 1", "71 3", "5 1"] }],
  ["what nobody knows the starter of", { above: [] }],
])("a ticket is not good for %s, and is used up by it", (_what, other) => {
  const tickets = createExecTickets();
  const ticket = tickets.issue(WANTED);
  expect(tickets.take(ticket, { ...USE, ...other })).toBeNull();
  expect(tickets.take(ticket, USE)).toBeNull();
});

it.each([
  ["a minute", false, 60_000],
  ["ten minutes where a person may be asked first", true, 600_000],
])("a ticket is good for %s", (_name, waits, life) => {
  let now = 0;
  const tickets = createExecTickets(() => now);
  const [early, late] = [tickets.issue({ ...WANTED, waits }), tickets.issue({ ...WANTED, waits })];
  now = life - 1;
  expect(tickets.take(early, { ...USE, command: "ls" })).toEqual({ ...WANTED, waits });
  now = life;
  expect(tickets.take(late, { ...USE, command: "ls" })).toBeNull();
});

it.each(["claude", "codex"])("a command of %s becomes its ticket, and stays readable behind it", (name) => {
  const tickets = createExecTickets();
  const call = { cwd: "/w", session: "s", callId: null, tool: "Bash", args: { command: "ls\n-l 'x' <<E\n# y\nE", timeout: 5 } };
  const judged = { client: findClient(name)!, call, command: call.args.command, processes: ["71 2"], agreed: false, waits: false };
  const said = rewriteCall(judged, { tickets, program: "/opt/zeph hook", isFirst: () => false });
  const { command, ...rest } = said.args as Record<string, string>;
  const [, ticket] = /^'\/opt\/zeph hook' exec ([0-9a-f]{32}) # ls[^\n]*$/.exec(command!)!;
  expect(rest).toEqual({ timeout: 5 });
  expect(tickets.take(ticket!, USE)?.command).toBe(call.args.command);
  expect(isRewritten(command!, "/opt/zeph hook")).toBe(true);
});

it.each([
  ["/opt/zeph-hook exec 0123", true],
  ["'/opt/x y/zeph-hook' exec 0123 # ls", true],
  ["cd x && zeph-hook exec 0123", true],
  ["zeph-exec 0123", true],
  ["node /x/hook-client.cjs exec 0123", true],
  ["grep zeph-hook docs", false],
  ["cat zeph-executive.md", false],
  ["ls", false],
])("whether %s is a text of ours: %s", (command, isOurs) => expect(isRewritten(command, "/opt/zeph-hook-program")).toBe(isOurs));
