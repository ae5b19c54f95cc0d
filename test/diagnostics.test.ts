import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ToolCall } from "../src/core/call.ts";
import { Door } from "../src/core/door.ts";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createSession } from "../src/core/session.ts";
import { createWallsGate } from "../src/gates/walls.ts";
import type { Outcome, RuntimeOptions, Zeph } from "../src/index.ts";
import { diagnostics } from "../src/tools/diagnostics.ts";
import { type Workspace, workspace } from "./workspace.ts";

const MODULES = realpathSync(join(import.meta.dirname, "..", "node_modules"));
let works = false;
let base: Workspace;
let plain: Zeph;

beforeAll(async () => {
  base = workspace();
  plain = await base.runtime();
  const first = await plain.call("bash", { command: "true" });
  works = first.ok && first.output.walls?.backend === "bubblewrap";
  if (!works && process.env.REQUIRE_SANDBOX === "1") throw new Error(`No sandbox: ${said(first)}`);
  if (!works) console.warn(`Skipped, because no sandbox works here: ${said(first)}`);
});
afterAll(async () => {
  await plain.close();
  base.remove();
});

const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const raw = (outcome: Outcome) =>
  outcome.output?.raw as {
    items: { file: string; line: number }[];
    total: number;
    tools: { name: string; exit_code: number; ms: number }[];
    warnings: string[];
  };

/** A project made of these files, and a way to ask about it. */
function project(files: Record<string, string>) {
  const place = workspace();
  onTestFinished(place.remove);
  for (const [name, text] of Object.entries(files)) {
    const path = join(place.work, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (text.startsWith("#!")) chmodSync(path, 0o755);
  }
  const ask = async (args: object = {}, tools: object = {}, more: RuntimeOptions = {}, options: { signal?: AbortSignal } = {}) => {
    const zeph = await place.runtime({ config: { audit: { path: join(place.state, "audit.jsonl") }, tools }, ...more });
    try {
      return await zeph.call("diagnostics", args, options);
    } finally {
      await zeph.close();
    }
  };
  return { ...place, ask };
}

/** A linter the project brought along: whatever it does is done by the project. */
const eslintThat = (script: string) => ({ ".eslintrc.json": "{}", "a.js": "", "node_modules/.bin/eslint": `#!/bin/bash\n${script}\n` });
const CRATE = '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n';
const isThere = (program: string) => existsSync(`/usr/bin/${program}`);

describe("real programs", () => {
  it.runIf(isThere("cargo"))("cargo check", async ({ skip }) => {
    if (!works) skip();
    const { ask } = project({ "Cargo.toml": CRATE, "src/main.rs": 'fn main() {\n    let x: u32 = "a";\n    println!("{}", x);\n}\n' });
    const outcome = await ask();
    expect(said(outcome)).toBe("src/main.rs:2:18: error: mismatched types [E0308]\n1 error, 0 warnings");
    expect(outcome.output).toMatchObject({
      walls: { backend: "bubblewrap", network: "closed" },
      truncated: false,
      locations: [{ path: "src/main.rs", line: 2 }],
      raw: {
        items: [
          { severity: "error", message: "mismatched types", file: "src/main.rs", line: 2, col: 18, code: "E0308", source: "cargo check" },
        ],
        total: 1,
        tools: [{ name: "cargo check", exit_code: 101, ms: expect.any(Number) }],
        warnings: [],
      },
    });
  });
  it("tsc of the project, and biome for lint", async ({ skip }) => {
    if (!works || !existsSync(join(MODULES, ".bin", "tsc"))) skip();
    const { ask, work } = project({
      "tsconfig.json": '{"compilerOptions":{"strict":true},"include":["src"]}',
      "biome.json": '{"formatter":{"enabled":false}}',
      "src/a.ts": 'export const a: number = "x";\nexport const c = (b) => b;\n',
      "src/b.ts": "debugger;\nexport {};\n",
    });
    symlinkSync(MODULES, join(work, "node_modules"));
    const sandbox = { allow_read: [MODULES] };
    expect(said(await ask({}, { sandbox }))).toBe(
      [
        "src/a.ts:1:14: error: Type 'string' is not assignable to type 'number'. [TS2322]",
        "src/a.ts:2:19: error: Parameter 'b' implicitly has an 'any' type. [TS7006]",
        "2 errors, 0 warnings",
      ].join("\n"),
    );
    expect(said(await ask({ kind: "lint", path: "src/b.ts" }, { sandbox }))).toMatch(/^src\/b\.ts:1:1: \w+: .*noDebugger\]\n/);
  });
  it.runIf(isThere("mypy"))("mypy", async ({ skip }) => {
    if (!works) skip();
    const { ask } = project({ "pyproject.toml": "[tool.mypy]\nstrict = true\n", "a.py": "def f(a: int) -> str:\n    return a\n" });
    expect(said(await ask())).toMatch(/^a\.py:2:12: error: Incompatible return value type .* \[return-value\]\n1 error, 0 warnings$/);
  });
  it.runIf(isThere("go"))("go vet", async ({ skip }) => {
    if (!works) skip();
    const { ask } = project({
      "go.mod": "module demo\n\ngo 1.19\n",
      "main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d\\n", "x")\n}\n',
      "bad/b.go": "package bad\n\nfunc f() { nope() }\n",
    });
    expect(said(await ask({}, { shell: { timeout: 60 } }))).toMatch(
      /^bad\/b\.go:3:12: error: .*nope\nmain\.go:6:2: warning: .*Printf.* \[printf\]\n1 error, 1 warning$/,
    );
  });
  it.runIf(isThere("gcc"))("gcc, by compile_commands.json", async ({ skip }) => {
    if (!works) skip();
    const { ask, work } = project({ "a.c": "int main(void) {\n  int x;\n  return y;\n}\n" });
    const entry = (directory: string) => ({ directory, command: `gcc -Wall -o a.o -c ${work}/a.c`, file: join(work, "a.c") });
    writeFileSync(
      join(work, "compile_commands.json"),
      JSON.stringify([entry("/etc"), entry(work), { directory: work, file: "b.c", arguments: ["gcc", "b\0.c"] }]),
    );
    const outcome = await ask();
    expect(raw(outcome).items.map(({ file, line }) => `${file}:${line}`)).toEqual(["a.c:3", "a.c:2", "a.c:3"]);
    expect(raw(outcome).warnings).toEqual([
      expect.stringContaining("/etc lies outside the folders a command may start in"),
      expect.stringContaining("gcc/clang was not run: command holds a NUL character"),
    ]);
    expect(readdirSync(work).sort()).toEqual(["a.c", "compile_commands.json"]);
  });
  it.runIf(isThere("cargo"))("a clean project has none, and says nothing else", async ({ skip }) => {
    if (!works) skip();
    expect(said(await project({ "Cargo.toml": CRATE, "src/main.rs": "fn main() {}\n" }).ask())).toBe("No diagnostics");
  });
});

