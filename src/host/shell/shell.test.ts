import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Workspace, workspace } from "../../../test/workspace.ts";
import { parseConfig } from "../../config/load.ts";
import { ToolCall } from "../../core/call.ts";
import { type ApprovedCall, Door } from "../../core/door.ts";
import type { Pending } from "../../core/gate/verdict.ts";
import { ToolRequest } from "../../core/request.ts";
import { createSession } from "../../core/session.ts";
import { createWallsGate } from "../../gates/walls.ts";
import { createRuntime, type Outcome, type RuntimeOptions, type Zeph } from "../../index.ts";
import { bash as bashTool } from "../../tools/bash.ts";
import { swapGuard } from "../files/swap-guard.ts";
import { createLocalShell } from "./shell.ts";

let place: Workspace;
let zeph: Zeph;
let works = false;
const allow = { bash: [{ pattern: "*", action: "allow" }] };
const runtime = (tools: object = {}, more: RuntimeOptions = {}, top: object = {}) =>
  place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, ...top, tools: { permissions: allow, ...tools } },
    ...more,
  });
const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const bash = async (command: string, by = zeph) => by.call("bash", { command });

beforeAll(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
  zeph = await runtime({ shell: { timeout: 60 } });
  const first = await bash("true");
  works = first.ok && first.output.walls?.backend === "bubblewrap";
  if (!works) {
    if (process.env.REQUIRE_SANDBOX === "1") throw new Error(`No sandbox: ${said(first)}`);
    console.warn(`Skipped, because no sandbox works here: ${said(first)}`);
  }
});
afterAll(async () => {
  await zeph.close();
  place.remove();
});

