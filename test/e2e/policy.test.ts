import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { gateNames } from "../gate-names.ts";
import { calls, says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box, ended, jsonLines, printed } from "./zeph.ts";

const GATES = gateNames().join(" ");

/** How each gate is named in what was printed, in order. */
const gatesIn = (stdout: string): string =>
  stdout
    .split("\n")
    .flatMap((line) => /^ {2}([a-z]+) +(?:pass|ask|deny|off|not asked)/.exec(line)?.[1] ?? [])
    .join(" ");

describe("zeph policy check", () => {
  it("says what is decided, by whom, and what every gate says; the exit code is the verdict", async () => {
    const { run, runProcess } = box();
    const asked = await runProcess(["policy", "check", "bash", '{"command":"rm -r build"}']);
    expect(asked).toMatchObject({ code: 4, stderr: "" });
    expect(asked.stdout).toMatch(/^ask: "rm" is asked about: rm -r build\n {2}would run rm -r build\n/);
    expect(asked.stdout).toContain('decided by permissions, rule "confirm_patterns: rm"');
    expect(asked.stdout).toMatch(/^ {2}permissions +ask +confirm_patterns: rm$/m);
    expect(gatesIn(asked.stdout)).toBe(GATES);
    expect(asked.stdout).not.toContain("undefined");

    const denied = await run(["policy", "check", "bash", '{"command":"sudo id"}']);
    expect(denied).toMatchObject({ code: 3, stdout: expect.stringMatching(/^deny: "sudo id" is never run/) });
    expect(gatesIn(denied.stdout)).toBe("blocklist");
    expect(denied.stdout).toMatch(/^ {2}the other gates were not asked$/m);
    const [{ trace }] = jsonLines((await run(["policy", "check", "bash", '{"command":"sudo id"}', "--json"])).stdout);
    expect(trace.map(({ gate }: { gate: string }) => gate).join(" ")).toBe(GATES);
    expect(trace[1]).toEqual({ gate: "self", kind: "not asked", why: "the blocklist decides alone" });

    expect(await run(["policy", "check", "read", "-"], { input: '{"path":"a"}' })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^allow\n {2}would read a\n {2}blocklist +pass\n/),
    });
  });

  it("says that allow_read of the file tools binds no command", async () => {
    const here = box();
    here.config('[tools.file]\nallow_read = ["**/a.txt"]\n');
    here.write("b.txt", "b\n");
    expect((await here.run(["policy", "check", "read", '{"path":"b.txt"}'])).stdout).toMatch(/^deny/);
    const { stdout } = await here.run(["policy", "check", "bash", '{"command":"cat b.txt"}']);
    expect(stdout.replace(/\s+/g, " ")).toContain("not bound tools.file.allow_read binds the file tools and not commands");
    expect((await here.run(["policy", "check", "bash", '{"command":"cat b.txt"}', "--json"])).stdout).toContain(
      '"notes":["tools.file.allow_read',
    );
  });

  it("says as JSON what a command could still do, and that is how it is", async () => {
    const here = box();
    await here.run(["call", "bash", '{"command":"git init -q . && mkdir .vscode"}', "--yes"]);
    const { stdout } = await here.run(["policy", "check", "bash", '{"command":"ls"}', "--json"]);
    const [found] = jsonLines(stdout);
    expect(Object.keys(found)).toEqual(["verdict", "gate", "rule", "why", "touches", "trace", "consults", "reach"]);
    expect(found.trace.map(({ gate }: { gate: string }) => gate).join(" ")).toBe(GATES);
    const { walls, confined, variables, limits } = found.reach;
    expect(limits.seconds).toBe(120);
    expect(variables).toContain("PATH");
    if (walls.backend !== "bubblewrap") return;
    expect(confined).toMatchObject({ cwd: here.cwd, write: [here.cwd], read: expect.any(Array), network: "closed" });
    expect(confined.read_only).toContain(join(here.cwd, ".vscode"));

    const tried = async (command: string) => {
      const answer = await here.run(["call", "bash", JSON.stringify({ command }), "--yes", "--json"]);
      return jsonLines(answer.stdout)[0].exit_code;
    };
    expect(await tried("touch new.txt")).toBe(0);
    for (const path of confined.read_only) expect(await tried(`touch '${path}/x' || touch '${path}'`)).not.toBe(0);
    expect(await tried(`ls '${here.env.HOME}'`)).not.toBe(0);
    expect(await tried(`cat ${confined.system.includes("/etc/passwd") ? "/etc/passwd" : "/dev/null"}`)).toBe(0);
    expect(await tried("cat /etc/shadow")).not.toBe(0);
    expect(await tried(`[ "$(env | grep -c =)" -le ${variables.length + 3} ]`)).toBe(0);
  });

  it("names no walls where there are none, and says what that means", async () => {
    const { run } = box();
    const args = ["--set", "tools.sandbox.enabled=false", "policy", "check", "bash", '{"command":"ls"}'];
    const { stdout } = await run(args);
    expect(stdout).toMatch(/^ {2}walls +none: .*switched off/m);
    expect(stdout).toMatch(/^ {2}it can +do everything you can do/m);
    const [{ reach }] = jsonLines((await run([...args, "--json"])).stdout);
    expect(reach).toMatchObject({ walls: { backend: "none" }, confined: null, limits: { memory_bytes: null, processes: null } });
  });

  it("judges for another caller and another phase", async () => {
    const { run } = box();
    const check = (...more: string[]) => run(["policy", "check", "write", '{"path":"a","content":""}', "--json", ...more]);
    expect(jsonLines((await check("--trust", "untrusted")).stdout)[0]).toMatchObject({ verdict: "deny", gate: "trust" });
    const alone = await check("--phase", "autonomous");
    expect(jsonLines(alone.stdout)[0]).toMatchObject({ verdict: "deny", gate: "permissions" });
    expect(alone.code).toBe(3);
  });

  it.each([
    ["raed", "{}"],
    ["read", "{"],
    ["read", '{"pth":"a"}'],
  ])("ends as a call would: %s %s", async (tool, args) => {
    const { run } = box();
    const { code, stdout, stderr } = await run(["call", tool, args]);
    expect(await run(["policy", "check", tool, args])).toMatchObject({ code, stdout, stderr });
  });

  it("says that a judging model may still object, and which gate would ask it", async () => {
    const { run, config } = box();
    config('[tools.adversarial_policy]\nenabled = true\npolicies = ["Nothing of the payroll."]\n');
    const read = await run(["policy", "check", "read", '{"path":"a"}']);
    expect(read).toMatchObject({ code: 0, stdout: expect.stringMatching(/^allow, unless the judging model objects\n/) });
    const consults = async (args: string[]) => jsonLines((await run(["policy", "check", ...args, "--json"])).stdout)[0].consults;
    expect(await consults(["read", '{"path":"a"}'])).toEqual(["adversarial"]);
    expect(await consults(["bash", '{"command":"sudo id"}'])).toEqual([]);
  });

  it("says of a tool that no model is shown who denies it", async () => {
    const { run, config } = box();
    config('[tools.scoped]\nenabled = true\ndenied_tools = ["fetch"]\n');
    const { code, stdout } = await run(["policy", "check", "fetch", '{"url":"https://a.example"}']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ {2}fetch is not offered: scoped denies every call \(tools\.scoped\.denied_tools\)$/m);
  });

  it("changes nothing and writes nothing down", async () => {
    const { run, env, cwd } = box();
    await run(["policy", "check", "bash", '{"command":"touch made"}']);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(readFileSync(join(env.XDG_STATE_HOME!, "zeph", "audit.jsonl"), "utf8")).not.toContain("made");
  });
});

