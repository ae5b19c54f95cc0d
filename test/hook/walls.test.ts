import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HookdBox, LAUNCHER, openHookdBox, untilGone } from "./hookd-box.ts";
import { type StandIn, startStandIn } from "./stand-in-client.ts";

const ZEPH = fileURLToPath(new URL("../../bin/zeph.cjs", import.meta.url));
let box: HookdBox;
let claude: StandIn;
beforeAll(async () => {
  box = openHookdBox();
  await box.run([process.execPath, ZEPH, "hook", "install", "claude", "codex", "pi", "--mode", "walls", "--yes"]);
  await box.warm();
  claude = startStandIn("claude", box);
});
afterAll(async () => {
  claude.end();
  await box.remove();
});

interface Said {
  readonly permissionDecision?: string;
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: Readonly<Record<string, string>>;
  readonly additionalContext?: string;
}
const nothing: Said = {};

/** What the installed hook says about a command of Claude Code. */
async function asked(
  command: string,
  more: { readonly args?: object; readonly session?: string; readonly by?: StandIn } = {},
): Promise<Said> {
  const input = {
    ...{ session_id: more.session ?? "s1", cwd: box.work, permission_mode: "default", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command, ...more.args }, tool_use_id: "t" },
    transcript_path: join(box.env.HOME!, ".claude/projects", box.work.replace(/[^a-zA-Z0-9]/g, "-"), "x.jsonl"),
  };
  const { stdout } = await (more.by ?? claude).run(`${LAUNCHER} claude pre`, JSON.stringify(input));
  return stdout === "" ? nothing : JSON.parse(stdout).hookSpecificOutput;
}

/** Puts rules of Claude Code into the folder while `during` runs. */
async function withRules<T>(permissions: object, during: () => Promise<T>): Promise<T> {
  const file = join(box.work, ".claude/settings.local.json");
  mkdirSync(join(box.work, ".claude"), { recursive: true });
  writeFileSync(file, JSON.stringify({ permissions }));
  return during().finally(() => writeFileSync(file, "{}"));
}

it("a command is rewritten and runs behind the walls, with its exit code, its streams and its text", async () => {
  const command = `echo "a 'b'" \\\n | tr a-z A-Z; cat <<'E' >&2\n$x # y\nE\necho z > ${box.env.HOME}/out; echo z > in; exit 3`;
  const said = await asked(command, { args: { timeout: 5, description: "d" } });
  expect(said).toMatchObject({ updatedInput: { timeout: 5, description: "d" } });
  expect(said.permissionDecision).toBeUndefined();
  const line = said.updatedInput!.command!;
  expect(line).toMatch(/zeph-hook exec [0-9a-f]{32} # echo "a 'b'"/);
  const { code, stdout, stderr } = await claude.run(line);
  expect([code, stdout, stderr.startsWith("$x # y\n")]).toEqual([3, "A 'B'\n", true]);
  expect([existsSync(join(box.env.HOME!, "out")), existsSync(join(box.work, "in"))]).toEqual([false, true]);
  const audit = readFileSync(join(box.env.HOME!, ".local/state/zeph/audit.jsonl"), "utf8");
  expect(audit).toContain('"rewritten":true');
});

it("a ticket is good once, and below the client that asked alone", async () => {
  const { updatedInput } = await asked("echo once");
  const line = updatedInput!.command!;
  const other = startStandIn("codex", box);
  expect(await other.run(line)).toMatchObject({ code: 126, stderr: expect.stringContaining("Call the command itself") });
  other.end();
  expect(await claude.run(line)).toMatchObject({ code: 126 });
  const again = (await asked("echo once")).updatedInput!.command!;
  expect(await claude.run(again)).toMatchObject({ code: 0, stdout: "once\n" });
  expect(await claude.run(again)).toMatchObject({ code: 126 });
});

it("what was shortened is read whole by the session whose output it was, and by no other", async () => {
  writeFileSync(join(box.work, "long.sh"), "for n in $(seq 5000); do echo step $n of the work is $((n * 7919 % 10007)); done\n");
  const run = async (command: string, session = "whole") => claude.run((await asked(command, { session })).updatedInput!.command!);
  const { stdout } = await run("bash long.sh");
  const [, handle] = /\n\[whole output: zeph filter --raw (raw#\d{6})\]\n$/.exec(stdout)!;
  const whole = await run(`zeph filter --raw ${handle}`);
  expect(whole).toMatchObject({ code: 0 });
  expect(whole.stdout.trim().split("\n")).toEqual(
    Array.from({ length: 5000 }, (_, n) => `step ${n + 1} of the work is ${((n + 1) * 7919) % 10_007}`),
  );
  expect(await run(`zeph filter --raw ${handle}`, "another")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("nothing is kept"),
  });
  // With anything else it is a program of Zeph's own, and the client's own rules count.
  expect((await asked(`zeph filter --raw ${handle}; ls`, { session: "whole" })).permissionDecision).toBe("deny");
  await withRules({ deny: ["Bash(zeph:*)"] }, async () =>
    expect((await asked(`zeph filter --raw ${handle}`, { session: "whole" })).permissionDecision).toBe("deny"),
  );
});

it("a rewritten text that the model repeats is refused, with the way to go on", async () => {
  const { updatedInput } = await asked("ls");
  for (const text of [updatedInput!.command!, "zeph-hook exec 00 # ls", "zeph-exec 00"])
    expect(await asked(text)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("Call the command itself"),
    });
});

it("a command that only names the program is like any other", async () => {
  for (const text of ["grep -r 'zeph-hook exec' .", 'git commit -m "fix zeph-hook exec"'])
    expect((await asked(text)).permissionDecisionReason ?? "").not.toContain("Call the command itself");
});

it("that variables do not stay is told once in a session", async () => {
  const [first, second, other] = [
    await asked("ls", { session: "n1" }),
    await asked("ls", { session: "n1" }),
    await asked("ls", { session: "n2" }),
  ];
  expect([first, second, other].map(({ additionalContext }) => additionalContext?.includes("variables"))).toEqual([true, undefined, true]);
});

it("what runs in the background and a change of folder are left to the client", async () => {
  expect((await asked("sleep 1", { args: { run_in_background: true } })).updatedInput).toBeUndefined();
  expect((await asked("cd sub")).updatedInput).toBeUndefined();
});

it("the client's own rules count: a denial is one, a question is put with the new text, and an allowance is said", async () => {
  await withRules({ deny: ["Bash(touch:*)"], ask: ["Bash(git push:*)"], allow: ["Bash(echo:*)"] }, async () => {
    expect(await asked("touch x")).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("Bash(touch:*)"),
    });
    expect(await asked("git push")).toMatchObject({
      permissionDecision: "ask",
      updatedInput: { command: expect.stringContaining("# git push") },
    });
    expect(await asked("echo x")).toMatchObject({ permissionDecision: "allow", updatedInput: {} });
    expect(await asked("A=1 touch x")).toEqual(nothing);
    expect(await asked("uname")).toMatchObject({ updatedInput: {} });
  });
  expect((await asked("touch x")).updatedInput).toBeDefined();
});