describe("a command", () => {
  it("keeps its streams apart and shows them as they came", async ({ skip }) => {
    if (!works) skip();
    const outcome = await bash("echo one; sleep 1; echo two >&2; sleep 1; echo three");
    expect(outcome).toMatchObject({
      ok: true,
      output: { text: "one\ntwo\nthree", exitCode: 0, raw: { stdout: "one\nthree\n", stderr: "two\n", exit_code: 0, truncated: false } },
    });
    expect(outcome.output?.walls).toMatchObject({
      backend: "bubblewrap",
      network: "closed",
      layers: expect.arrayContaining(["namespaces", "seccomp"]),
    });
    expect(place.audit()).toMatch(/"sandbox":"(?:zeph-run|bubblewrap) \(namespaces, seccomp/);
  });
  it.each([
    ["exit 3", true, 3, null],
    ["true", true, 0, null],
    ["echo 'permission denied'; echo 'no such file or directory' >&2", true, 0, null],
    ["exit 126", true, 126, null],
    ["touch x; ./x", false, 126, "policy_blocked"],
    ["no-such-program", false, 127, "permanent_failure"],
    ["cat missing.txt", false, 1, "permanent_failure"],
    ["kill -9 $$", true, 137, null],
  ])("%s: ok %s with exit code %i", async (command, ok, exitCode, category) => {
    if (!works) return;
    const outcome = await bash(command);
    expect([outcome.ok, outcome.output?.exitCode]).toEqual([ok, exitCode]);
    if (!outcome.ok) expect(outcome.error.category).toBe(category);
  });
  it("takes the time its call asks for, and at its end says how to go on", async ({ skip }) => {
    skip(!works, "needs a sandbox");
    const brief = await runtime({ shell: { timeout: 0.3, max_timeout: 30 } });
    try {
      const call = (args: object) => brief.call("bash", { command: "sleep 1; echo over", ...args });
      expect(said(await call({ timeout: 20 }))).toBe("over");
      const cut = await call({});
      expect(cut).toMatchObject({
        ok: false,
        error: { category: "timeout", advice: expect.stringMatching(/larger timeout .*at most 30.* background: true/) },
      });
      expect(await brief.call("bash", { command: "sleep 9", timeout: 0.2 })).toMatchObject({ error: { category: "timeout" } });
      expect(said(await call({ timeout: 31 }))).toMatch(/^invalid_parameters: .*at most 30/s);
      expect(said(await call({ timeout: 0 }))).toMatch(/^invalid_parameters/);
    } finally {
      await brief.close();
    }
  });

  it("may ask for as much as the configuration gives every command, where that is more", async ({ skip }) => {
    skip(!works, "needs a sandbox");
    const long = await runtime({ shell: { timeout: 40, max_timeout: 10 } });
    try {
      expect(said(await long.call("bash", { command: "echo a", timeout: 40 }))).toBe("a");
      expect(said(await long.call("bash", { command: "echo a", timeout: 41 }))).toMatch(/^invalid_parameters/);
    } finally {
      await long.close();
    }
  });

  it("is killed with everything it started when its time is up, and keeps what it printed", async ({ skip }) => {
    if (!works) skip();
    const short = await runtime({ shell: { timeout: 6 } });
    const started = performance.now();
    const outcome = await short.call("bash", { command: `echo before; (setsid sleep ${nap(1)} &) ; trap '' TERM; sleep ${nap(1)}` });
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: "timeout" },
      output: { exitCode: 124, text: expect.stringContaining("before") },
    });
    expect(performance.now() - started).toBeLessThan(40_000);
    expect(processesWith(nap(1))).toEqual([]);
    await short.close();
  });
  it("is cancelled at once", async ({ skip }) => {
    if (!works) skip();
    const stop = new AbortController();
    const running = zeph.call("bash", { command: `touch started; sleep ${nap(2)}` }, { signal: stop.signal });
    await expect.poll(() => existsSync(join(place.work, "started"))).toBe(true);
    stop.abort();
    const outcome = await running;
    expect(outcome).toMatchObject({ ok: false, error: { category: "cancelled" }, output: { exitCode: 130 } });
    expect(processesWith(nap(2))).toEqual([]);
  });
  it("cannot fill memory: of a flood the first and last part are kept", async ({ skip }) => {
    if (!works) skip();
    const before = process.memoryUsage().rss;
    const outcome = await zeph.call("bash", { command: "head -c 300000000 /dev/zero | tr '\\0' 'x'; echo; echo END" });
    expect(outcome).toMatchObject({ ok: true, output: { truncated: true } });
    expect(outcome.output?.text).toMatch(/characters in 2 lines left out[\s\S]*END$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });
  it("gets no standard input, no secrets and no way out", async ({ skip }) => {
    if (!works) skip();
    process.env.ANTHROPIC_API_KEY = "sk-test-canary";
    expect(
      said(
        await bash(
          "cat; env | grep -c canary; cat /proc/1/environ 2>/dev/null | grep -c canary; ls /root /home 2>&1 | grep -v agent | grep -c .",
        ),
      ),
    ).toContain("0\n0");
    delete process.env.ANTHROPIC_API_KEY;
    expect(said(await bash("echo x > /etc/pwned"))).toMatch(/Read-only file system[\s\S]*Perhaps a wall|permanent_failure/);
  });
});

