import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerText } from "../../src/core/answer.ts";
import { workspace } from "../workspace.ts";
import { cases, snake } from "./cases.ts";

interface Case {
  id: string;
  class: string;
  why: string;
  input: { tool: string; arguments?: unknown; arguments_raw?: string; setup?: string[] };
  expected: { outcome: "ok" | "error" | "any"; accept?: string[]; executes?: boolean; post?: string[] } | "ambiguous";
}

const all = cases<Case>("toolargs.jsonl").filter(({ expected }) => expected !== "ambiguous");

it("there are cases to run", () => expect(all.length).toBeGreaterThan(40));

describe.each(all)("$id $class: $why", ({ input, expected }) => {
  it("holds", async () => {
    if (expected === "ambiguous") return;
    const place = workspace();
    for (const step of input.setup ?? []) prepare(place.T, step);
    const files = (input.setup ?? []).flatMap((step) => /^(work\/\S+) = /.exec(step)?.[1] ?? []);
    const before = files.map((file) => statSync(join(place.T, file)).mtimeMs);
    const zeph = await place.runtime({ confirm: () => "once" });
    try {
      let late = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        late = Math.max(late, performance.now() - last - 20);
        last = performance.now();
      }, 20);
      const rss = process.memoryUsage().rss;
      const started = performance.now();
      const outcome = await zeph.call(input.tool, argumentsOf(input));
      const seconds = (performance.now() - started) / 1000;
      clearInterval(timer);
      const text = answerText(outcome);

      if (expected.outcome === "ok") expect(outcome).toMatchObject({ ok: true });
      if (expected.outcome === "error") expect(outcome.ok).toBe(false);
      if (!outcome.ok) {
        if (expected.accept) expect(expected.accept.map(snake)).toContain(outcome.error.category);
        expect(text).toMatch(/^\[tool_error\]\ncategory: \w+\nerror: .*\nsuggestion: .*\nretryable: (true|false)(\n\n[\s\S]*)?$/);
        expect(JSON.parse(place.audit().trim().split("\n").at(-1)!)).toMatchObject({
          kind: "call",
          error_category: outcome.error.category,
        });
      }
      if (expected.executes === false) expect(files.map((file) => statSync(join(place.T, file)).mtimeMs)).toEqual(before);
      const after = { place, text, seconds, late, grown: process.memoryUsage().rss - rss };
      for (const claim of expected.post ?? []) holds(claim, after);
    } finally {
      await zeph.close();
      place.remove();
    }
  });
});