it("a rule on the command line of a client counts", async () => {
  const strict = startStandIn("claude", box, ["--disallowedTools", "Bash(touch:*)"]);
  expect(await asked("touch x", { by: strict })).toMatchObject({ permissionDecision: "deny" });
  strict.end();
});

it("nothing is rewritten for a process that is not known to be the client", async () => {
  const { code, stdout } = await box.run([LAUNCHER, "claude", "pre"], {
    stdin: JSON.stringify({
      ...{ session_id: "s", cwd: box.work, permission_mode: "default", hook_event_name: "PreToolUse", tool_name: "Bash" },
      ...{ tool_input: { command: "ls" }, tool_use_id: "t" },
    }),
  });
  expect([code, stdout]).toEqual([0, ""]);
});

it("hookd waits for nothing when it is told to end and has nothing to do", async () => {
  const took: number[] = [];
  for (let round = 0; round < 3; round++) {
    await box.warm();
    await asked("ls");
    const { pid } = (await box.hello())!;
    const since = performance.now();
    process.kill(pid, "SIGTERM");
    await untilGone(pid);
    took.push(performance.now() - since);
  }
  // What hangs has five seconds. A busy machine may take longer once.
  expect(Math.min(...took)).toBeLessThan(4000);
});

it("a person is shown the whole command, or both ends of one that nobody would read", async () => {
  const shown = async (command: string) => (await asked(command)).updatedInput!.command!;
  const middle = `ls ${"a ".repeat(150)}; node evil.js`;
  expect(await shown(middle)).toContain("; node evil.js");
  const long = `ls ${"a ".repeat(5000)}; node evil.js`;
  expect(await shown(long)).toMatch(/# ls a .*\[… \d+ characters are not shown …\].*; node evil\.js$/);
});

it("a rule that allows every rewritten text allows none of them silently", async () => {
  await withRules({ allow: [`Bash(${LAUNCHER} exec:*)`, "Bash(echo:*)"] }, async () => {
    expect(await asked("uname -a")).toMatchObject({
      permissionDecision: "ask",
      permissionDecisionReason: expect.stringContaining("zeph-hook exec"),
      updatedInput: {},
    });
    expect(await asked("echo x")).toMatchObject({ permissionDecision: "allow" });
  });
});

it("a rule of the client about a file holds for links to it", async () => {
  mkdirSync(join(box.work, "private"), { recursive: true });
  writeFileSync(join(box.work, "secret.txt"), "kept\n");
  symlinkSync("secret.txt", join(box.work, "link.txt"));
  symlinkSync("private", join(box.work, "plink"));
  symlinkSync("nowhere", join(box.work, "dangling"));
  const rules = { deny: ["Edit(secret.txt)", "Read(private/**)"], allow: ["Bash(echo:*)", "Bash(cat:*)"] };
  await withRules(rules, async () => {
    for (const command of ["echo x > link.txt", "cat plink/k", "echo x > dangling"])
      expect([command, await asked(command)]).toEqual([command, nothing]);
    expect(await asked("echo x > plain.txt")).toMatchObject({ permissionDecision: "allow" });
  });
});
