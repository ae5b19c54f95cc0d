import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { box, ended, jsonLines, printed } from "./zeph.ts";

const batch = (...calls: readonly (object | string)[]) =>
  calls.map((call) => `${typeof call === "string" ? call : JSON.stringify(call)}\n`).join("");
const read = (id: unknown, path = "a.txt") => ({ id, tool: "read", args: { path } });
const write = (id: unknown, content: string) => ({ id, tool: "write", args: { path: "a.txt", content } });

it("a batch answers each line, in order, in one turn", async () => {
  const { run, runProcess, write: put } = box();
  put("a.txt", "hello\n");
  const { code, stdout } = await runProcess(["call", "--batch"], { input: batch(read(1), read("two"), "", read(null)) });
  expect(code).toBe(0);
  expect(jsonLines(stdout).map(({ id, ok, text }) => [id, ok, text])).toEqual([
    [1, true, "1\thello"],
    ["two", true, "1\thello"],
    [null, true, "1\thello"],
  ]);
  const turns = jsonLines((await run(["audit", "tail", "--json"])).stdout).map(({ turn_id }) => turn_id);
  expect([turns.length, new Set(turns).size]).toEqual([3, 1]);
});

it("a batch answers a bad line and goes on", async () => {
  const { run, write: put } = box();
  put("a.txt", "hello\n");
  const bad = ["not json", "[1]", { id: 7 }, { id: 8, tool: "read", arg: {} }, { id: 9, tool: "read", args: "x" }, '{"tool":"\xff"}'];
  const input = Buffer.concat([Buffer.from(batch(...bad.slice(0, 5))), Buffer.from([0x22, 0xff, 0x0a]), Buffer.from(batch(read(10)))]);
  const { code, stdout } = await run(["call", "--batch"], { input });
  expect(code).toBe(5);
  const answers = jsonLines(stdout);
  expect(answers.map(({ id, ok, error }) => [id, ok, error?.category])).toEqual([
    [null, false, "invalid_parameters"],
    [null, false, "invalid_parameters"],
    [7, false, "invalid_parameters"],
    [8, false, "invalid_parameters"],
    [9, false, "invalid_parameters"],
    [null, false, "invalid_parameters"],
    [10, true, undefined],
  ]);
  expect(answers[3].error.message).toContain('Did you mean "args"?');
  const log = jsonLines((await run(["audit", "tail", "--json"])).stdout);
  expect(log.map(({ call_id }) => call_id)).toEqual(answers.map(({ call_id }) => call_id));
  expect(log.map(({ kind, tool, outcome, turn_id }) => [kind, tool, outcome, turn_id === log[0].turn_id])).toEqual([
    ["call", "(none)", "failed", true],
    ["call", "(none)", "failed", true],
    ["call", "(none)", "failed", true],
    ["call", "read", "failed", true],
    ["call", "read", "failed", true],
    ["call", "(none)", "failed", true],
    ["call", "read", "ok", true],
  ]);
});

it("a batch runs nothing for a line with a field too many, and records no thought in one", async () => {
  const { run, cwd, root } = box();
  const bad = { tool: "write", args: { path: "a.txt", content: "x", _tafc_think: "secret" }, dry_run: true };
  const { code, stdout } = await run(["call", "--batch", "--yes"], { input: batch(bad, JSON.stringify(bad).slice(0, -1)) });
  expect(code).toBe(5);
  expect(jsonLines(stdout).map(({ error }) => error.category)).toEqual(["invalid_parameters", "invalid_parameters"]);
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  const log = readFileSync(join(root, "state/zeph/audit.jsonl"), "utf8");
  expect(jsonLines(log).map(({ kind, tool }) => [kind, tool])).toEqual([
    ["call", "write"],
    ["call", "(none)"],
  ]);
  expect(log).not.toContain("secret");
});

it("a batch says so when a bad line could not be recorded", async () => {
  const { start, root, write: put } = box();
  put("a.txt", "hello\n");
  const child = start(["call", "--batch"]);
  const end = ended(child);
  const first = printed(child, '"id":1');
  child.stdin.write(batch(read(1)));
  await first;
  const log = join(root, "state/zeph/audit.jsonl");
  rmSync(log);
  symlinkSync("/dev/null", log);
  child.stdin.end("not json\n");
  const { code, stdout } = await end;
  expect(code).toBe(5);
  expect(jsonLines(stdout)[1].error.message).toContain("not recorded");
});