/** What a model's own text would become: text that is no JSON reaches the runtime as it is. */
function argumentsOf({ arguments: given, arguments_raw: raw }: Case["input"]): unknown {
  if (raw === undefined) return given === "" ? given : blownUp(given);
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

/** Somebody else on this machine may sleep as long. */
const OWN_SLEEP = `sleep 100.${process.pid}`;

function blownUp(given: unknown): unknown {
  const text = JSON.stringify(given) ?? "";
  if (text.includes("<50 MB")) return { ...(given as object), content: "x".repeat(50 * 1024 * 1024) };
  return given === undefined ? given : JSON.parse(text.replace("sleep 100", OWN_SLEEP));
}

function prepare(T: string, step: string): void {
  const made = /^mkdir (\S+)$/.exec(step);
  if (made) return void mkdirSync(join(T, made[1]!), { recursive: true });
  const [, name, rest] = /^(\S+) = (.*)$/s.exec(step)!;
  const path = join(T, name!);
  const text = /^'(.*)'(?: mode (\d+))?$/s.exec(rest!);
  const bytes = /^bytes ([0-9a-f ]+)$/.exec(rest!);
  const wide = /^UTF-16LE '(.*)'$/.exec(rest!);
  const long = /^(\d+) MB without newline$/.exec(rest!);
  if (text) {
    writeFileSync(path, text[1]!.replaceAll("\\n", "\n"));
    if (text[2]) chmodSync(path, Number.parseInt(text[2], 8));
  } else if (bytes) writeFileSync(path, Buffer.from(bytes[1]!.replaceAll(" ", ""), "hex"));
  else if (wide) writeFileSync(path, Buffer.from(`\ufeff${wide[1]}`, "utf16le"));
  else if (long) {
    const fd = openSync(path, "w");
    for (let i = 0; i < Number(long[1]); i++) writeSync(fd, "x".repeat(1024 * 1024));
    closeSync(fd);
  } else expect.fail(`nobody understands the setup: ${step}`);
}

interface After {
  place: ReturnType<typeof workspace>;
  text: string;
  seconds: number;
  late: number;
  grown: number;
}

/** Claims about commands that the call itself, or another test, answers. */
const COMMANDS = ["AuditEntry written", "LD_PRELOAD is not set in the child", "cwd is unchanged", "CLI output has no ESC byte"];

const TAKEN_CARE_OF = [
  ...COMMANDS,
  "process alive",
  "result is a well-formed [tool_error] block or output",
  "audit entry written with error_category",
  "nothing executed",
  "no crash",
  "no other object gains a property",
];

function holds(claim: string, { place, text, seconds, late, grown }: After): void {
  const work = (name: string) => join(place.work, name);
  const equals = /^(\S+) == '(.*)'$/.exec(claim);
  const within = /^call returns within (\d+) s$/.exec(claim);
  const memory = /^RSS growth < (\d+) MiB$/.exec(claim);
  const small = /^result < (\d+) MB$/.exec(claim);
  const mode = /^mode of (\S+) == (\d+)$/.exec(claim);
  const unlogged = /^audit log does not contain '(.*)'$/.exec(claim);
  if (TAKEN_CARE_OF.includes(claim)) return;
  if (equals) expect(readFileSync(work(equals[1]!), "utf8")).toBe(equals[2]);
  else if (within) expect(seconds).toBeLessThan(Number(within[1]));
  else if (memory) expect(grown).toBeLessThan(Number(memory[1]) * 1024 * 1024);
  else if (small) expect(text.length).toBeLessThan(Number(small[1]) * 1_000_000);
  else if (mode) expect(statSync(work(mode[1]!)).mode & 0o7777).toBe(Number.parseInt(mode[2]!, 8));
  else if (unlogged) expect(place.audit()).not.toContain(unlogged[1]);
  else if (/^returns within (\d+) s$/.test(claim)) expect(seconds).toBeLessThan(Number(/\d+/.exec(claim)![0]));
  else if (claim === "truncated == true") expect(text).toContain("bytes left out here");
  else if (claim === "no sleep process left after the call") expect(sleeping()).toEqual([]);
  else if (claim === "mtime unchanged")
    return; // compared for every case that may not execute
  else if (claim === "a concurrent timer fires at most 1 s late") expect(late).toBeLessThan(1000);
  else if (claim === "({}).polluted === undefined in the host process") expect(Reflect.get({}, "polluted")).toBeUndefined();
  else if (claim === "a is not read") expect(text).toContain("NUL");
  else if (claim === "file absent or valid UTF-8")
    expect(!existsSync(work("a.txt")) || readFileSync(work("a.txt"), "utf8").isWellFormed()).toBe(true);
  else if (claim === "result is valid UTF-8") expect(text.isWellFormed()).toBe(true);
  else if (claim === "no content before line 1 or duplicated content") expect(text.split("l1").length).toBeLessThanOrEqual(2);
  else if (/^(\S+) starts with ef bb bf$/.test(claim))
    expect(
      readFileSync(work(claim.split(" ")[0]!))
        .subarray(0, 3)
        .toString("hex"),
    ).toBe("efbbbf");
  else expect.fail(`nobody understands the claim: ${claim}`);
}

const sleeping = () =>
  execFileSync("ps", ["-eo", "stat,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.endsWith(` ${OWN_SLEEP}`) && !line.startsWith("Z"));
