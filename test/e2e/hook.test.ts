import { describe, expect, it } from "vitest";
import { box, jsonLines } from "./zeph.ts";

const said = (command: string, cwd: string, more: object = {}) =>
  JSON.stringify({
    session_id: "s-1",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "toolu_1",
    ...more,
  });

describe("zeph hook run", () => {
  it("answers what an agent sends, and the log has a line for the call and one for its end", async () => {
    const here = box();
    const denied = await here.runProcess(["hook", "run", "claude", "pre"], { input: said("sudo ls", here.cwd) });
    expect([denied.code, denied.stderr]).toEqual([0, ""]);
    expect(JSON.parse(denied.stdout).hookSpecificOutput).toMatchObject({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/^zeph blocklist: "sudo ls" is never run/),
    });
    const silent = await here.runProcess(["hook", "run", "claude", "pre"], { input: said("git status", here.cwd) });
    expect(silent).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const end = { hook_event_name: "PostToolUse", tool_response: { stdout: "clean", stderr: "", interrupted: false }, duration_ms: 12 };
    expect((await here.runProcess(["hook", "run", "claude", "post"], { input: said("git status", here.cwd, end) })).code).toBe(0);
    const log = jsonLines((await here.run(["audit", "tail", "--json"])).stdout);
    expect(log.filter(({ kind }) => kind === "call" || kind === "settled")).toMatchObject([
      { kind: "call", verdict: "deny", toolset: "client:claude", session_id: "s-1", call_id: "toolu_1" },
      { kind: "call", verdict: "allow" },
      { kind: "settled", outcome: "ok", duration_ms: 12, bytes: 5 },
    ]);
    const replayed = jsonLines((await here.run(["policy", "replay", "--json"])).stdout);
    expect(replayed.at(-1)).toMatchObject({ calls: 2, same: 2, flipped: 0 });
  });

  it("ends with exit code 2 and a reason, or denies in the agent's own words, whatever goes wrong", async () => {
    const here = box();
    const broken: [words: string[], input: string][] = [
      [[], "{}"],
      [["nobody", "pre"], "{}"],
      [["claude", "sideways"], "{}"],
    ];
    for (const [words, input] of broken) {
      const { code, stdout, stderr } = await here.run(["hook", "run", ...words], { input });
      expect([words, code, stdout, stderr.includes("did not answer")]).toEqual([words, 2, "", true]);
    }
    for (const input of ["", "no json", "[]", "{}", said("ls", "/there/is/no/such/folder")]) {
      const { code, stdout } = await here.run(["hook", "run", "claude", "pre"], { input });
      expect([input, code, JSON.parse(stdout).hookSpecificOutput.permissionDecision]).toEqual([input, 0, "deny"]);
    }
    here.write("config.toml", "autonomy = 5\n");
    const unread = await here.run(["--config", "config.toml", "hook", "run", "claude", "pre"], { input: said("ls", here.cwd) });
    expect([unread.code, JSON.parse(unread.stdout).hookSpecificOutput.permissionDecision]).toEqual([0, "deny"]);
  });

  it("denies to gemini what would have to be asked about, where it has no terminal", async () => {
    const here = box();
    const input = JSON.stringify({
      session_id: "s-1",
      cwd: here.cwd,
      hook_event_name: "BeforeTool",
      tool_name: "Teleport",
      tool_input: {},
    });
    const { stdout } = await here.runProcess(["hook", "run", "gemini", "pre"], { input });
    expect(JSON.parse(stdout)).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/a person runs `zeph hook approve [0-9a-f]{8}`/),
    });
  });
});