describe("a turn", () => {
  it("remembers where it is and what it exported, and forgets it when it ends", async ({ skip }) => {
    if (!works) skip();
    await zeph.turn(async () => {
      await bash("mkdir -p deep/er && cd deep/er && export GREETING='hi there' && unset_me=1");
      expect(said(await bash('pwd; echo "$GREETING"; echo "${unset_me-none}"'))).toBe(
        `${place.work}/deep/er\nhi there\nnone\n[in deep/er]`,
      );
      expect(said(await bash("cd / && pwd"))).toContain("not a folder a command may start in");
      expect(said(await bash("pwd"))).toBe(`${place.work}/deep/er\n[in deep/er]`);
    });
    expect(said(await bash('pwd; echo "${GREETING-gone}"'))).toBe(`${place.work}\ngone`);
  });
  it("judges paths where the shell stands, not where it started", async ({ skip }) => {
    if (!works) skip();
    mkdirSync(join(place.work, "secrets"), { recursive: true });
    writeFileSync(join(place.work, "secrets/key"), "key");
    const by = await runtime({
      permissions: {
        ...allow,
        write: [
          { pattern: "secrets/**", action: "deny" },
          { pattern: "*", action: "allow" },
        ],
      },
    });
    await by.turn(async () => {
      expect(await by.call("bash", { command: "cd secrets" })).toMatchObject({ ok: true });
      expect(await by.call("bash", { command: "echo HACKED > key" })).toMatchObject({
        ok: false,
        decision: { verdict: "deny", gate: "permissions" },
      });
      expect(await by.call("bash", { command: "pwd" })).toMatchObject({
        ok: true,
        output: { text: `${place.work}/secrets\n[in secrets]` },
      });
    });
    expect(readFileSync(join(place.work, "secrets/key"), "utf8")).toBe("key");
    await by.close();
  });
  it("keeps what parallel calls changed, forgets what was unset, and believes no forged report", async ({ skip }) => {
    if (!works) skip();
    mkdirSync(join(place.work, "evil"), { recursive: true });
    await zeph.turn(async () => {
      await Promise.all([bash("sleep 0.4; x=1"), bash("mkdir -p s; cd s; export KEEP=1")]);
      expect(said(await bash("pwd; echo $KEEP"))).toBe(`${place.work}/s\n1\n[in s]`);
      await bash("unset KEEP");
      expect(said(await bash("echo ${KEEP-gone}"))).toBe("gone\n[in s]");
      await bash(`A=1; printf '${place.work}\\nPATH=${place.work}/evil:/usr/bin\\0' >&9; exec true`);
      expect(said(await bash("echo $PATH"))).not.toContain("evil");
    });
    const asked = await runtime({}, { confirm: () => "once" });
    await asked.turn(async () => {
      await bash("export PATH=/usr/bin:/bin:/opt/mine", asked);
      expect(said(await bash("echo $PATH", asked))).toContain("/opt/mine");
    });
    await asked.close();
  });
  it("is led nowhere by a forged report: no place outside, none that is not there, nothing huge, no variable that picks programs", async ({
    skip,
  }) => {
    if (!works) skip();
    const forge = (told: string) => bash(`A=1; printf ${told} >&9; exec true`);
    const stands = async () =>
      said(await bash("pwd; env | grep -cE '^(LD_PRELOAD=|RIPGREP_CONFIG_PATH=|HTTPS_PROXY=x|TAR_OPTIONS=|FORGED=)'; true"));
    const REPORTS = [
      "'/etc\\n'",
      "'etc\\n'",
      `'${place.work}/not-there\\n'`,
      "'/x\\r\\033[31m] [and more\\n'",
      `'${place.work}\\nLD_PRELOAD=/x\\0RIPGREP_CONFIG_PATH=/x\\0HTTPS_PROXY=x\\0TAR_OPTIONS=--to-command=x\\0'`,
      `"%0300000dFORGED=1\\0" 1`,
    ];
    for (const report of REPORTS)
      await zeph.turn(async () => {
        const outcome = await forge(report);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject
        expect(said(outcome)).not.toMatch(/[\r\x1b]|\] \[/);
        expect(await stands()).toBe(`${place.work}\n0`);
      });
  });
  it("keeps line numbers in messages true", async ({ skip }) => {
    if (!works) skip();
    expect((await bash("x=1\n\nno-such-program")).output?.text).toContain("line 3");
  });
});

