import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT_PLANS } from "../../src/hook/install/client-plans.ts";
import { hookCommands, withHooks } from "../../src/hook/install/edit-text.ts";
import { hookLine, LET_THROUGH_FILE } from "../../src/hook/install/mark.ts";
import { recordedCalls } from "../../src/hook/install/probe-inputs.ts";
import { type HookdBox, LAUNCHER, openHookdBox } from "./hookd-box.ts";

const CLIENTS = ["claude", "codex", "copilot", "gemini", "qwen", "opencode", "pi"] as const;
type Client = (typeof CLIENTS)[number];
type OnFailure = "deny" | "allow";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-failures-")));
let box: HookdBox;
/** What the command lines leave behind. */
let left = "";
beforeAll(() => {
  box = openHookdBox();
  left = join(box.env.HOME!, ".local/state/zeph", LET_THROUGH_FILE);
});
afterAll(async () => {
  await box.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What a client would do with the file that is installed into it: run the call, or not. The text is why not. */
async function called(client: Client, program: string, onFailure: OnFailure = "deny"): Promise<"runs" | string> {
  const plan = CLIENT_PLANS[client];
  const line = (event: "pre" | "post") => hookLine([program], client, event, onFailure);
  const { text } = withHooks(plan, null, line, { mode: "guard", onFailure });
  if (plan.form.kind === "plugin") return drivenPlugin(client as "opencode" | "pi", text);
  const [before] = hookCommands(plan, text).filter(({ command }) => / pre\b/.test(command));
  const input = JSON.stringify(recordedCalls(client, { cwd: box.work, session: "s" }).allowed);
  const { code, stderr, stdout } = await box.run(["/bin/sh", "-c", before!.command], { stdin: input });
  // Whatever else a hook does, these clients run the call.
  return code === 2 || /"(permissionDecision|decision)":"deny"/.test(stdout) ? stderr + stdout : "runs";
}

let count = 0;
async function drivenPlugin(client: "opencode" | "pi", text: string): Promise<"runs" | string> {
  const at = join(folder, String(count++));
  mkdirSync(at);
  writeFileSync(join(at, "plugin.mjs"), text);
  writeFileSync(join(at, "drive.mjs"), DRIVERS[client].replace("$W", box.work));
  const { stdout, stderr } = await box.run([process.execPath, join(at, "drive.mjs")]);
  return stdout.startsWith("denied:") ? stdout : stdout === "runs\n" ? "runs" : `${stdout}${stderr}`;
}

const DRIVERS = {
  opencode: `import { Zeph } from "./plugin.mjs";
const hooks = await Zeph({ directory: "$W" });
try { await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "ls" } }); console.log("runs"); }
catch (error) { console.log("denied: " + error.message); }`,
  pi: `import extension from "./plugin.mjs";
const on = {};
extension({ on: (name, handler) => { on[name] = handler; } });
const said = await on.tool_call({ toolName: "bash", toolCallId: "c", input: { command: "ls" } }, { hasUI: false, cwd: "$W", ui: {} });
console.log(said?.block ? "denied: " + said.reason : "runs");`,
};

/** A process at hookd's place that does this with the first line it is sent. */
async function inPlaceOfHookd(reply: string): Promise<() => Promise<void>> {
  mkdirSync(box.folder, { recursive: true });
  chmodSync(box.folder, 0o700);
  const program = `const fs = require("fs"), path = ${JSON.stringify(join(box.folder, "hook.sock"))};
fs.rmSync(path, { force: true });
require("net").createServer((socket) => socket.on("error", () => {}).once("data", () => { ${reply} })).listen(path, () => console.log("ready"));`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => void child.on("close", () => resolve()));
  await Promise.race([once(child.stdout, "data"), ended.then(() => expect.fail("the process at hookd's place ended early"))]);
  return async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(join(box.folder, "hook.sock"), { force: true });
  };
}

const script = (text: string): string => {
  const path = join(folder, `program-${count++}`);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  return path;
};

/** Runs the call while Zeph fails in this way. */
const FAILURES: Readonly<Record<string, (client: Client, onFailure?: OnFailure) => Promise<string>>> = {
  "the program crashes": (client, how) => called(client, script("kill -9 $$"), how),
  "the program is missing": (client, how) => called(client, join(folder, "no-such-program"), how),
  "hookd says what is no answer": (client, how) => whileHookd('socket.end("this is { no json")', client, how),
  "hookd is killed": (client, how) => whileHookd('process.kill(process.pid, "SIGKILL")', client, how),
};

