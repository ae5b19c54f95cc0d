import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Zeph } from "../../src/index.ts";
import { workspace } from "../workspace.ts";
import { cases } from "./cases.ts";

/** `self` is what the gate of that name says. `$$PID` is this process, `$BIN` a folder where programs are looked for, `$ROOT` that of this package. */
interface Case {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly self: "deny" | "ask" | "pass";
  readonly client?: string;
}
const bin = dirname(process.execPath);
const root = dirname(createRequire(import.meta.url).resolve("zeph/package.json"));
const all = cases<Case>("self.jsonl").map(
  (one): Case => JSON.parse(JSON.stringify(one).replaceAll("$$PID", String(process.pid)).replaceAll("$BIN", bin).replaceAll("$ROOT", root)),
);

const place = workspace([
  { op: "file", path: "work/.claude/settings.json", content: "{}" },
  { op: "file", path: "work/.codex/config.toml", content: "" },
  { op: "file", path: "work/.opencode/plugins/zeph.js", content: "" },
  { op: "file", path: "work/src/a.ts", content: "" },
  { op: "file", path: "work/x.json", content: "{}" },
  { op: "file", path: "work/sub/.claude/settings.json", content: "{}" },
  { op: "file", path: "work/cc/settings.json", content: "{}" },
  { op: "file", path: "work/cx/hooks.json", content: "{}" },
  { op: "file", path: "work/oc/opencode/plugins/zeph.js", content: "" },
  { op: "symlink", path: "work/link.json", target: ".claude/settings.json" },
  { op: "symlink", path: "work/linked", target: "/usr/local/bin/zeph" },
]);
const client = { name: "claude", session: "s", walls: "none", unruled: "left to it" } as const;
const anything = [{ pattern: "*", action: "allow" }];
let zeph: Zeph;
const stateBefore = process.env.XDG_STATE_HOME;
beforeAll(async () => {
  // As `zeph hook install` keeps it where CLAUDE_CONFIG_DIR, CODEX_HOME and XDG_CONFIG_HOME lead into the workspace.
  process.env.XDG_STATE_HOME = place.state;
  mkdirSync(join(place.state, "zeph"), { recursive: true });
  const hooks = [
    { client: "claude", file: join(place.work, "cc/settings.json") },
    { client: "codex", file: join(place.work, "cx/hooks.json") },
    { client: "opencode", file: join(place.work, "oc/opencode/plugins/zeph.js") },
  ];
  writeFileSync(join(place.state, "zeph/hooks.json"), JSON.stringify({ version: 1, hooks }));
  const tools = [
    "bash",
    "write",
    "edit",
    "delete_path",
    "move_path",
    "copy_path",
    "create_directory",
    "read",
    "mcp__fs__write_file",
    "mcp__fs__run",
  ];
  const permissions = Object.fromEntries(tools.map((tool) => [tool, anything]));
  zeph = await place.runtime({ config: { autonomy: "full", audit: { path: `${place.state}/self.jsonl` }, tools: { permissions } } });
});
afterAll(async () => {
  if (stateBefore === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = stateBefore;
  await zeph.close();
  place.remove();
});

/** What the gate says; the blocklist, which is asked before it, is at least as strict. */
async function said({ tool, args, client: name = "claude" }: Case): Promise<string> {
  const { gate, verdict } = await zeph.decide(tool, args, { client: { ...client, name }, record: true });
  if (gate === "self" || gate === "blocklist") return verdict;
  return "pass";
}

describe("A governed model cannot switch Zeph off, where every rule allows and nobody is asked", () => {
  it("by more than thirty ways", () => expect(all.filter(({ self }) => self === "deny").length).toBeGreaterThan(30));
  it.each(all.map((one) => [one.self, JSON.stringify(one.args).slice(0, 120), one] as const))("%s: %s", async (self, _text, one) =>
    expect(await said(one)).toBe(self),
  );
});

it("what is said to clients is not said to others", async () => {
  const { trace } = await zeph.judge("bash", { command: "zeph hook remove --all" });
  expect(trace.find(({ gate }) => gate === "self")).toMatchObject({ kind: "pass" });
});

it("a person's yes does not reach it", async () => {
  const asked = { command: "zeph hook remove --all" };
  const outcome = await zeph.call("bash", asked, { client, confirm: async () => ({ answer: "once" }) as never });
  expect(outcome).toMatchObject({ ok: false, decision: { verdict: "deny", gate: "self" } });
});