describe("in the background", () => {
  it("starts at once, is listed, waited for, killed and told of once", async ({ skip }) => {
    if (!works) skip();
    const started = await zeph.call("bash", {
      command: "echo one; until [ -e go-on ]; do sleep 0.05; done; echo two; printf tw; until [ -e stop ]; do sleep 0.05; done; echo elve",
      background: true,
    });
    const id = /run_id=(bg\d+)$/m.exec(said(started))![1]!;
    expect(said(started)).toBe(`[background] started run_id=${id}\none`);
    const look = async (action: "list" | "read" | "wait", more: object = { run_id: id }) =>
      said(await zeph.call("background", { action, ...more }));
    expect(await look("list", {})).toMatch(new RegExp(`^${id} \\(\\d+ s\\) echo one;[^\n]*$`));
    expect(await look("read")).toBe(`${id} still runs; no new output.`);
    writeFileSync(join(place.work, "go-on"), "");
    await expect.poll(() => look("read")).toBe(`${id} still runs.\ntwo`);
    writeFileSync(join(place.work, "stop"), "");
    expect(await look("wait")).toBe(`twelve\n[background complete] run_id=${id} exit_code=0`);
    expect(await look("wait")).toContain(`${id} has ended (exit code 0), and its output was given then`);
    expect(zeph.takeCompletions()).toEqual([]);
    const other = await zeph.call("bash", { command: `sleep ${nap(3)}`, background: true });
    const otherId = /run_id=(\S+)/.exec(said(other))![1]!;
    expect(said(await zeph.call("background", { action: "kill", run_id: otherId }))).toContain(
      `[background complete] run_id=${otherId} exit_code=130`,
    );
    expect(processesWith(nap(3))).toEqual([]);
    const later = "until [ -e later ]; do sleep 0.05; done; echo later";
    await zeph.call("bash", { command: later, background: true });
    writeFileSync(join(place.work, "later"), "");
    await expect.poll(() => zeph.takeCompletions()).toMatchObject([{ command: later, ran: { text: "later\n", exitCode: 0 } }]);
  });
  it("tells of an end in the first second with the start, and not again", async ({ skip }) => {
    if (!works) skip();
    const said1 = said(await zeph.call("bash", { command: "echo 'port is taken' >&2; exit 7", background: true }));
    expect(said1).toMatch(/^\[background\] started run_id=(bg\d+)\nport is taken\n\[background complete\] run_id=\1 exit_code=7$/);
    expect(zeph.takeCompletions()).toEqual([]);
    const listed = await zeph.call("background", { action: "kill", run_id: "bg1000" });
    expect(said(listed)).toContain("There is no background run bg1000");
  });
  it("refuses the ninth, and kills all when the runtime closes", async ({ skip }) => {
    if (!works) skip();
    const busy = await runtime({ shell: { max_background_runs: 2 } });
    for (let i = 0; i < 2; i++) await busy.call("bash", { command: `sleep ${nap(4)}`, background: true });
    expect(said(await busy.call("bash", { command: "true", background: true }))).toMatch(
      /^policy_blocked: 2 background commands run already/,
    );
    await busy.close();
    expect(processesWith(nap(4))).toEqual([]);
  });
});

