import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type Box, box, ended, jsonLines } from "./zeph.ts";

/** Rules of the person's own, so that nothing here depends on ours. */
const RULES = `
[[rules]]
name = "quiet-build"
match = { prefix = "sh build.sh" }
strategy = { type = "strip_noise", patterns = ["^compiling "] }
`;
const BUILD = `for n in 1 2 3 4 5 6 7 8; do echo "compiling unit $n of the program"; done\necho "warning: unused" >&2\necho done\nexit 3\n`;

function project(): Box {
  const place = box();
  place.write(join(place.env.XDG_CONFIG_HOME!, "zeph", "filters.toml"), `inherit = false\n${RULES}`);
  place.write("build.sh", BUILD);
  return place;
}

describe("zeph filter -- <command>", () => {
  it("runs it, shows what matters, counts the rest, and exits as it did", async () => {
    const { runProcess } = project();
    const { code, stdout, stderr } = await runProcess(["filter", "--", "sh", "build.sh"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^warning: unused\ndone\n\[-8 lines raw#\d+\]\n$/);
    expect(stderr).toBe("[shell] 10 lines -> 2 lines, 80.0% filtered\n");
  });

  it("says nothing of its own when there was nothing to leave out", async () => {
    const { run } = project();
    expect(await run(["filter", "--", "echo", "it's", "--json"])).toMatchObject({ code: 0, stdout: "it's --json\n", stderr: "" });
    expect(await run(["filter", "--", "true"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("keeps the order of both streams, and bytes as they are", async () => {
    const { run, write } = project();
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`);
    write("two.sh", lines.map((line, n) => `echo ${line}${n % 2 ? " >&2" : ""}`).join("\n"));
    expect((await run(["filter", "--", "sh", "two.sh"])).stdout).toBe(`${lines.join("\n")}\n`);
    write("odd.txt", "a\r\n\u001b[31mred\u001b[0m\n\n\n\nno newline at the end");
    expect((await run(["filter", "--command", "some tool"], { input: "a\n\n\n\nb" })).stdout).toBe("a\n\nb\n");
    expect((await run(["filter", "--", "cat", "odd.txt"])).stdout).toBe("a\r\n\u001b[31mred\u001b[0m\n\n\n\nno newline at the end");
  });

  it.each([
    [["sh", "-c", "exit 7"], 7],
    [["sh", "-c", "kill -9 $$"], 137],
    [["./build.sh"], 126],
    [["exit 9; echo never"], 9],
    [["echo a | grep b"], 1],
  ])("exits as a shell would say it: %j", async (command, code) => {
    const { run } = project();
    expect((await run(["filter", "--", ...command])).code).toBe(code);
  });

  it("says which program is not there, and prints nothing else", async () => {
    const { code, stdout, stderr } = await project().runProcess(["filter", "--", "no-such-program-at-all"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 127,
      stdout: "",
      stderr: 'zeph filter: there is no program "no-such-program-at-all".\n',
    });
  });

  it("gives its stdin to the command", async () => {
    expect((await project().runProcess(["filter", "--", "wc", "-c"], { input: "12345" })).stdout.trim()).toBe("5");
  });

  it("takes one word with spaces as a line for the shell", async () => {
    const { run } = project();
    expect(await run(["filter", "--", "echo one && echo two >&2"])).toMatchObject({ code: 0, stdout: "one\ntwo\n" });
    expect((await run(["filter", "--", "cd / && sh build.sh"])).code).toBe(2);
  });

  it("hands Ctrl-C to the command and shows what there is so far", async () => {
    const { start, write, cwd } = project();
    write("build.sh", "trap 'echo stopped; exit 5' INT\necho compiling\n: > ready\nfor n in $(seq 300); do sleep 0.05; done\n");
    const child = start(["filter", "--", "sh", "build.sh"]);
    const end = ended(child);
    await expect.poll(() => existsSync(join(cwd, "ready"))).toBe(true);
    child.kill("SIGINT");
    expect(await end).toMatchObject({ code: 5, stdout: "compiling\nstopped\n" });
  });

  it("does not wait for what the command left running", async () => {
    const { stdout, stderr } = await project().run(["filter", "--", "sh", "-c", "sleep 20 & echo $!"]);
    process.kill(Number(stdout));
    expect(stderr).toContain("still runs");
  });

  it("holds a bounded part of an endless output, and says so", async () => {
    const { run } = project();
    const line = `a line that nobody needs ${"0".repeat(1000)}`;
    const { code, stdout } = await run(["filter", "--", `yes ${line} | head -c 80000000; echo; echo the end`]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/the end\n\[[^\n]*\]\n\[\d{8} bytes in the middle of this output are missing: it was too long\]\n$/);
    expect(stdout.length).toBeLessThan(100_000);
  });
});

describe("zeph filter --command", () => {
  const RAW = `${"compiling unit of the program\n".repeat(9)}ERROR: disk full\n`;

  it("filters what comes on stdin and exits 0", async () => {
    const { runProcess } = project();
    const { code, stdout, stderr } = await runProcess(["filter", "--command", "sh build.sh", "--exit-code", "3"], { input: RAW });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ERROR: disk full\n\[-9 lines raw#\d+\]\n$/);
    expect(stderr).toBe("[shell] 10 lines -> 1 line, 90.0% filtered\n");
  });

  it("takes bytes that are no UTF-8, and no bytes at all", async () => {
    const { run } = project();
    const odd = Buffer.concat([Buffer.from("caf"), Buffer.from([0xe9]), Buffer.from("\nERROR: disk full\n")]);
    expect(await run(["filter", "--command", "make"], { input: odd })).toMatchObject({ code: 0, stdout: "caf\ufffd\nERROR: disk full\n" });
    expect(await run(["filter", "--command", "make"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("prints one JSON object", async () => {
    const { run } = project();
    const { stdout, stderr } = await run(["filter", "--json", "--command", "sh build.sh"], { input: RAW });
    expect(stderr).toBe("");
    expect(jsonLines(stdout)).toEqual([
      {
        text: expect.stringMatching(/^ERROR: disk full\n\[-9 lines raw#\d+\]$/),
        rule: "quiet-build",
        confidence: "Full",
        rawLines: 10,
        lines: 1,
        rawChars: RAW.length,
        chars: expect.any(Number),
        secrets: [],
        warnings: [],
        forms: ["sh build.sh"],
        speakers: ["sh build.sh"],
        verbatim: null,
        left: { lines: 9, errors: 0, values: 0, characters: 0 },
        raw_id: expect.stringMatching(/^raw#\d+$/),
        steps: expect.arrayContaining([
          {
            rule: "quiet-build",
            strategy: "strip_noise",
            command: "sh build.sh",
            did: "shortened",
            before: 10,
            after: 1,
            confidence: "Full",
            form: "sh build.sh",
          },
        ]),
      },
    ]);
    expect(jsonLines((await run(["filter", "--json", "--", "sh", "-c", "exit 4"])).stdout)[0]).toMatchObject({ exit_code: 4, text: "" });
  });

  it("explains on stderr, and prints the text as always", async () => {
    const { run } = project();
    const { stdout, stderr } = await run(["filter", "--explain", "--command", "cd sub && sh build.sh"], { input: RAW });
    expect(stdout).toMatch(/^ERROR: disk full\n/);
    expect(stderr).toContain("known as   sh build.sh\n");
    expect(stderr).toContain('rule       quiet-build (strip_noise, by "sh build.sh"): 10 -> 1 line, Full\n');
    expect(stderr).toContain("left out   9 lines; none of them error-shaped\n");
    expect(stderr).toMatch(/kept as {4}raw#\d+ \(zeph filter --raw 'raw#\d+'\)\n$/);
  });

  it("takes secrets out of what it shows and of what it keeps, and warns", async () => {
    const { run } = project();
    const token = `${"gh"}p_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const input = `${"compiling unit of the program\n".repeat(9)}token ${token}\n`;
    const { stdout } = await run(["filter", "--command", "sh build.sh"], { input });
    expect(stdout).not.toContain(token);
    expect(stdout).toMatch(/redacted/);
    const kept = await run(["filter", "--raw"]);
    expect(kept.stdout).toContain("compiling unit");
    expect(kept.stdout).not.toContain(token);
    expect(JSON.stringify(jsonLines((await run(["filter", "--json", "--command", "sh build.sh"], { input })).stdout))).not.toContain(token);
  });
});

describe("zeph filter --raw", () => {
  it("prints all of what was shortened: the newest, or by the handle in the mark", async () => {
    const { run } = project();
    const first = await run(["filter", "--", "sh", "build.sh"]);
    const raw = execFileSync("sh", ["-c", `${BUILD.replace("exit 3", "")}`], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    await run(["filter", "--command", "sh build.sh"], { input: `${"compiling other\n".repeat(20)}end\n` });
    const [handle] = /raw#\d+/.exec(first.stdout)!;
    expect((await run(["filter", "--raw", handle])).stdout).toBe(`${raw.replace(/done\n$/, "")}warning: unused\ndone\n`);
    expect((await run(["filter", "--raw"])).stdout).toBe(`${"compiling other\n".repeat(20)}end\n`);
    expect(jsonLines((await run(["filter", "--raw", handle, "--json"])).stdout)[0]).toMatchObject({
      text: expect.stringContaining("unit 8"),
    });
  });

  it("exits 2 when there is nothing", async () => {
    const { run } = project();
    expect(await run(["filter", "--raw"])).toMatchObject({ code: 2, stdout: "", stderr: "Nothing is kept yet.\n" });
    expect(await run(["filter", "--raw", "raw#77"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Nothing is kept as raw#77"),
    });
  });
});

describe("zeph filter test", () => {
  const file = (examples: string) => `${RULES}\n${examples}`;

  it("holds rules against the examples beside them", async () => {
    const { runProcess, write } = project();
    write("fixtures/a.txt", "compiling all of the first unit\ncompiling all of the second\nERROR: no\n");
    write(
      "rules.toml",
      file(`[[examples]]
rule = "quiet-build"
command = "sh build.sh"
input = """
compiling one unit of the program
compiling two units of the program
done
"""
expect = """
done
[-2 lines]
"""
[[examples]]
rule = "quiet-build"
command = "time sh build.sh -v"
exit_code = 1
input_file = "fixtures/a.txt"
keeps = ["ERROR: no"]
drops = ["compiling all"]
`),
    );
    const { code, stdout, stderr } = await runProcess(["filter", "test", "rules.toml"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      "ok      quiet-build: sh build.sh  rules.toml:7\nok      quiet-build: time sh build.sh -v  rules.toml:19\n2 of 2 examples ok.\n",
    );
  });

  it("shows what came in place of what was expected, and exits 1", async () => {
    const { run, write } = project();
    write(
      "rules.toml",
      file(`[[examples]]
rule = "quiet-build"
command = "sh build.sh"
input = "compiling one unit of the program\\ncompiling two units of the program\\na\\nb\\n"
expect = "a\\nc\\n[-2 lines]"
keeps = ["z"]
drops = ["b"]
[[examples]]
rule = "quiet-build"
command = "npm test"
input = "x"
keeps = ["x"]
[[examples]]
rule = "gone"
command = "npm test"
input = "x"
keeps = ["x"]
`),
    );
    const { code, stdout } = await run(["filter", "test", "rules.toml"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "failed  quiet-build: sh build.sh  rules.toml:7\n        differs from what is expected:\n          a\n        - c\n        + b\n",
    );
    expect(stdout).toContain("        does not keep: z\n        does not drop: b\n");
    expect(stdout).toContain('rule "quiet-build" does not apply to this command: it is known as "npm test"');
    expect(stdout).toContain('there is no rule "gone" in force');
    expect(stdout).toContain("0 of 3 examples ok.");
    const json = jsonLines((await run(["filter", "test", "rules.toml", "--json"])).stdout)[0];
    expect(json).toMatchObject({ ok: false, untested: [], examples: [{ ok: false, line: 7 }, { ok: false }, { ok: false }] });
  });

  it("holds every rule to the law: an error that comes in between is shown, or at the least counted", async () => {
    const { run, write } = project();
    const rule = (more: string) => `inherit = false
[[rules]]
name = "everything"
match = { exact = "make" }
strategy = { type = "strip_noise", patterns = ["^(a line|ERROR)"]${more} }
[[examples]]
rule = "everything"
command = "make"
input = "${"a line that nobody needs to see\\n".repeat(5)}end\\n"
drops = ["nobody"]
`;
    write("counted.toml", rule(""));
    write("lost.toml", rule(", harmless = true"));
    const counted = await run(["filter", "test", "counted.toml"]);
    expect(counted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('an error is counted and not shown: "ERROR: disk full" before line 1'),
    });
    const lost = await run(["filter", "test", "lost.toml"]);
    expect(lost).toMatchObject({ code: 1, stdout: expect.stringContaining('loses an error: "ERROR: disk full" before line 1') });
  });

  it("names rules that are no good, with their line, and rules without an example", async () => {
    const { run, write } = project();
    write("rules.toml", `${RULES}[[rules]]\nname = "bad"\nmatch = { prefix = "x" }\nstrategy = { type = "nope" }\n`);
    const { code, stdout, stderr } = await run(["filter", "test", "rules.toml"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^warning: rules\.toml:6: rule "bad" is skipped: .*nope.*\n$/);
    expect(stdout).toBe("0 of 0 examples ok, 1 warnings. Without an example: quiet-build.\n");
  });

  it.each([
    ["gone.toml", null, "gone.toml: This file does not exist."],
    ["broken.toml", "[[rules]\n", "broken.toml:1:"],
    ["empty.toml", '[[examples]]\nrule = "a"\ncommand = "b"\ninput = "c"\n', "empty.toml:1: Example 1: set expect, keeps or drops"],
    ["both.toml", '[[examples]]\nrule = "a"\ncommand = "b"\ninput = "c"\ninput_file = "d"\nkeeps = ["x"]\n', "either input or input_file"],
    ["file.toml", '[[examples]]\nrule = "a"\ncommand = "b"\ninput_file = "d"\nkeeps = ["x"]\n', "file.toml:1: Example 1: "],
    ["typo.toml", '[[examples]]\nrule = "a"\ncommand = "b"\ninput = "d"\nkeep = ["x"]\n', "keep"],
    ["table.toml", '[examples]\nrule = "a"\n', "begin each one with [[examples]]"],
  ])("exits 2 for a file that cannot be read: %s", async (name, text, message) => {
    const { run, write } = project();
    if (text !== null) write(name, text);
    const { code, stdout, stderr } = await run(["filter", "test", name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
  });
});

describe("zeph filter savings", () => {
  const agentRuns = (place: Box) => place.run(["call", "bash", '{"command":"sh build.sh"}', "--yes", "--without-walls"]);

  it("prints what filters saved for agents, by day, rule and command", async () => {
    const place = project();
    expect(await place.run(["filter", "savings"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing was saved in the last 14 days\./),
    });
    await agentRuns(place);
    await agentRuns(place);
    const [row, ...others] = JSON.parse((await place.run(["filter", "savings", "1", "--json"])).stdout);
    expect(row).toMatchObject({
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      command: "sh",
      rule: "quiet-build",
      uses: 2,
    });
    expect(others).toEqual([]);
    expect(row.raw_chars).toBeGreaterThan(row.chars);
    const { stdout } = await place.run(["filter", "savings", "1"]);
    const share = Math.round((100 * (row.raw_chars - row.chars)) / row.raw_chars);
    for (const name of [row.day, "quiet-build", "sh", "last 1 day"])
      expect(stdout).toMatch(new RegExp(`^${name} +2 +${row.raw_chars} +${row.chars} +\\d+ +${share} %$`, "m"));
  });
});

describe("zeph filter rules", () => {
  it("lists what is in force, theirs first, and prints one in full", async () => {
    const { run, runProcess, env, write } = project();
    const own = write(join(env.XDG_CONFIG_HOME!, "zeph", "filters.toml"), RULES);
    const { stdout } = await runProcess(["filter", "rules"]);
    expect(stdout.split("\n")[0]).toMatch(new RegExp(`^quiet-build +strip_noise +${own}$`));
    expect(stdout).toMatch(/^git-status +git_status +built-in, git\.toml$/m);
    expect((await run(["filter", "rules", "quiet-build"])).stdout).toBe(`# ${own}${RULES}`);
    expect((await run(["filter", "rules", "git-status"])).stdout).toMatch(/^# built-in, git\.toml\n\[\[rules\]\]\nname = "git-status"\n/);
    expect(jsonLines((await run(["filter", "rules", "quiet-build", "--json"])).stdout)[0]).toEqual([
      { name: "quiet-build", origin: "user", file: own, strategy: "strip_noise", toml: RULES.trim() },
    ]);
  });

  it("names the nearest when there is none of that name", async () => {
    const { code, stderr } = await project().run(["filter", "rules", "quiet-buidl"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'There is no rule "quiet-buidl". Did you mean "quiet-build"?\n' });
  });
});

it.each([
  [[], "Say what to filter."],
  [["--"], "Say what to run after --."],
  [["npm", "test"], "Put -- before a command: zeph filter -- npm test"],
  [["--command", "make", "--", "make"], "-- <command> and --command do not go together."],
  [["--raw", "--", "make"], "do not go together"],
  [["--raw", "x", "rules"], "do not go together"],
  [["--exit-code", "1", "--", "make"], "--exit-code belongs to --command"],
  [["--command", "make", "--exit-code", "256"], "--exit-code takes a whole number from 0 to 255."],
  [["--command", "make", "--exit-code", "-1"], "--exit-code"],
  [["--explain", "rules"], "--explain is about an output that is filtered."],
  [["--jsn", "--", "make"], "Did you mean --json?"],
  [["test"], "Name one file of rules"],
  [["test", "a", "b"], "Name one file of rules"],
  [["rules", "a", "b"], '"b" is one word too many.'],
])("exits 2 for wrong usage: zeph filter %j", async (args, message) => {
  const { code, stdout, stderr } = await project().run(["filter", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

it("zeph filter warns of rules of the person's that are no good, and goes on without them", async () => {
  const { run, write, env } = project();
  write(join(env.XDG_CONFIG_HOME!, "zeph", "filters.toml"), `${RULES}[[rules]]\nname = "bad"\n`);
  const { code, stdout, stderr } = await run(["filter", "--command", "sh build.sh"], { input: `${"compiling a\n".repeat(30)}done\n` });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^done\n\[-30 lines raw#\d+\]\n$/);
  expect(stderr).toMatch(/^warning: .*filters\.toml:6: rule "bad" is skipped: .*\n\[shell\] 31 lines -> 1 line/);
});

const PTY = `import os,pty,sys
pid,fd=pty.fork()
if pid==0: os.execv(sys.argv[1],sys.argv[1:])
out=b""
try:
  while 1:
    b=os.read(fd,4096)
    if not b: break
    out+=b
except OSError: pass
print(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]),flush=True)
sys.stdout.buffer.write(out)`;
const hasPython = spawnSync("python3", ["-c", "import os,pty; os.waitstatus_to_exitcode"]).status === 0;

describe.runIf(hasPython)("in front of a person", () => {
  const atTerminal = ({ cwd, env }: Box, args: readonly string[]) => {
    const { stdout } = spawnSync("python3", ["-c", PTY, process.execPath, BIN, ...args], { cwd, env, encoding: "utf8" });
    const [code = "", ...rest] = stdout.split("\n");
    return { code: Number(code), text: rest.join("\n").replaceAll("\r\n", "\n") };
  };

  it("says that stdin must come from somewhere, and does not wait", () => {
    const { code, text } = atTerminal(project(), ["filter", "--command", "make"]);
    expect(code).toBe(2);
    expect(text).toContain("There is no output on stdin.");
  });

  it("shows how far a long command is, and takes that away again", () => {
    const { text } = atTerminal(project(), ["filter", "--", "echo first; sleep 1.7; echo last"]);
    expect(text).toContain("… 1s, 1 line");
    expect(text.lastIndexOf("\r\u001b[K")).toBeGreaterThan(text.lastIndexOf("… 1s"));
    expect(text.indexOf("first\nlast")).toBeGreaterThan(text.lastIndexOf("\r\u001b[K"));
  });

  it("gives the terminal nothing to obey", () => {
    const place = project();
    place.write("odd.txt", "\u001b]0;title\u0007text\n");
    expect(atTerminal(place, ["filter", "--", "cat", "odd.txt"]).text).toBe("\\u001b]0;title\\u0007text\n");
  });
});
