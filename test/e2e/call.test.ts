import { spawn } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BIN, box, ended, jsonLines } from "./zeph.ts";

const WRITE = '{"path":"new.txt","content":"hi\\n"}';

it("zeph call prints what a tool produced and exits 0", async () => {
  const { runProcess, write } = box();
  write("a.txt", "hello\n");
  expect(await runProcess(["call", "read", '{"path":"a.txt"}'])).toMatchObject({ code: 0, stdout: "1\thello\n", stderr: "" });
});

it("zeph call exits 3 for what is denied, and --yes does not lift it", async () => {
  const { runProcess, root, write } = box();
  write(join(root, "secret.txt"), "no");
  for (const more of [[], ["--yes"]]) {
    const { code, stdout, stderr } = await runProcess(["call", "read", '{"path":"../secret.txt"}', ...more]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^\[tool_error\]\ncategory: policy_blocked\n/);
  }
});

it("zeph call exits 4 for a question nobody answers, and says what to do", async () => {
  const { runProcess, cwd } = box();
  const { code, stderr } = await runProcess(["call", "write", WRITE]);
  expect(code).toBe(4);
  expect(stderr).toContain("category: confirmation_required");
  expect(stderr).toContain("--yes");
  expect(() => readFileSync(join(cwd, "new.txt"))).toThrow("ENOENT");
});

it("--yes runs a call once, and the audit log says who answered", async () => {
  const { run, cwd } = box();
  expect(await run(["call", "write", WRITE, "--yes"])).toMatchObject({ code: 0, stdout: "Created new.txt (3 bytes).\n" });
  expect(readFileSync(join(cwd, "new.txt"), "utf8")).toBe("hi\n");
  expect(await run(["call", "write", WRITE])).toMatchObject({ code: 4 });
  const { stdout } = await run(["audit", "tail", "--json"]);
  expect(jsonLines(stdout).map(({ kind, outcome, approved_by }) => [kind, outcome, approved_by])).toEqual([
    ["intent", undefined, "--yes"],
    ["call", "ok", "--yes"],
    ["call", "unanswered", undefined],
  ]);
});

it("zeph call exits 5 when the tool fails", async () => {
  const { code, stdout, stderr } = await box().runProcess(["call", "read", '{"path":"gone.txt"}']);
  expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
  expect(stderr).toContain("category: permanent_failure");
});

it("zeph call exits 5 for a tool that does not exist, and names the nearest", async () => {
  const { code, stderr } = await box().run(["call", "raed", "{}"]);
  expect(code).toBe(5);
  expect(stderr).toContain('Did you mean "read"?');
});

it("zeph call prints exactly one object with --json, whatever happens", async () => {
  const { run, write } = box();
  write("a.txt", "hello\n");
  const ok = await run(["call", "read", '{"path":"a.txt"}', "--json"]);
  expect(jsonLines(ok.stdout)).toEqual([
    {
      ok: true,
      text: "1\thello",
      decision: { verdict: "allow", by: "rules" },
      cached: false,
      duration_ms: expect.any(Number),
      call_id: expect.any(String),
    },
  ]);
  const failed = await run(["call", "write", WRITE, "--json"]);
  expect(failed).toMatchObject({ code: 4, stderr: "" });
  expect(jsonLines(failed.stdout)).toEqual([
    {
      ok: false,
      text: expect.stringContaining("[tool_error]"),
      error: { category: "confirmation_required", message: expect.any(String), suggestion: expect.any(String), retryable: false },
      decision: { verdict: "ask", gate: "permissions", why: expect.any(String) },
      cached: false,
      duration_ms: expect.any(Number),
      call_id: expect.any(String),
    },
  ]);
});