describe("a transaction", () => {
  const undoing = { shell: { transactional: true, auto_rollback: true } };
  const byModel = (by: Zeph, command: string) => by.call("bash", { command }, { phase: "executor" });
  it("undoes a command that failed, and only what it changed", async ({ skip }) => {
    if (!works) skip();
    mkdirSync(join(place.work, "tx"), { recursive: true });
    writeFileSync(join(place.work, "tx/keep"), "keep");
    const by = await runtime(undoing);
    expect(said(await byModel(by, "echo broken > a.txt; rm tx/keep; touch tx/new; exit 1"))).toContain("rolled back after exit code 1");
    expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("a\n");
    expect(readdirSync(join(place.work, "tx"))).toEqual(["keep"]);
    expect(said(await byModel(by, "echo fine > tx/new; exit 7"))).not.toContain("rolled back");
    expect(existsSync(join(place.work, "tx/new"))).toBe(true);
    await by.close();
  });
  it("leaves sockets and pipes alone, gives files back to their owner, and is not fooled by a time that was set back", async ({ skip }) => {
    if (!works) skip();
    execFileSync("mkfifo", [join(place.work, "tx/pipe")]);
    if (process.getuid?.() === 0) chownSync(join(place.work, "tx/keep"), 65534, 65534);
    const by = await runtime(undoing);
    await byModel(
      by,
      'm=$(stat -c %y a.txt); echo Z > a.txt; touch -d "$m" a.txt; mv tx/keep tx/moved; mkdir tx/locked; touch tx/locked/x; chmod 000 tx/locked; exit 1',
    );
    expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("a\n");
    expect(readdirSync(join(place.work, "tx")).sort()).toEqual(["keep", "new", "pipe"]);
    if (process.getuid?.() === 0) expect(statSync(join(place.work, "tx/keep")).uid).toBe(65534);
    expect(place.audit().trim().split("\n").at(-1)).toContain('"rollback":"rolled back after exit code 1');
    await by.close();
  });
  it("puts nothing outside of the workspace when a folder is swapped for a link while the command runs", async ({ skip }) => {
    if (!works) skip();
    const outside = join(place.T, "outside");
    const inside = join(place.work, "d");
    const swap = `mv d e; ln -s ${outside} d`;
    const by = await runtime(undoing);
    const commands: [command: string, background: string | null][] = [
      ["echo Y > d/rc; sleep 1.5; false", `sleep 1.5; ${swap}`],
      ["rm d/rc; sleep 1.5; false", `sleep 1.5; ${swap}`],
      [`echo Y > d/rc; (sleep 0.2; ${swap}) & sleep 0.5; false`, null],
      [`echo Y > d/rc; ${swap}; false`, null],
    ];
    for (const [command, background] of commands) {
      for (const [folder, text] of Object.entries({ [inside]: "inside", [outside]: "outside" })) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "rc"), text);
      }
      if (background) await by.call("bash", { command: background, background: true }, { phase: "executor" });
      expect(said(await byModel(by, command))).toContain("rolled back");
      expect([readdirSync(outside), readFileSync(join(outside, "rc"), "utf8")]).toEqual([["rc"], "outside"]);
      // What somebody else moved meanwhile is put right where it is now; what the command itself moved comes back.
      expect(readFileSync(join(place.work, background ? "e/rc" : "d/rc"), "utf8")).toBe("inside");
      for (const name of ["d", "e"]) rmSync(join(place.work, name), { recursive: true, force: true });
    }
    await by.close();
  });
  it("never undoes what a person typed", async ({ skip }) => {
    if (!works) skip();
    const by = await runtime(undoing);
    await by.call("bash", { command: "echo mine > tx/mine; exit 1" });
    expect(existsSync(join(place.work, "tx/mine"))).toBe(true);
    await by.close();
  });
  it("does not run what could not be saved, when that is required", async ({ skip }) => {
    if (!works) skip();
    const by = await runtime({ shell: { transactional: true, snapshot_required: true, max_snapshot_bytes: 1 } });
    expect(said(await byModel(by, "echo x > a.txt"))).toMatch(/^permanent_failure: snapshot failed: .*not run/);
    expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("a\n");
    await by.close();
    const lax = await runtime({ shell: { transactional: true, max_snapshot_bytes: 1 } });
    expect(said(await byModel(lax, "echo a > a.txt"))).toContain("No rollback is possible");
    await lax.close();
  });
});