it("survives a line that is longer than 64 MB", async () => {
  const { run, write: put } = box();
  put("a.txt", "hello\n");
  const input = Buffer.concat([Buffer.alloc(64 * 1024 * 1024 + 1, 0x61), Buffer.from(`\n${batch(read(2))}`)]);
  const { code, stdout } = await run(["call", "--batch"], { input });
  expect(code).toBe(5);
  expect(jsonLines(stdout).map(({ id, ok }) => [id, ok])).toEqual([
    [null, false],
    [2, true],
  ]);
});

it("a batch keeps writes in their place among reads", async () => {
  const { run, cwd, write: put } = box();
  put("a.txt", "0");
  const calls = Array.from({ length: 20 }, (_, n) => [read(`r${n}a`), read(`r${n}b`), write(`w${n}`, String(n + 1))]).flat();
  const { code, stdout } = await run(["call", "--batch", "--yes"], { input: batch(...calls) });
  expect(code).toBe(0);
  const seen = jsonLines(stdout).filter(({ id }) => id.startsWith("r"));
  expect(seen.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => [`1\t${n}`, `1\t${n}`]).flat());
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("20");
});

it("a batch lets a write wait for a slow read before it", async () => {
  const { run, write: put } = box();
  put("big.txt", `${"x".repeat(99)}\n`.repeat(300_000));
  const grep = { id: 1, tool: "grep", args: { pattern: "(x{40}y|x{41}z)", path: "big.txt" } };
  await run(["call", "--batch", "--yes"], { input: batch(grep, write(2, "new"), read(3)) });
  const log = jsonLines((await run(["audit", "tail", "--json"])).stdout);
  expect(log.map(({ kind, tool }) => [kind, tool])).toEqual([
    ["call", "grep"],
    ["intent", "write"],
    ["call", "write"],
    ["call", "read"],
  ]);
});

it("a batch exits 3 if anything was denied, else 4 if anything was not answered, else 5", async () => {
  const { run, write: put } = box();
  put("a.txt", "hello\n");
  const denied = read(1, "/etc/passwd");
  const unanswered = write(2, "x");
  const failed = read(3, "gone");
  const code = async (...calls: object[]) => (await run(["call", "--batch"], { input: batch(...calls) })).code;
  expect(await code(failed, unanswered, denied, read(4))).toBe(3);
  expect(await code(failed, unanswered, read(4))).toBe(4);
  expect(await code(failed, read(4))).toBe(5);
});

it("a batch answers while its input is still open", async () => {
  const { start, write: put } = box();
  put("a.txt", "hello\n");
  const child = start(["call", "--batch"]);
  const end = ended(child);
  const first = printed(child, '"id":1');
  child.stdin.write(batch(read(1)));
  await first;
  const second = printed(child, '"id":2');
  child.stdin.write(batch(read(2)));
  await second;
  child.stdin.end();
  expect(await end).toMatchObject({ code: 0, stderr: "" });
});

it("a batch takes no tool beside it", async () => expect(await box().run(["call", "--batch", "read", "{}"])).toMatchObject({ code: 2 }));

it("a read that requires another tool waits for the lines before it", async () => {
  const { run, write: put, config } = box();
  put("a.txt", "hello\n");
  config('[tools.dependencies]\nenabled = true\n[tools.dependencies.rules.grep]\nrequires = ["list_directory"]\n');
  const lines = [
    { id: 1, tool: "list_directory", args: { path: "." } },
    { id: 2, tool: "grep", args: { pattern: "hello" } },
    { id: 3, tool: "read", args: { path: "a.txt" } },
  ];
  for (let n = 0; n < 3; n++) {
    const { stdout } = await run(["call", "--batch"], { input: batch(...lines) });
    expect(jsonLines(stdout).map(({ id, ok }) => [id, ok])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  }
  const { stdout } = await run(["call", "--batch"], { input: batch(...lines.slice(1)) });
  expect(jsonLines(stdout).map(({ ok, error }) => [ok, error?.category])).toEqual([
    [false, "policy_blocked"],
    [true, undefined],
  ]);
});