async function whileHookd(reply: string, client: Client, how?: OnFailure): Promise<string> {
  const end = await inPlaceOfHookd(reply);
  return called(client, LAUNCHER, how).finally(end);
}

describe.each(Object.entries(FAILURES))("where %s", (_name, fails) => {
  it.each(CLIENTS)("no call of %s runs, and it is told why", async (client) => {
    expect(await fails(client)).toContain("zeph did not answer");
  });
  it.each(CLIENTS)("calls of %s run where a person chose that, and that is kept for the audit log", async (client) => {
    rmSync(left, { force: true });
    mkdirSync(dirname(left), { recursive: true });
    expect(await fails(client, "allow")).toBe("runs");
    expect(readFileSync(left, "utf8")).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ ${client}\\n$`));
  });
});

describe("where hookd says nothing until the time limit, for which all clients wait together", () => {
  let end: () => Promise<void>;
  beforeAll(async () => {
    end = await inPlaceOfHookd("");
  });
  afterAll(() => end());

  it("no call runs, and each client is told why", async () => {
    for (const answer of await Promise.all(CLIENTS.map((client) => called(client, LAUNCHER))))
      expect(answer).toContain("zeph did not answer");
  });

  it("calls run where a person chose that, and each is kept for the audit log", async () => {
    rmSync(left, { force: true });
    mkdirSync(dirname(left), { recursive: true });
    expect(await Promise.all(CLIENTS.map((client) => called(client, LAUNCHER, "allow")))).toEqual(CLIENTS.map(() => "runs"));
    const lines = readFileSync(left, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /, "")).sort()).toEqual([...CLIENTS].sort());
  });
});

/** A folder with what the command line of a hook needs, and no Node. */
function withoutNode(): string {
  const programs = join(folder, "programs");
  if (existsSync(programs)) return programs;
  mkdirSync(programs);
  for (const name of ["sh", "date", "env", "uname", "readlink", "mkdir"])
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(programs, name));
  return programs;
}

it.each([
  ["hookd cannot be started", () => ({ ...box.env, PATH: withoutNode() })],
  ["there is no home", () => ({ PATH: box.env.PATH! })],
])("where %s, a call runs only where a person chose that, and a folder that is not there is no reason against it", async (_name, env) => {
  for (const [onFailure, code] of [
    ["deny", 2],
    ["allow", 0],
  ] as const) {
    const input = JSON.stringify(recordedCalls("claude", { cwd: box.work, session: "s" }).allowed);
    const line = hookLine([LAUNCHER], "claude", "pre", onFailure);
    const ended = spawnSync("/bin/sh", ["-c", line], { input, cwd: box.work, env: env(), encoding: "utf8" });
    expect({ onFailure, code: ended.status }).toEqual({ onFailure, code });
    expect(ended.stderr).toContain("zeph did not answer");
  }
});

it("a denial stays one where a person chose that failures let calls run", async () => {
  await box.warm();
  const input = JSON.stringify(recordedCalls("claude", { cwd: box.work, session: "s" }).denied);
  const { stdout, code } = await box.run(["/bin/sh", "-c", hookLine([LAUNCHER], "claude", "pre", "allow")], { stdin: input });
  expect(code).toBe(0);
  expect(stdout).toContain('"permissionDecision":"deny"');
});

it("calls that nobody answered stand in the audit log when somebody answers again", async () => {
  writeFileSync(left, "2026-01-01T00:00:00Z claude\nnothing that is known\n2026-01-02T00:00:00Z claude\n2026-01-02T00:00:01Z pi\n");
  await box.warm();
  await called("claude", LAUNCHER);
  const log = readFileSync(join(dirname(left), "audit.jsonl"), "utf8");
  expect(log).toContain(
    "2 calls of claude were let through because nobody answered (--on-failure allow): 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z.",
  );
  expect(log).toContain("A call of pi was let through");
  expect(existsSync(left)).toBe(false);
});

it.each(CLIENTS)("where nothing fails, a call of %s is not held back", async (client) => {
  await box.warm();
  expect(await called(client, LAUNCHER)).not.toContain("zeph did not answer");
});