it("zeph call takes bad JSON as a bad call: refused, explained and recorded", async () => {
  const { run } = box();
  const { code, stdout } = await run(["call", "read", "{'path':1}", "--json"]);
  expect(code).toBe(5);
  expect(jsonLines(stdout)[0].error).toMatchObject({
    category: "invalid_parameters",
    message: expect.stringMatching(/not valid JSON.*line 1, column 2.*double quotes/),
  });
  const bare = await run(["call", "read", "README.md"]);
  expect(bare.stderr).toContain(`Write an object, like '{"path":"README.md"}'`);
  const log = jsonLines((await run(["audit", "tail", "--json"])).stdout);
  expect(log.map(({ args, error_category }) => [args, error_category])).toEqual([
    // Only its kind: a thought may be anywhere in a text that is no object.
    ["(text of 10 characters)", "invalid_parameters"],
    ["(text of 9 characters)", "invalid_parameters"],
  ]);
});

it("zeph call reads the arguments from stdin", async () => {
  const { run, write } = box();
  write("a.txt", "hello\n");
  expect(await run(["call", "read", "-"], { input: '{"path":"a.txt"}\n' })).toMatchObject({ code: 0, stdout: "1\thello\n" });
  expect(await run(["call", "read", "-"], { input: "" })).toMatchObject({ code: 5, stderr: expect.stringContaining("are empty") });
  expect(await run(["call", "read", "-"], { input: Buffer.from([0x7b, 0xff]) })).toMatchObject({ code: 2 });
});

it("zeph call refuses more than 64 MB on stdin", async () => {
  const { code, stderr } = await box().run(["call", "read", "-"], { input: Buffer.alloc(64 * 1024 * 1024 + 1, 0x20) });
  expect(code).toBe(2);
  expect(stderr).toBe("What came on stdin is larger than 64 MB. Nothing was run.\n");
});

it("zeph call lets no escape reach the terminal, neither from a file nor from a name", async () => {
  const { run, write } = box();
  write("a.txt", "\u001b]0;owned\u0007 \u009b31m \u202e\r\nplain\n");
  const text = await run(["call", "read", '{"path":"a.txt"}']);
  expect(text.stdout).toBe("1\t\\u001b]0;owned\\u0007 \\u009b31m \\u202e\n2\tplain\n");
  const json = await run(["call", "read", '{"path":"a.txt"}', "--json"]);
  for (const char of "\u001b\u009b\u202e") expect(json.stdout).not.toContain(char);
  expect(jsonLines(json.stdout)[0].text).toContain("\u001b]0;owned\u0007 \u009b31m");
  const error = await run(["call", "\u001b[31mred", '{"path":"\\u001b[2J"}']);
  expect(error.stderr).not.toContain("\u001b");
});

it("zeph call judges without running under --dry-run", async () => {
  const { run, cwd } = box();
  expect(await run(["call", "write", WRITE, "--dry-run"])).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/^ask: .*\n {2}would write new.txt\n/),
  });
  expect(await run(["call", "read", '{"path":"/etc/passwd"}', "--dry-run"])).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^deny: /),
  });
  const { code, stdout } = await run(["call", "read", '{"path":"a"}', "--dry-run", "--json"]);
  expect([code, JSON.parse(stdout).verdict]).toEqual([0, "allow"]);
  expect(await run(["call", "read", '{"pth":"a"}', "--dry-run"])).toMatchObject({ code: 5 });
  expect(() => readFileSync(join(cwd, "new.txt"))).toThrow("ENOENT");
});

it("zeph works from any folder, and through a link", async () => {
  const { cwd, env, root, run, write } = box();
  write("sub/a.txt", "needle\n");
  symlinkSync(BIN, join(root, "zeph"));
  const child = spawn(join(root, "zeph"), ["call", "grep", '{"pattern":"needle"}'], { cwd: join(cwd, "sub"), env });
  expect(await ended(child)).toMatchObject({ code: 0, stdout: "a.txt\n1:needle\n" });
  expect(await run(["--cwd", "sub", "call", "read", '{"path":"a.txt"}'])).toMatchObject({ code: 0, stdout: "1\tneedle\n" });
});
