import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { type HooksConfig, hooks, hooksConfig } from "./hooks.ts";

let warnings: string[] = [];
const cwd = mkdtempSync(join(tmpdir(), "zeph-hooks-"));
const open = (config: object) =>
  hooks(hooksConfig.parse(config) as HooksConfig, { cwd, env: () => ({ ZEPH_TURN_ID: "t1" }), warn: (message) => warnings.push(message) });
beforeEach(() => {
  warnings = [];
});

it("hands over JSON and variables, and goes on when the hook is content", async () => {
  const told = open({ post_tool: [{ command: "cat > told.json; echo $ZEPH_TURN_ID > turn" }] });
  expect(await told.run("post_tool", { tool: "read", args: { path: "a" } })).toBeNull();
  expect(JSON.parse(readFileSync(join(cwd, "told.json"), "utf8"))).toEqual({ event: "post_tool", tool: "read", args: { path: "a" } });
  expect(readFileSync(join(cwd, "turn"), "utf8")).toBe("t1\n");
});
it.each([
  ["denies with exit code 2 and its reason", { command: "echo not today >&2; exit 2" }, "not today", 0],
  ["does not deny with another code", { command: "exit 1" }, null, 1],
  ["denies on failure when told to", { command: "exit 1", on_error: "deny" }, 'The pre_tool hook "exit 1" ended with 1.', 0],
  [
    "denies when it takes too long and was told to",
    { command: "sleep 5", timeout_ms: 50, on_error: "deny" },
    'The pre_tool hook "sleep 5" took longer than 50 ms.',
    0,
  ],
  ["is passed over when it does not match", { command: "exit 2", match: "wri*" }, null, 0],
])("a pre_tool hook %s", async (_what, hook, expected, warned) => {
  expect(await open({ pre_tool: [hook] }).run("pre_tool", { tool: "read" })).toBe(expected);
  expect(warnings).toHaveLength(warned);
});
it("only pre_tool can deny", async () => {
  expect(await open({ post_tool: [{ command: "exit 2", on_error: "deny" }] }).run("post_tool", {})).toBeNull();
  expect(warnings).toHaveLength(1);
});
it("leaves no process behind when a hook takes too long", async () => {
  await open({ pre_tool: [{ command: "sleep 30 & echo $! > pid; wait", timeout_ms: 300 }] }).run("pre_tool", {});
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isRunning(pid)).toBe(false);
});

/** A process that ended but was not collected by its parent yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