describe("a dry run", () => {
  it("shows the diff a command would make and keeps nothing", async ({ skip }) => {
    if (!works) skip();
    const by = await place.runtime({ config: { audit: { path: join(place.state, "audit.jsonl") } } });
    const outcome = await by.dryRun("rm -r tx/keep; echo b >> a.txt; mkdir n && echo new > n/f; pwd");
    expect(outcome).toMatchObject({ ok: true, decision: { by: "dry run" } });
    expect(said(outcome)).toContain(place.work);
    expect(said(outcome)).toContain("Nothing was kept.");
    expect(outcome.output?.diff).toMatch(/-keep[\s\S]*\+b|\+b[\s\S]*-keep/);
    expect([
      existsSync(join(place.work, "n")),
      readFileSync(join(place.work, "a.txt"), "utf8"),
      existsSync(join(place.work, "tx/keep")),
    ]).toEqual([false, "a\n", true]);
    expect(said(await by.dryRun("sudo id"))).toMatch(/^policy_blocked/);
    await by.close();
  });
});

describe("always, for a command", () => {
  it("is for exactly this command in this folder, is kept, and makes nothing else stricter or laxer", async ({ skip }) => {
    if (!works) skip();
    mkdirSync(join(place.work, "build"), { recursive: true });
    const open = (answer: "always" | "no") => {
      const config = { audit: { path: join(place.state, "audit.jsonl") }, store: { path: join(place.state, "kept.db") } };
      return createRuntime({ cwd: place.work, config, confirm: () => answer });
    };
    const first = await open("always");
    expect(await first.call("bash", { command: "rm -rf build/*" })).toMatchObject({ ok: true });
    await first.close();
    const second = await open("no");
    expect((await second.judge("bash", { command: "rm -rf build/*" })).verdict).toBe("allow");
    expect((await second.judge("bash", { command: "rm -rf build/* x" })).verdict).toBe("ask");
    expect((await second.judge("bash", { command: "ls" })).verdict).toBe("allow");
    await second.turn(async () => {
      await second.call("bash", { command: "cd build" });
      expect((await second.judge("bash", { command: "rm -rf build/*" })).verdict).toBe("ask");
    });
    await second.close();
  });
});

describe("without walls", () => {
  it("switched off, the other gates still ask, and constructs are refused", async () => {
    const by = await createRuntime({
      cwd: place.work,
      config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { sandbox: { enabled: false } } },
      store: "memory",
    });
    expect((await by.judge("bash", { command: "python3 build.py" })).verdict).toBe("ask");
    expect((await by.judge("bash", { command: "echo $(id)" })).gate).toBe("blocklist");
    expect(by.warnings.join()).toContain("without walls");
    await by.close();
  });
  const none = {
    backend: "none",
    walls: { backend: "none", layers: [], network: "open", reason: "bubblewrap is not installed." },
  } as const;
  const open = (fallback: "ask" | "deny" | "noop") => {
    const { shell: config, sandbox } = parseConfig({ tools: { sandbox: { fallback } } }).tools;
    const gate = createWallsGate(sandbox, { walls: async () => none.walls });
    const door = new Door(() => null, [gate]);
    const local = createLocalShell({
      cwd: place.work,
      config,
      sandbox,
      probe: async () => none,
      setting: { home: place.T, own: [], keys: [], env: {} },
    });
    return { door, shell: local.shell };
  };
  const call = ToolCall.parse(
    ToolRequest.from({ id: "1", name: "bash", args: { command: "echo open" } })!,
    new Map([["bash", bashTool(() => [])]]),
  ) as ToolCall;
  const ctx = { signal: new AbortController().signal, turn: createSession().current({}) };

  it("deny refuses with the reason", async () => {
    expect(await open("deny").door.preapprove(call, ctx.turn)).toMatchObject({
      kind: "denied",
      objection: { gate: "walls", why: expect.stringContaining("not installed") },
    });
  });
  it("ask needs a yes to this very question, and then runs openly and says so", async () => {
    const { door, shell } = open("ask");
    const pending = (await door.preapprove(call, ctx.turn)) as Pending;
    expect(pending).toMatchObject({ kind: "pending", asked: [{ gate: "walls" }] });
    const permit = (await door.confirm(pending, { by: "me", callId: "1" }, ctx.turn)) as ApprovedCall;
    expect(await shell.run(permit, "echo open", ctx)).toMatchObject({ text: "open\n", walls: { backend: "none", network: "open" } });
    // A permit that came some other way does not open what this question closes.
    const other = (await new Door(() => null, []).preapprove(call, ctx.turn)) as ApprovedCall;
    await expect(shell.run(other, "echo open", ctx)).rejects.toThrow("not installed");
  });
  it("a command whose network fails before it starts disturbs nobody afterwards", async () => {
    const { config, sandbox } = { config: parseConfig({}).tools.shell, sandbox: parseConfig({}).tools.sandbox };
    const { shell } = createLocalShell({
      cwd: place.work,
      config,
      sandbox,
      probe: async () => ({ backend: "seatbelt", walls: { backend: "seatbelt", layers: [], network: "closed" } }),
      setting: { home: place.T, own: [], keys: [], env: {} },
      network: { join: async () => Promise.reject(new Error("no network today")), problem: () => null, close: async () => {} },
    });
    const permit = (await new Door(() => null, []).preapprove(call, ctx.turn)) as ApprovedCall;
    await expect(shell.run(permit, "echo open", ctx)).rejects.toThrow("no network today");
    expect(await swapGuard.byName(join(place.work, "a.txt"), async () => "read")).toBe("read");
  });
  it("noop runs without asking, and names what is missing in every result", async () => {
    const { door, shell } = open("noop");
    const permit = (await door.preapprove(call, ctx.turn)) as ApprovedCall;
    expect(await shell.run(permit, "echo open", ctx)).toMatchObject({
      text: "open\n",
      walls: { backend: "none", reason: "bubblewrap is not installed." },
    });
  });
  it("switched off, commands run openly and the audit log says so", async () => {
    const by = await runtime({ sandbox: { enabled: false } });
    expect(await by.call("bash", { command: "echo open" })).toMatchObject({ ok: true, output: { walls: { backend: "none" } } });
    expect(place.audit()).toContain('"sandbox":"none, network open"');
    await by.close();
  });
});