describe("what is run", () => {
  it("the nearest project file from the path upward counts, and never one above the workspace", async ({ skip }) => {
    if (!works) skip();
    const tell = (name: string) =>
      `#!/bin/bash\necho "$@" >> args.txt\necho '[{"filePath":"'$PWD'/x.js","messages":[{"severity":2,"message":"${name} '$*'"}]}]'\n`;
    const { ask, work, T } = project({
      "eslint.config.js": "",
      "node_modules/.bin/eslint": tell("outer"),
      "sub/deep/file.js": "",
      "sub/.eslintrc": "",
      "sub/node_modules/.bin/eslint": tell("inner"),
      "-f/file.js": "",
    });
    writeFileSync(join(T, "tsconfig.json"), "{}");
    expect(said(await ask({ kind: "lint" }))).toContain("x.js: error: outer -f json --no-color .\n");
    expect(raw(await ask({ kind: "lint", path: "sub/deep" })).warnings).toEqual(["1 finding outside of sub/deep not shown"]);
    expect(said(await ask({ kind: "lint", path: "sub" }))).toContain("sub/x.js: error: inner -f json --no-color .\n");
    expect(said(await ask({ kind: "lint", path: "-f" }))).toContain("No diagnostics, but:\n[1 finding outside of -f");
    expect(readFileSync(join(work, "args.txt"), "utf8")).toContain("--no-color ./-f\n");
    expect(said(await ask())).toMatch(/^No diagnostics: nothing was checked\n\[\. and the folders above/);
    expect(said(await ask())).toContain('[kind "lint" would run eslint]');
  });
  it("a folder without project files is told where they are", async ({ skip }) => {
    if (!works) skip();
    expect(said(await project({ "one/Cargo.toml": CRATE, "two/x": "" }).ask())).toContain(
      "[such files lie in one: give one of them as path]",
    );
  });
  it("a program that is not there gives an empty list and a warning", async ({ skip }) => {
    if (!works) skip();
    const outcome = await project({ ".oxlintrc.json": "{}" }).ask({ kind: "lint" });
    expect(outcome).toMatchObject({
      ok: true,
      output: { raw: { items: [], total: 0, tools: [], warnings: [expect.stringMatching(/^oxlint was not found/)] } },
    });
    expect(said(outcome)).toMatch(/^No diagnostics: nothing was checked\n\[oxlint was not found/);
  });
  it("several programs are merged, the errors first, and no more are shown than were asked for", async ({ skip }) => {
    if (!works) skip();
    const eslint = `#!/bin/bash\necho "$@" >> args.txt\necho '[{"filePath":"a.js","messages":[{"severity":1,"message":"w","line":1},{"severity":2,"message":"e","line":9}]}]'\n`;
    const oxlint = `#!/bin/bash\necho '{"diagnostics":[{"severity":"error","message":"o","filename":"a.js","labels":[{"span":{"line":3,"column":2}}]}]}'\n`;
    const { ask } = project({
      ...eslintThat(""),
      "node_modules/.bin/eslint": eslint,
      ".oxlintrc.json": "{}",
      "node_modules/.bin/oxlint": oxlint,
    });
    const outcome = await ask({ kind: "clippy" });
    expect(said(outcome)).toBe("a.js:3:2: error: o\na.js:9: error: e\na.js:1: warning: w\n2 errors, 1 warning");
    expect(raw(outcome).tools.map(({ name }) => name)).toEqual(["eslint", "oxlint"]);
    const one = await ask({ kind: "clippy", max_diagnostics: 1 });
    expect(said(one)).toBe("a.js:3:2: error: o\n2 errors, 1 warning (1 shown)");
    expect([one.output?.truncated, raw(one).total, raw(one).items.length]).toEqual([true, 3, 1]);
    expect(raw(await ask({ kind: "clippy", max_diagnostics: 9 }, { diagnostics: { max_diagnostics: 1 } })).items).toHaveLength(1);
  });
  it("a blocked command is not run by another name", async ({ skip }) => {
    if (!works) skip();
    const { ask, work } = project(eslintThat("touch ran"));
    const outcome = await ask({ kind: "lint" }, { shell: { blocked_commands: ["eslint"] } });
    expect(raw(outcome)).toMatchObject({
      items: [],
      tools: [],
      warnings: [expect.stringMatching(/^eslint was not run: .*blocked_commands/)],
    });
    expect(existsSync(join(work, "ran"))).toBe(false);
  });
  it("nor is one that a person wants to be asked about, unless a rule for diagnostics allows it", async ({ skip }) => {
    if (!works) skip();
    const { ask, work } = project(eslintThat("touch ran; echo '[]'"));
    const shell = { confirm_patterns: ["eslint"] };
    expect(raw(await ask({ kind: "lint" }, { shell }))).toMatchObject({
      tools: [],
      warnings: [expect.stringContaining("confirm_patterns")],
    });
    expect(existsSync(join(work, "ran"))).toBe(false);
    const permissions = { diagnostics: [{ pattern: "*", action: "allow" }] };
    expect(said(await ask({ kind: "lint" }, { shell, permissions }))).toBe("No diagnostics");
    expect(existsSync(join(work, "ran"))).toBe(true);
  });
});

describe("a program that misbehaves", () => {
  it("hangs: it is killed with all it started at the time limit", async ({ skip }) => {
    if (!works) skip();
    const started = performance.now();
    const outcome = await project(eslintThat(`(setsid sleep ${nap(1)} &); trap '' TERM; sleep ${nap(1)}`)).ask(
      { kind: "lint" },
      { shell: { timeout: 0.5 } },
    );
    expect(outcome.ok).toBe(true);
    expect(said(outcome)).toMatch(/^No diagnostics, but:\n\[eslint was killed at its time limit \(0\.5 s/);
    expect(raw(outcome).tools).toMatchObject([{ name: "eslint", exit_code: 124 }]);
    expect(performance.now() - started).toBeLessThan(50_000);
    expect(processesWith(nap(1))).toEqual([]);
  });
  it("is cancelled at once", async ({ skip }) => {
    if (!works) skip();
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    const outcome = await project(eslintThat(`sleep ${nap(2)}`)).ask({ kind: "lint" }, {}, {}, { signal: stop.signal });
    expect(outcome).toMatchObject({ ok: false, error: { category: "cancelled" } });
    expect(processesWith(nap(2))).toEqual([]);
  });
  it("prints garbage: it is counted", async ({ skip }) => {
    if (!works) skip();
    const outcome = await project(eslintThat("printf 'one\\n\\n\\x00\\xff\\ntwo {\\n'; exit 2")).ask({ kind: "lint" });
    expect(raw(outcome).warnings).toEqual([
      "3 lines of what eslint printed could not be understood",
      expect.stringMatching(/^eslint ended with exit code 2 and no findings/),
    ]);
  });
  it("fails: what it said about it is told", async ({ skip }) => {
    if (!works) skip();
    const outcome = await project(eslintThat("echo; echo at x >&2; printf '\\033[31mError: no plugin found\\033[0m\\n' >&2; exit 2")).ask({
      kind: "lint",
    });
    expect(raw(outcome).warnings).toEqual(["eslint ended with exit code 2 and no findings: Error: no plugin found"]);
  });
  it("prints 100 MB: memory stays bounded and the findings at its ends are kept", async ({ skip }) => {
    if (!works) skip();
    const before = process.memoryUsage().rss;
    const flood = `#!/bin/bash\necho 'a.ts(1,1): error TS1: first'\nhead -c 100000000 /dev/zero | tr '\\0' 'x'\necho\necho 'a.ts(2,1): error TS2: last'\n`;
    const outcome = await project({ "tsconfig.json": "{}", "node_modules/.bin/tsc": flood }).ask();
    expect(raw(outcome).items.map(({ line }) => line)).toEqual([1, 2]);
    expect(raw(outcome).warnings[0]).toMatch(/^tsc printed too much to keep/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });
});

describe("the walls", () => {
  const tries = (place: { T: string }) => `
    echo escaped > ${place.T}/outside.txt
    cat ${place.T}/key.txt
    env; cat /proc/1/environ | tr '\\0' '\\n'
    (echo > /dev/tcp/127.0.0.1/22) 2>&1
    echo inside > wrote.txt`;

  it("a linter's own code cannot write outside, read elsewhere or see keys", async ({ skip }) => {
    if (!works) skip();
    const { ask, T, work } = project({ ...eslintThat("") });
    writeFileSync(join(T, "key.txt"), "CANARY-FILE");
    process.env.ZEPH_TEST_API_KEY = "CANARY-PARENT";
    onTestFinished(() => void delete process.env.ZEPH_TEST_API_KEY);
    writeFileSync(join(work, "node_modules/.bin/eslint"), `#!/bin/bash\nexec > seen.txt 2>&1\n${tries({ T })}\nexit 1\n`);
    const outcome = await ask({ kind: "lint" });
    expect(outcome.output?.walls?.backend).toBe("bubblewrap");
    expect(readFileSync(join(work, "wrote.txt"), "utf8")).toBe("inside\n");
    expect(existsSync(join(T, "outside.txt"))).toBe(false);
    expect(readFileSync(join(work, "seen.txt"), "utf8")).not.toMatch(/CANARY/);
  });
  it.runIf(isThere("cargo"))("nor can a build script", async ({ skip }) => {
    if (!works) skip();
    const { ask, T, work } = project({ "Cargo.toml": CRATE, "src/main.rs": "fn main() {}\n" });
    writeFileSync(
      join(work, "build.rs"),
      `use std::fs;\nfn main() {\n  let _ = fs::write(${JSON.stringify(join(T, "outside.txt"))}, "x");\n  fs::write("inside.txt", "x").unwrap();\n}\n`,
    );
    expect(said(await ask({}, { shell: { timeout: 60 } }))).toBe("No diagnostics");
    expect([existsSync(join(work, "inside.txt")), existsSync(join(T, "outside.txt"))]).toEqual([true, false]);
  });
  it("a wall that refuses the project's own folder is an error, no warning", async ({ skip }) => {
    if (!works) skip();
    const { ask, T } = project({});
    mkdirSync(join(T, "other"));
    writeFileSync(join(T, "other", "go.mod"), "module demo\n");
    const outcome = await ask({ path: "../other" }, { file: { allowed_paths: [T] } });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked", message: expect.stringContaining("allowed_paths") } });
  });
  it("where none work, the gate asks or denies as for any command", async () => {
    const none = { backend: "none" as const, layers: [], network: "open" as const, reason: "not installed" };
    const call = ToolCall.parse(
      ToolRequest.from({ id: "1", name: "diagnostics", args: {} })!,
      new Map([["diagnostics", diagnostics]]),
    ) as ToolCall;
    const turn = createSession().current({});
    for (const fallback of ["ask", "deny"] as const) {
      const review = await new Door(() => null, [createWallsGate({ enabled: true, fallback }, { walls: async () => none })]).review(
        call,
        turn,
      );
      expect(review).toMatchObject({ verdict: fallback, spoke: [{ gate: "walls" }] });
    }
  });
});

describe("rules", () => {
  it("a path outside is refused, and judging says so beforehand", async () => {
    const { work, T, runtime } = project({});
    writeFileSync(join(T, "tsconfig.json"), "{}");
    const zeph = await runtime();
    for (const path of ["..", T, "/etc"]) {
      expect((await zeph.judge("diagnostics", { path })).verdict).toBe("deny");
      expect(await zeph.call("diagnostics", { path })).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    }
    expect(await zeph.call("diagnostics", { path: join(work, "nothing") })).toMatchObject({
      ok: false,
      error: { category: expect.stringMatching(/permanent_failure|confirmation_required/) },
    });
    await zeph.close();
  });
  it.each([[{ kind: "fix" }], [{ max_diagnostics: 0 }], [{ max_diagnostics: 1.5 }], [{ path: "" }], [{ kinds: "check" }]])(
    "%j is refused",
    async (args) => {
      expect(await plain.callAny("diagnostics", args)).toMatchObject({
        ok: false,
        error: { category: expect.stringMatching(/^(invalid_parameters|type_mismatch)$/) },
      });
    },
  );
  it("a finding in a file that may not be read is counted and not shown", async ({ skip }) => {
    if (!works) skip();
    const script = `echo '[{"filePath":"'$PWD'/secret.js","messages":[{"severity":2,"message":"TOKEN=1"}]},{"filePath":"a.js","messages":[{"severity":1,"message":"w"}]}]'`;
    const outcome = await project({ ...eslintThat(script), "secret.js": "" }).ask({ kind: "lint" }, { file: { deny_read: ["secret.js"] } });
    expect(said(outcome)).toMatch(/^a\.js: warning: w\n0 errors, 1 warning\n\[1 finding in files that may not be read .*\]$/);
    expect(JSON.stringify(outcome.output)).not.toContain("TOKEN=1");
  });
  it("a program cannot open a file that deny_read matches, whichever file it then speaks of", async ({ skip }) => {
    if (!works) skip();
    const script = `echo '[{"filePath":"a.js","messages":[{"severity":2,"message":"'"$(cat secret.js open.js 2>&1 | tr -d '\n')"'"}]}]'`;
    const files = { ...eslintThat(script), "secret.js": "hunter2", "open.js": "read" };
    const outcome = await project(files).ask({ kind: "lint" }, { file: { deny_read: ["secret.js"] } });
    expect(said(outcome)).toMatch(/^a\.js: error: cat: secret\.js: Permission denied ?read\n/);
  });
  it("it is a run: readonly and rules deny it, and the audit names its walls", async ({ skip }) => {
    if (!works) skip();
    const place = project(eslintThat("echo '[]'"));
    const config = { audit: { path: join(place.state, "audit.jsonl") }, autonomy: "readonly" };
    expect(await place.ask({ kind: "lint" }, {}, { config: config as ConfigInput })).toMatchObject({
      ok: false,
      error: { category: "policy_blocked" },
    });
    const permissions = { diagnostics: [{ pattern: "*", action: "deny" }] };
    expect(await place.ask({ kind: "lint" }, { permissions })).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(said(await place.ask({ kind: "lint" }))).toBe("No diagnostics");
    expect(place.audit()).toMatch(/"kind":"intent".*"tool":"diagnostics"/);
    expect(place.audit()).toMatch(/"tool":"diagnostics".*"sandbox":"(?:zeph-run|bubblewrap)/);
  });
});

/** A number of seconds that nobody else sleeps for, not even another run of these tests. */
const nap = (n: number): string => `54${process.pid}.${n}`;

function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}