it.each([
  [["chek"], 'Did you mean "check"?'],
  [["check"], "Say which call to judge"],
  [["check", "read"], "Say which call to judge"],
  [["check", "read", "{}", "more"], "Say which call to judge"],
  [["check", "read", "{}", "--phase", "plan"], "planner, executor, verifier, autonomous"],
  [["check", "read", "{}", "--trust", "full"], "untrusted, provisional, trusted"],
  [["check", "read", "{}", "--audit", "x"], "--audit is not for zeph policy check"],
  [["status", "--all"], "--all is not for zeph policy status"],
  [["status", "more"], "takes no words"],
  [["replay", "x.jsonl"], "--audit <file>"],
  [["replay"], "There is no audit log yet"],
  [["replay", "--audit", "gone.jsonl"], "gone.jsonl: there is no such file"],
  [["replay", "--audit", "."], "it is not a file"],
  [["replay", "--audit", "/dev/zero"], "it is not a file"],
  [["replay", "--audit", "/dev/stdin"], "it is not a file"],
  [["replay", "--limit", "many"], "--limit many"],
  [["replay", "--config", "gone.toml"], "gone.toml: This file does not exist."],
  [["test"], "Name one file"],
  [["test", "a", "b"], "Name one file"],
  [["test", "gone.toml"], "gone.toml: This file does not exist."],
])("exits 2 for wrong usage: policy %j", async (args, message) => {
  const { code, stdout, stderr } = await box().run(["policy", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

const NEW = `
[[tools.permissions.bash]]
pattern = "cat *"
action = "deny"
[[tools.permissions.bash]]
pattern = "*"
action = "allow"
`;

/** A log of three calls, and rules that two of them would not survive. */
async function withPast(): Promise<Box & { readonly log: string }> {
  const here = box();
  here.write("a.txt", "a\n");
  for (const command of ["cat a.txt", "echo hi", "rm -r b"]) await here.run(["call", "bash", JSON.stringify({ command })]);
  writeFileSync(join(here.root, "new.toml"), NEW);
  return { ...here, log: join(here.env.XDG_STATE_HOME!, "zeph", "audit.jsonl") };
}

describe("zeph policy replay", () => {
  it("shows as a table which past calls flip, and counts the others", async () => {
    const { runProcess, log } = await withPast();
    const before = readFileSync(log, "utf8");
    const { code, stdout, stderr } = await runProcess(["policy", "replay", "--audit", log, "--config", "../new.toml"]);
    expect({ code, stderr }).toEqual({ code: 5, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^time \(UTC\) +tool +was -> now +decided by +call$/),
      expect.stringMatching(/^ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}bash +allow -> deny +permissions: bash\[0\] deny cat \* +cat a\.txt$/),
      expect.stringMatching(/^ \S+ \S+ +bash +ask -> allow +permissions: confirm_patterns: rm +rm -r b$/),
      "3 calls: 1 the same, 2 flip (1 allow -> deny, 1 ask -> allow), 0 not comparable.",
      expect.stringMatching(/^Not asked, .*verifiers, adversarial/),
      "",
    ]);
    expect(readFileSync(log, "utf8")).toBe(before);
  });

  it("reads the log that is written now, and exits 0 when nothing flips", async () => {
    const { run } = await withPast();
    expect(await run(["policy", "replay"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 calls: 3 the same, 0 flip,/) });
    const all = await run(["policy", "replay", "--all", "--limit", "1"]);
    expect(all.stdout.split("\n").slice(1, 4)).toEqual([
      expect.stringMatching(/bash +allow +cat a\.txt$/),
      "… and 2 more; --limit shows them.",
      expect.stringMatching(/^3 calls/),
    ]);
  });

  it("judges by the rules of a project that was vouched for", async () => {
    const { run, write } = box();
    write(".zeph/config.toml", '[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n');
    await run(["trust"]);
    expect((await run(["call", "write", '{"path":"a.txt","content":"a"}'])).code).toBe(0);
    expect(await run(["policy", "replay"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 call: 1 the same,/) });
  });

  it("says the same as JSON", async () => {
    const { run, log } = await withPast();
    appendFileSync(log, "{torn\n");
    const { code, stdout } = await run(["policy", "replay", "--config", "../new.toml", "--json", "--limit", "1"]);
    expect(code).toBe(5);
    const [found] = jsonLines(stdout);
    expect(found).toMatchObject({
      files: [log],
      calls: 3,
      same: 1,
      flipped: 2,
      flips: { "allow -> deny": 1, "ask -> allow": 1 },
      not_comparable: {},
      unreadable: 1,
      rows_left_out: 1,
    });
    expect(found.rows).toEqual([
      expect.objectContaining({ tool: "bash", args: { command: "cat a.txt" }, was: { verdict: "allow" }, flips: true, approximate: false }),
    ]);
  });

  it.each([["no log\n{}\n"], ["[]"], [""]])("exits 2 for a file that is no log: %j", async (text) => {
    const { run, write } = box();
    write("notes.txt", text);
    const { code, stdout, stderr } = await run(["policy", "replay", "--audit", "notes.txt", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("--audit notes.txt: no line of it is an audit entry.");
  });

  it("prints nothing that a terminal would obey", async () => {
    const { run, log, cwd } = await withPast();
    const line = { kind: "call", ts: "\u001b[2J", tool: "bash", cwd, outcome: "denied", gate: "\u001b]0;x\u0007", session_id: "s" };
    appendFileSync(log, `${JSON.stringify({ ...line, args: { command: "echo \u001b[31m\u202e" } })}\n`);
    const { stdout } = await run(["policy", "replay", "--config", "../new.toml"]);
    expect(stdout).toContain("deny -> ask");
    for (const char of ["\u001b", "\u0007", "\u202e"]) expect(stdout).not.toContain(char);
  });

  it.runIf(hasTerminal)("fits a narrow window", async () => {
    const here = await withPast();
    const check = `policy check bash '{"command":"rm -r some folder and some other folder"}'`;
    for (const args of ["policy replay --config ../new.toml", "policy", "policy test ../new.toml", check]) {
      const tty = terminal(here, args, { columns: 60 });
      await tty.end;
      // What a slow run said of its progress was written over.
      const lines = stripVTControlCharacters(tty.text())
        .split(/\r*\n/)
        .map((line) => line.slice(line.lastIndexOf("\r") + 1));
      // A path is not broken, so that it can be copied.
      for (const line of lines) if (!line.includes("/")) expect(line.length).toBeLessThanOrEqual(60);
    }
  });

  it("is stopped by Ctrl-C, and says how far it came", async () => {
    const here = await withPast();
    const [line] = readFileSync(here.log, "utf8")
      .split("\n")
      .filter((one) => one.includes('"kind":"call"'));
    const big = join(here.root, "big.jsonl");
    for (let n = 0; n < 60; n++) appendFileSync(big, `${line}\n`.repeat(1000));
    const child = here.start(["policy", "replay", "--audit", big, "--config", "../new.toml"]);
    const end = ended(child);
    await printed(child, "allow -> deny");
    child.kill("SIGINT");
    expect(await end).toMatchObject({ code: 130, stdout: expect.stringMatching(/^Stopped after \d+ calls: /m) });
  });
});

describe("zeph policy test", () => {
  const RULES = `[[rules]]
effect = "deny"
tool = "bash"
args_match = "rm"
deny = ["rm -rf x"]

[[rules]]
effect = "allow"
tool = "bash"
allow = ["ls", "rm y"]
`;

  it("runs the examples beside the rules, and says which fail and where", async () => {
    const { run, runProcess, write } = box();
    const file = write("rules.toml", RULES);
    const failed = await runProcess(["policy", "test", "rules.toml"]);
    expect(failed).toMatchObject({ code: 1, stderr: "" });
    expect(failed.stdout).toMatch(/^failed {2}\S+rules\.toml:10\n {8}The example "rm y" should be allowed, but it is denied: /);
    expect(failed.stdout).toMatch(/\n2 of 3 examples ok\. What no rule matches is denied \(built in\)\.\n$/);
    const [found] = jsonLines((await run(["policy", "test", "rules.toml", "--json"])).stdout);
    expect(found).toMatchObject({
      file: "rules.toml",
      ok: false,
      total: 3,
      failed: 1,
      default: "deny",
      from: "built in",
      failures: [{ file, line: 10 }],
    });
    write("rules.toml", RULES.replace(', "rm y"', ""));
    expect(await run(["policy", "test", "rules.toml"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 of 2 examples ok\./) });
    const allowed = await run(["--set", "tools.policy.default_effect=allow", "policy", "test", "rules.toml"]);
    expect(allowed.stdout).toMatch(/What no rule matches is allowed \(.*\)\.\n$/);
  });

  it("works where the person's own configuration is broken, and leaves nothing behind", async () => {
    const { run, write, config, env } = box();
    config("autonomy = = 1\n");
    write("rules.toml", RULES);
    expect((await run(["policy", "test", "rules.toml"])).code).toBe(1);
    expect(existsSync(join(env.XDG_STATE_HOME!, "zeph", "zeph.db"))).toBe(false);
  });

  it("says what is wrong with the file itself", async () => {
    const { run, write } = box();
    write("rules.toml", '[[rules]]\neffect = "perhaps"\ntool = "bash"\n');
    expect(await run(["policy", "test", "rules.toml"])).toMatchObject({ code: 2, stderr: expect.stringContaining("rules.toml:2") });
  });
});

it("zeph policy shows how every gate is set, and how often each spoke in the log", async () => {
  const { run, runProcess, cwd } = box();
  await run(["call", "bash", '{"command":"sudo id"}']);
  mkdirSync(join(cwd, "sub"));
  const { code, stdout } = await runProcess(["policy"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^blocklist +on; objected to 1 call in the log\n/);
  expect(stdout).toMatch(/^permissions +supervised, 0 rules$/m);
  const [found] = jsonLines((await run(["policy", "status", "--json"])).stdout);
  expect(found.gates.map(({ gate }: { gate: string }) => gate).join(" ")).toBe(GATES);
  expect(found.gates[0]).toEqual({ gate: "blocklist", state: "on", refused: 1 });
});

describe("in the tool console", () => {
  it("answers /policy, /status and the others, and says what to type", async () => {
    const { run } = box();
    const input = [
      "bash 'sudo id'",
      "/policy",
      "/policy check write a.txt hello",
      '/policy check bash {"command":"ls"}',
      "/status --json",
      "/status",
      "",
    ].join("\n");
    const { stdout } = await run([], { input });
    expect(stdout).toMatch(/^blocklist: on; 1 denied\n/m);
    expect(stdout).toMatch(/^ask: write changes files/m);
    expect(stdout).toMatch(/^ {2}permissions +ask/m);
    const status = JSON.parse(stdout.split("\n").find((line) => line.startsWith('{"zeph"'))!);
    expect(status).toMatchObject({ autonomy: "supervised", calls: 1, project: null });
    expect(status.gates[0]).toEqual({ gate: "blocklist", state: "on", passed: 0, asked: 0, denied: 1 });
    expect(status.gates.map(({ gate }: { gate: string }) => gate).join(" ")).toBe(GATES);
    expect(stdout).toMatch(/^gates +blocklist: on; 1 denied\n +self: for calls of other agents\n +permissions: supervised, 0 rules\n/m);
    expect(stdout).toMatch(/^ +on: files, trust/m);
  });

  it("says what to type when something is wrong", async () => {
    const cases = [
      ["/policy chek", 'Did you mean "check"?'],
      ["/policy check", "Say which call to judge"],
      ["/policy check raed {}", 'Did you mean "read"?'],
      ["/policy check read {", "not valid JSON"],
      ["/policy status x", "Type /policy"],
      ["/approve", "The gate scoped has refused no call here. Type /approve <call_id>."],
      ["/approve a", "at least 6 characters"],
      ["/approve 4", "at least 6 characters"],
      ["/approve abcdef12", "refused no call abcdef12"],
      ["/feedback", "Type /feedback unacceptable|revoke|ok <call_id>. unacceptable: do not repeat"],
      ["/feedback ok", "Type /feedback unacceptable|revoke|ok <call_id>."],
      ["/feedback bad abcdef12", "/feedback bad is not known"],
      ["/feedback ok abcdef12", "tools.governance.trajectory_enabled"],
      ["/trajectory x", "Type /trajectory status|reset."],
      ["/unblock", "No tool is blocked. Type /unblock <tool>."],
      ["/unblock bash", "bash is not blocked."],
      ["/status x", "/status takes nothing but --json."],
    ] as const;
    const { code, stderr } = await box().run([], { input: cases.map(([line]) => `${line}\n`).join("") });
    expect(code).toBe(5);
    const said = stderr.trimEnd().split("\n");
    expect(said).toHaveLength(cases.length);
    for (const [n, [, message]] of cases.entries()) expect(said[n]).toContain(message);
  });

  it("says why a call was refused, also where a model is not told", async () => {
    const here = box();
    here.config(
      '[tools.policy]\nenabled = true\ndefault_effect = "allow"\n[[tools.policy.rules]]\neffect = "deny"\ntool = "read"\nargs_match = "b"\n',
    );
    const { stderr } = await here.run([], { input: "read b.txt\n" });
    expect(stderr).toMatch(/^rule\[0\] deny.*: tool=read matched "read", args_match "b"/);
    expect(stderr).not.toContain("denied by policy\n");
    const checked = await here.run(["policy", "check", "read", '{"path":"b.txt"}']);
    expect(checked.stdout).toMatch(/^deny: rule\[0\] deny.*\n {2}would read b\.txt\n {2}decided by policy\n/);
    const called = await here.run(["call", "read", '{"path":"b.txt"}']);
    expect(called.stderr).toMatch(/^policy: rule\[0\] deny.*: tool=read/m);
  });

  it("reads the arguments of tools that no model is shown, and says who hides them", async () => {
    const here = box();
    here.config('[tools.scoped]\nenabled = true\ndenied_tools = ["fetch", "find_path"]\n');
    const input =
      "fetch https://a.example\n/policy check find_path path=. pattern=*\nfind_path path=.\n/tools fetch\n/judge fetch https://a.example\n/tools\n";
    const { stdout, stderr } = await here.run([], { input });
    expect(stderr).toMatch(/^fetch is not used here \(tools\.scoped\.denied_tools\)\.\n/);
    expect(stdout.match(/fetch is not offered: scoped denies every call \(tools\.scoped\.denied_tools\)$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^deny: find_path is not used here/m);
    expect(stdout).toMatch(/^ {2}find_path is not offered: /m);
    expect(stderr).toMatch(/^find_path: "pattern" is missing\.\nfind_path is not offered: .*\.\n/m);
    expect(stdout).toMatch(/^fetch \(fetches\) url/m);
    expect(stdout).not.toMatch(/^find_path \(/m);
  });

  it("approves the last refusal without an id, and says when it was approved already", async () => {
    const here = box();
    here.write("a.txt", "hello\n");
    here.config('[tools.scoped]\nenabled = true\ndenied_tools = ["read"]\n');
    const { stdout, stderr } = await here.run([], { input: "read b.txt\nread a.txt\n/approve\n/approve\nread a.txt\n" });
    expect(stdout).toBe("read may be called with exactly these arguments, once. Ask for it again.\n1\thello\n");
    expect(stderr).toMatch(/^read \([0-9a-f]{8}\) was approved already/m);
  });

  it("shows how to lift a refusal of the gate scoped, which is good for one call", async () => {
    const here = box();
    here.write("a.txt", "hello\n");
    here.config('[tools.scoped]\nenabled = true\n[[tools.scoped.constraints]]\ntool = "read"\ndeny_patterns = [".txt"]\n');
    const child = here.start([]);
    let told = "";
    const hint = new Promise<string>((resolve) => {
      child.stderr.on("data", (chunk: Buffer) => {
        told += String(chunk);
        const found = /^(\/approve [0-9a-f]{8}) lets exactly this call through, once\.$/m.exec(told);
        if (found) resolve(found[1]!);
      });
    });
    const end = ended(child);
    child.stdin.write("read a.txt\n");
    child.stdin.end(`${await hint}\nread b.txt\nread a.txt\nread a.txt\n`);
    const { stdout, stderr } = await end;
    expect(stdout).toMatch(/^read may be called with exactly these arguments, once\. Ask for it again\.\n1\thello\n$/);
    expect(stderr.match(/denied by scoped/g)).toHaveLength(3);
    expect(readFileSync(join(here.env.XDG_STATE_HOME!, "zeph", "audit.jsonl"), "utf8")).toMatch(
      /"note":"the refusal of call \S+ \(read\) by the gate scoped was lifted/,
    );
  });
});

it.runIf(hasTerminal)("a chat shows below the call how to lift a refusal of the gate scoped", async () => {
  const read = calls("read", { path: "a.txt" });
  const here = scripted(
    box(),
    [[read], [says("Refused.")], [read], [says("Read it.")]],
    '[tools.scoped]\nenabled = true\n[[tools.scoped.constraints]]\ntool = "read"\ndeny_patterns = [".txt"]',
  );
  here.write("a.txt", "hello\n");
  const tty = terminal(here, "--no-color", { columns: 60 });
  await tty.see("you> ");
  tty.type("Read it\r");
  await tty.see("Refused.");
  await tty.see("you> ");
  expect(tty.text()).toMatch(
    /read a\.txt: denied by scoped, .*\[1\]\r*\n {2}\/approve [0-9a-f]{8} lets exactly this call through, once\r*\n/,
  );
  tty.type("/approve 1\r");
  await tty.see("read may be called with exactly these");
  await tty.see("you> ");
  tty.type("/policy check read a.txt\r");
  await tty.see("scoped");
  tty.type("/status\r");
  await tty.see("gates");
  tty.type("Again\r");
  await tty.see("read a.txt: ok");
  await tty.see("Read it.");
  tty.type("/exit\r");
  expect((await tty.end).code).toBe(0);
});
