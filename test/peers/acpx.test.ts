import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { calls, ends, says, scripted } from "../e2e/scripted.ts";
import { BIN, type Box, box, ended, endWithTest, jsonLines } from "../e2e/zeph.ts";
import { acpx, havePeers, node24 } from "./peers.ts";

const ASKING = '[tools.permissions]\nbash = [{ pattern = "*", action = "ask" }]\n';
const WORK = [
  [says("I look. "), calls("read", { path: "a.txt" })],
  [calls("bash", { command: "echo from the terminal; touch made" })],
  [calls("write", { path: "c.txt", content: "hi\n" })],
  [says("Done."), ends("stop")],
];

/** A client of others, with nothing of ours but the command it starts. */
function drive(here: Box, args: readonly string[]): ChildProcessWithoutNullStreams {
  const agent = `${process.execPath} ${BIN} acp`;
  const child = spawn(node24(), [acpx(), "--agent", agent, "--cwd", here.cwd, "--ttl", "1", ...args], { cwd: here.cwd, env: here.env });
  endWithTest(child);
  return child;
}

async function exec(here: Box, ...flags: readonly string[]) {
  const { stdout, code } = await ended(drive(here, [...flags, "--format", "json", "exec", "look at it"]));
  const lines = jsonLines(stdout);
  const updates = lines.filter(({ method }) => method === "session/update").map(({ params }) => params.update);
  return {
    code,
    methods: lines.flatMap(({ method, id }) => (method !== undefined && id !== undefined ? [method as string] : [])),
    updates,
    ends: updates.filter(({ sessionUpdate, status }) => sessionUpdate === "tool_call_update" && /completed|failed/.test(status)),
    stop: lines.findLast(({ result }) => result?.stopReason !== undefined)?.result.stopReason,
  };
}

const shop = () => {
  const here = scripted(box(), WORK, ASKING);
  here.write("a.txt", "one\n");
  return here;
};

describe.skipIf(!havePeers)("acpx, a client of others", () => {
  test("a whole session: a file, a question, a terminal, a change, the end", async () => {
    const here = shop();
    const { methods, updates, ends, stop, code } = await exec(here, "--approve-all");
    expect([stop, code]).toEqual(["end_turn", 0]);
    expect(methods.filter((name) => !/^(initialize|session\/(new|prompt|close))$/.test(name))).toEqual([
      "fs/read_text_file",
      "session/request_permission",
      "terminal/create",
      "terminal/wait_for_exit",
      "terminal/output",
      "terminal/release",
      "session/request_permission",
      "fs/write_text_file",
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(ends[1].content[0]).toMatchObject({ type: "terminal" });
    expect(ends[2].content[0]).toEqual({ type: "diff", path: join(here.cwd, "c.txt"), oldText: null, newText: "hi\n" });
    expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "usage_update")).toHaveLength(1);
    expect(existsSync(join(here.cwd, "made"))).toBe(true);
    expect(readFileSync(join(here.cwd, "c.txt"), "utf8")).toBe("hi\n");
  });

  test("--deny-all: nothing is read, and nothing is done", async () => {
    const here = shop();
    const { ends, stop } = await exec(here, "--deny-all");
    expect(stop).toBe("end_turn");
    expect(ends.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(JSON.stringify(ends[0].content)).not.toContain("one");
    expect(["made", "c.txt"].filter((name) => existsSync(join(here.cwd, name)))).toEqual([]);
  });

  test("--no-fs --no-terminal: everything is done here", async () => {
    const here = shop();
    const { methods, ends, stop } = await exec(here, "--approve-all", "--no-fs", "--no-terminal");
    expect(stop).toBe("end_turn");
    expect(methods.filter((name) => /^(fs|terminal)/.test(name))).toEqual([]);
    expect(ends.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(existsSync(join(here.cwd, "made"))).toBe(true);
  });

  test.each([
    ["--approve-all", /could not be|no address|not found|ENOTFOUND|EAI_AGAIN|resolve/i],
    ["--deny-all", /the user said no/],
  ])("%s: a command that runs already is asked about when it wants to reach a name", async (flag, why) => {
    const command = "curl -sS http://nowhere.example/; touch after";
    const here = scripted(box(), [[calls("bash", { command })], [says("Done."), ends("stop")]], 'autonomy = "full"\n');
    const { methods, stop } = await exec(here, flag);
    expect(stop).toBe("end_turn");
    const asked = methods.indexOf("session/request_permission");
    const lines = jsonLines(readFileSync(join(here.env.XDG_STATE_HOME!, "zeph", "audit.jsonl"), "utf8")).filter(
      ({ kind }) => kind === "egress",
    );
    // Without bubblewrap there is no proxy that could ask.
    if (lines.length === 0) return;
    expect(methods.filter((name) => name === "session/request_permission")).toHaveLength(1);
    if (methods.includes("terminal/create")) expect(asked).toBeGreaterThan(methods.indexOf("terminal/create"));
    expect(lines).toMatchObject([{ host: "nowhere.example", verdict: "refused", why: expect.stringMatching(why) }]);
    expect(existsSync(join(here.cwd, "after"))).toBe(true);
  });

  // Ten programs, one after the other.
  test("sessions are listed, go on where they were, and have modes and models", { timeout: 120_000 }, async () => {
    const here = scripted(box(), [[says("First. ")], [says("Second. ")]]);
    const first = await exec(here, "--approve-all");
    expect(first.stop).toBe("end_turn");
    const { stdout } = await ended(drive(here, ["--format", "json", "sessions", "list"]));
    expect(JSON.parse(stdout).sessions).toMatchObject([{ cwd: here.cwd, title: "look at it" }]);
    const { sessionId } = JSON.parse(stdout).sessions[0];
    const made = await ended(drive(here, ["sessions", "new", "--resume-session", sessionId]));
    expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
    expect((await ended(drive(here, ["set-mode", "readonly"]))).stdout).toContain("readonly");
    expect((await ended(drive(here, ["set", "model", "script"]))).stdout).toContain("script");
    expect((await ended(drive(here, ["--format", "quiet", "go on"]))).stdout).toContain("First.");
    await ended(drive(here, ["sessions", "close"]));
    // It was the same conversation, not one like it.
    expect(JSON.parse((await here.run(["sessions", "--json"])).stdout)).toMatchObject([{ id: sessionId, messages: 4 }]);
  });

  test("SIGINT cancels: the command is killed", async () => {
    const here = scripted(
      box(),
      [[calls("bash", { command: "echo begun > begun; sleep 72.5; touch late" })], [says("x")]],
      'autonomy = "full"\n',
    );
    const child = drive(here, ["--approve-all", "--format", "json", "exec", "go"]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await expect.poll(() => existsSync(join(here.cwd, "begun"))).toBe(true);
    const over = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGINT");
    await over;
    expect(out).toContain('"session/cancel"');
    expect(existsSync(join(here.cwd, "late"))).toBe(false);
  });
});
