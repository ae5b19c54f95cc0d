import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { createHooks, HOOK_EVENTS, type HooksConfig, hooksConfig } from "./hooks.ts";

let warnings: string[] = [];
const cwd = mkdtempSync(join(tmpdir(), "zeph-hooks-"));
const open = (config: object) =>
  createHooks(hooksConfig().parse(config) as HooksConfig, {
    cwd,
    env: () => ({ ZEPH_TURN_ID: "t1" }),
    warn: (message) => warnings.push(message),
  });
beforeEach(() => {
  warnings = [];
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

it("hands over JSON and variables, and goes on when the hook is content", async () => {
  const told = open({ post_tool: [{ command: "cat > told.json; echo $ZEPH_TURN_ID > turn" }] });
  expect(await told.run("post_tool", { tool: "read", args: { path: "a" } })).toBeNull();
  expect(JSON.parse(readFileSync(join(cwd, "told.json"), "utf8"))).toEqual({ event: "post_tool", tool: "read", args: { path: "a" } });
  expect(readFileSync(join(cwd, "turn"), "utf8")).toBe("t1\n");
});
it.each([
  ["denies with exit code 2 and its reason", { command: "echo not today >&2; exit 2" }, "not today", 0],
  ["that fails denies", { command: "exit 1" }, 'The pre_tool hook "exit 1" ended with 1.', 0],
  ["that fails only warns where that is set", { command: "exit 1", on_error: "warn" }, null, 1],
  ["that fails denies where that is set", { command: "exit 1", on_error: "deny" }, 'The pre_tool hook "exit 1" ended with 1.', 0],
  ["whose file is missing denies", { command: "./no-such-hook" }, expect.stringMatching(/ended with 127: .*no-such-hook/s), 0],
  ["whose file cannot be run denies", { command: "/dev/null" }, expect.stringContaining("ended with 126"), 0],
  ["that takes too long denies", { command: "sleep 5", timeout_ms: 50 }, 'The pre_tool hook "sleep 5" took longer than 50 ms.', 0],
  ["that crashes denies", { command: "kill -SEGV $$" }, expect.stringContaining("ended with 139"), 0],
  ["that cannot even be started denies", { command: "exit 0\0" }, expect.stringContaining("could not be run"), 0],
  ["whose match is no glob denies", { command: "exit 0", match: "{a,b" }, expect.stringContaining("not a glob"), 0],
  ["whose match is too much denies", { command: "exit 0", match: "{a,b}".repeat(9) }, expect.stringContaining("more than 128"), 0],
  ["is passed over when it does not match", { command: "exit 2", match: "wri*" }, null, 0],
])("a pre_tool hook %s", async (_what, hook, expected, warned) => {
  expect(await open({ pre_tool: [hook] }).run("pre_tool", { tool: "read" })).toEqual(expected);
  expect(warnings).toHaveLength(warned);
});
it.each(HOOK_EVENTS.filter((event) => event !== "pre_tool"))("a %s hook that fails only warns", async (event) => {
  for (const command of ["exit 1", "exit 2", "./no-such-hook", "kill -9 $$", "exit 0\0"])
    expect(await open({ [event]: [{ command }] }).run(event, {})).toBeNull();
  expect(warnings).toHaveLength(5);
});
it.each(["post_tool", "file_changed"] as const)("a %s hook that fails denies where that is set", async (event) => {
  expect(await open({ [event]: [{ command: "exit 3", on_error: "deny" }] }).run(event, {})).toContain("ended with 3");
  expect(warnings).toEqual([]);
});
it("a hook says why, however soon it ends after that", async () => {
  const said = await open({ pre_tool: [{ command: "seq 2000 >&2; exit 2" }] }).run("pre_tool", {});
  expect(said).toHaveLength(4096);
});
it("leaves no process behind when a hook takes too long", async () => {
  await open({ pre_tool: [{ command: "sleep 30 & echo $! > pid; wait", timeout_ms: 6000 }] }).run("pre_tool", {});
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

/** A process that ended but was not collected by its parent yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