describe("hooks", () => {
  it("hear of calls, may deny before the permit, and never allow", async ({ skip }) => {
    if (!works) skip();
    const top = {
      hooks: {
        pre_tool: [{ command: "grep -q forbidden && { echo 'not that one' >&2; exit 2; }; exit 0", match: "bash" }],
        post_tool: [{ command: `cat >> ${place.T}/post.jsonl` }],
        permission_denied: [{ command: `cat >> ${place.T}/denied.jsonl` }],
        turn_complete: [{ command: `echo $ZEPH_TURN_ID >> ${place.T}/turns` }],
      },
    };
    const by = await runtime({ max_tool_calls_per_session: 1, shell: { enable_execution_context: true } }, {}, top);
    expect(await by.call("bash", { command: "echo forbidden" })).toMatchObject({
      ok: false,
      decision: { verdict: "deny", gate: "hooks", why: "not that one" },
    });
    // The refused call was not admitted, so the quota of one still has room.
    await by.turn(async () => expect(await by.call("bash", { command: "echo fine" })).toMatchObject({ ok: true }));
    expect((await by.judge("bash", { command: "echo forbidden" })).gate).not.toBe("hooks");
    const heard = (file: string) => expect.poll(() => (existsSync(join(place.T, file)) ? readFileSync(join(place.T, file), "utf8") : ""));
    await heard("post.jsonl").toContain('"tool":"bash"');
    await heard("denied.jsonl").toContain("forbidden");
    await heard("turns").toMatch(/^[0-9a-f-]{36}\n$/);
    await by.close();
  });
});

/** A number of seconds that nobody else sleeps for, not even another run of these tests. */
const nap = (n: number): string => `54${process.pid}.${n}`;

/** Command lines of running processes that sleep this long. */
function processesWith(text: string): string[] {
  return execFileSync("ps", ["-eo", "stat,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`sleep ${text}`) && !line.startsWith("Z") && !line.includes("bash -c"));
}
