import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type HookdBox, LAUNCHER, openHookdBox } from "./hookd-box.ts";
import { startStandIn } from "./stand-in-client.ts";

let box: HookdBox;
beforeAll(async () => {
  box = openHookdBox();
  await box.warm();
});
afterAll(() => box.remove());
beforeEach(() => {
  for (const name of readdirSync(box.work)) rmSync(join(box.work, name), { recursive: true });
});

const kept = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) =>
        one.isDirectory() ? [] : [join(one.parentPath, one.name)],
      )
    : [];
const state = () => join(box.env.HOME!, ".local/state/zeph");

/** Runs a script that makes a file by a name that the command line does not show. */
async function make(path: string, how = "") {
  writeFileSync(
    join(box.work, "mk.py"),
    `import os\nos.makedirs(os.path.dirname(${JSON.stringify(path)}) or ".", exist_ok=True)\nopen(${JSON.stringify(path)}, "w").write("x")\n${how}\n`,
  );
  return box.run([LAUNCHER, "exec", "--", "python3 mk.py"]);
}

it.each([
  ".claude/settings.local.json",
  ".claude/settings.json",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".qwen/settings.json",
  ".opencode/plugins/x.js",
  ".pi/extensions/x.ts",
  ".zeph/config.toml",
  ".mcp.json",
  "opencode.json",
  ".github/hooks/x.json",
  ".github/copilot/settings.json",
  "sub/.claude/settings.json",
])("a command behind the walls does not leave %s behind", async (path) => {
  const { code, stderr } = await make(path);
  expect([code, existsSync(join(box.work, path))]).toEqual([0, false]);
  expect(stderr).toContain("was moved away to");
  const [, to] = /was moved away to (\S+): /.exec(stderr)!;
  expect(to!.startsWith(join(state(), "quarantine"))).toBe(true);
  expect(kept(dirname(to!)).map((file) => readFileSync(file, "utf8"))).toEqual(["x"]);
  expect(readFileSync(join(state(), "audit.jsonl"), "utf8")).toContain(`was moved away to ${to}`);
});

it("thousands of other files hide none", async () => {
  const { stderr } = await make(".claude/settings.json", 'for n in range(6000): open(".claude/zz%d" % n, "w").close()');
  expect([existsSync(join(box.work, ".claude/settings.json")), stderr.includes("settings.json")]).toEqual([false, true]);
});

it("a link in the place of such a folder goes as well", async () => {
  await make("cfg/settings.json", 'os.symlink("cfg", ".gemini")');
  expect(lstatSync(join(box.work, ".gemini"), { throwIfNoEntry: false })).toBeUndefined();
  await make("gh/hooks/x.json", 'os.symlink("gh", ".github")');
  expect(existsSync(join(box.work, ".github/hooks"))).toBe(false);
});

it("what is obeyed outside and steers no agent stays, and is named", async () => {
  const { stderr } = await make(".envrc");
  expect([existsSync(join(box.work, ".envrc")), stderr]).toEqual([true, expect.stringContaining(".envrc appeared")]);
});

it("what was there before stays", async () => {
  mkdirSync(join(box.work, ".cursor"));
  writeFileSync(join(box.work, ".cursor/hooks.json"), "mine");
  const { stderr } = await make("plain.txt");
  expect([readFileSync(join(box.work, ".cursor/hooks.json"), "utf8"), stderr]).toEqual(["mine", ""]);
});

it("the same holds for a command that a hook rewrote", async () => {
  await box.run([process.execPath, join(LAUNCHER, "../zeph.cjs"), "hook", "install", "claude", "--mode", "walls", "--yes"]);
  const claude = startStandIn("claude", box);
  writeFileSync(join(box.work, "mk2.py"), 'import os\nos.makedirs(".qwen")\nopen(".qwen/settings.json", "w").write("x")\n');
  const input = {
    ...{ session_id: "s1", cwd: box.work, permission_mode: "default", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command: "python3 mk2.py" }, tool_use_id: "t" },
  };
  const { stdout } = await claude.run(`${LAUNCHER} claude pre`, JSON.stringify(input));
  const { stderr } = await claude.run(JSON.parse(stdout).hookSpecificOutput.updatedInput.command);
  claude.end();
  expect([existsSync(join(box.work, ".qwen")), stderr]).toEqual([false, expect.stringContaining("was moved away")]);
});
