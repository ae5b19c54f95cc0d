import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { IntendedCall } from "./order.ts";
import { compareRound, compareRounds, createRepetitionCheck, outputWords, type RoundCall } from "./repetition.ts";

const round = (text: string, name = "read", args: unknown = {}) => [{ request: { name, args }, text }];

/** After how many such rounds a turn is stopped; null when it never is. */
async function stopsAfter(
  rounds: readonly (readonly RoundCall[])[],
  { running = false, changed = false }: { running?: boolean; changed?: boolean } = {},
): Promise<number | null> {
  const check = createRepetitionCheck({ isBackgroundRunning: () => running, haveFilesChanged: async () => changed });
  for (const [n, one] of rounds.entries()) {
    check.begin();
    if (await check.isThird(one)) return n + 1;
  }
  return null;
}

it("tells the third round in a row that brought the same", async () => {
  expect(await stopsAfter(["a", "a", "b", "a", "a", "a"].map((text) => round(text)))).toBe(6);
});

it("sees the same behind the handles we give ourselves, and no other id", async () => {
  const ids = [1, 2, 3].map((n) => `0000000${n}-1111-4111-8111-111111111111`);
  expect(await stopsAfter(ids.map((id, n) => round(`[12 lines left out, raw#${n}] overflow:${id}`)))).toBe(3);
  expect(await stopsAfter(ids.map((id) => round(`{"id":"${id}"}`)))).toBeNull();
});

it("takes another tool, or another number of calls, for something new", async () => {
  expect(await stopsAfter([round("a"), [...round("a"), ...round("a")], round("a", "grep")])).toBeNull();
});

describe("a background command", () => {
  const polls = (more: readonly RoundCall[] = []) => Array.from({ length: 5 }, () => [...round("still running", "background"), ...more]);

  it("that runs is waited for as often as a model needs", async () => {
    expect(await stopsAfter(polls(), { running: true })).toBeNull();
    expect(await stopsAfter(polls(round("same")), { running: true })).toBeNull();
    const sleeps = Array.from({ length: 5 }, () => [ran("sleep 1", {})]);
    expect(await stopsAfter(sleeps, { running: true })).toBeNull();
    expect(await stopsAfter(sleeps)).toBe(3);
    expect(
      await stopsAfter(
        Array.from({ length: 5 }, () => [ran("cat missing", MISSING)]),
        { running: true },
      ),
    ).toBe(3);
  });

  it("that does not run is nothing to wait for", async () => {
    expect(await stopsAfter(polls())).toBe(3);
    const unknown: RoundCall = {
      ...round("There is no background run bg9.", "background")[0]!,
      outcome: { ok: false, callId: "c", error: new ToolError("invalid_parameters", "No."), decision: { verdict: "allow" } } as Outcome,
    };
    expect(await stopsAfter(Array.from({ length: 5 }, () => [unknown]))).toBe(3);
    expect(
      await stopsAfter(
        Array.from({ length: 5 }, () => [unknown]),
        { running: true },
      ),
    ).toBe(3);
  });

  it("that ends during a round was waited for in it", async () => {
    let running = true;
    const check = createRepetitionCheck({ isBackgroundRunning: () => running, haveFilesChanged: async () => false });
    for (let n = 0; n < 3; n++) {
      check.begin();
      running = n < 2;
      expect(await check.isThird([ran("sleep 1", {})])).toBe(false);
    }
  });

  it("counts only rounds in a row", async () => {
    const rounds = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? round("a") : round("waiting", "background")));
    expect(await stopsAfter(rounds)).toBeNull();
  });
});

it("takes different calls for different work, whatever they bring", async () => {
  for (const text of ["(no output)", "ok", "1 passed"])
    expect(await stopsAfter(["a", "b", "c", "d"].map((name) => round(text, "bash", { command: `make ${name}` })))).toBeNull();
  const refused = ["a", "b", "c"].map((path) => round("[tool_error]\ncategory: policy_blocked", "read", { path }));
  expect(await stopsAfter(refused)).toBeNull();
  expect(await stopsAfter([1, 2, 3].map(() => round("(no output)", "bash", { command: "true" })))).toBe(3);
});

it("sees the same call behind another order of its arguments", async () => {
  const args = [
    { path: "a", offset: 2 },
    { offset: 2, path: "a" },
    { path: "a", offset: 2 },
  ];
  expect(await stopsAfter(args.map((one) => round("a", "read", one)))).toBe(3);
});

const NOTHING: IntendedCall = { effect: "reads", touches: [] };
const command = (text: string, effects: Partial<IntendedCall> = {}): IntendedCall => ({
  effect: "runs",
  touches: [{ kind: "command", argv: text.split(" "), text }],
  ...effects,
});
const ended = { callId: "c", grant: { kind: "preapproved" }, decision: { verdict: "allow" }, cached: false } as const;

/** A round of one command. */
const ran = (
  line: string,
  output: Partial<Record<"stdout" | "stderr", string>> & { exit?: number },
  effects?: Partial<IntendedCall>,
): RoundCall => {
  const { stdout = "", stderr = "", exit = 0 } = output;
  const text = `${stderr}${stdout}${exit === 0 ? "" : `[exit code ${exit}]`}` || "(no output)";
  const raw = { stdout, stderr, exit_code: exit, truncated: false };
  return {
    request: { name: "bash", args: { command: line } },
    text,
    intended: command(line, effects),
    outcome: { ok: true, ...ended, output: { text, raw, exitCode: exit } } as unknown as Outcome,
  };
};

const MISSING = { stderr: "cat: missing: No such file or directory\n", exit: 1 };

describe("the same calls", () => {
  it("are the same with other blanks and other quotes", async () => {
    const ways = ["cat missing", "cat  missing", "cat 'missing'", 'cat   "missing" ', "\tcat missing"];
    expect(await stopsAfter(ways.map((line) => [ran(line, MISSING)]))).toBe(3);
    expect(await stopsAfter(ways.map((line) => [ran(line, { stdout: "ok" })]))).toBe(3);
  });

  it("differ where blanks are inside of quotes or of a here-document", async () => {
    const different = [1, 2, 3, 4].map((n) => `python3 - 'a${" ".repeat(n)}b'`);
    expect(await stopsAfter(different.map((line) => [ran(line, { stdout: "ok" })]))).toBeNull();
    const documents = [1, 2, 3, 4].map((n) => `cat > a <<E\n${" ".repeat(n)}b\nE`);
    expect(await stopsAfter(documents.map((line) => [ran(line, {})]))).toBeNull();
  });

  it("go on when they are commands that fail and print nothing", async () => {
    expect(await stopsAfter(Array.from({ length: 9 }, () => [ran("test -e ready", { exit: 1 })]))).toBeNull();
    expect(await stopsAfter(["a", "b", "c", "d"].map((name) => [ran(`grep -q x ${name}`, { exit: 1 })]))).toBeNull();
  });

  it("are stopped though durations, pids and dates in the output differ", async () => {
    const outputs = [
      "2026-11-19T14:01:02Z [worker 1] pid 4711 failed in 1.25s",
      "2026-11-19T14:01:09.5Z [worker 1] pid 4712 failed in 340 ms",
      "2026-11-20T09:11:09Z [worker 1] pid 99 failed in 2m 3s",
    ];
    expect(await stopsAfter(outputs.map((stdout) => [ran("make", { stdout, exit: 2 })]))).toBe(3);
    const dated = ["Thu Nov 19 14:13:38 UTC 2026", "Fri Nov 20 04:03:08 UTC 2026", "Sat Nov 21 04:03:08 UTC 2026"];
    expect(await stopsAfter(dated.map((stdout) => [ran("date", { stdout })]))).toBe(3);
    const logged = ["Nov 19 14:13:38 host sshd[811]: no", "Nov 19 14:13:39 host sshd[812]: no", "Nov 19 14:14:01 host sshd[903]: no"];
    expect(await stopsAfter(logged.map((stdout) => [ran("tail -1 log", { stdout })]))).toBe(3);
    const counted = ["3 files", "4 files", "5 files"];
    expect(await stopsAfter(counted.map((stdout) => [ran("ls", { stdout })]))).toBeNull();
  });
});

describe("what differs is not left out of the comparison", () => {
  it.each([
    ["places in a file", ["a.c:12:34: error", "a.c:15:20: error", "a.c:17:21: error"]],
    ["places in three numbers", ["a.c:12:34:10", "a.c:15:20:10", "a.c:17:21:10"]],
    ["places of eslint", ["  12:34  error  no", "  15:20  error  no", "  17:21  error  no"]],
    ["lines", ["a.cs(12): error", "a.cs(15): error", "a.cs(17): error"]],
    ["entries", ["items[12]: no", "items[15]: no", "items[17]: no"]],
    ["counts", ["decoded 12 frames", "decoded 15 frames", "decoded 17 frames"]],
    ["numbers of R", ["[1] 12", "[1] 15", "[1] 17"]],
    ["ids", [1, 2, 3].map((n) => `created 0000000${n}-1111-4111-8111-111111111111`)],
  ])("%s", async (_, outputs) => {
    expect(await stopsAfter(outputs.map((stdout) => [ran("make", { stdout, exit: 2 })]))).toBeNull();
  });
});

describe("different calls with the same output", () => {
  const lines = ["make a", "make b", "make c", "make d"];
  const LONG = "there is nothing here that could be made any more";

  it("are stopped when the output is an error or has more than eight words", async () => {
    expect(await stopsAfter(lines.map((line) => [ran(line, { stderr: "boom\n", exit: 2 })]))).toBe(3);
    expect(await stopsAfter(lines.map((line) => [ran(line, { stdout: LONG })]))).toBe(3);
    expect(await stopsAfter(lines.map((line) => [ran(`${line} || true`, { stdout: "fatal: no rule" })]))).toBe(3);
    expect(await stopsAfter(lines.map((line) => [ran(line, { stdout: "one two three four five six seven eight" })]))).toBeNull();
    expect(await stopsAfter(lines.map((line) => [ran(line, { stdout: "12 passed, 0 failed" })]))).toBeNull();
  });

  it("go on when they find nothing", async () => {
    const found = (name: string, text: string, raw: unknown, args: object): RoundCall[] => [
      {
        request: { name, args },
        text,
        intended: NOTHING,
        outcome: { ok: true, ...ended, output: { text, raw } } as unknown as Outcome,
      },
    ];
    const paths = ["a", "b", "c", "d"];
    for (const pattern of ["error", "these six words are looked for"])
      expect(
        await stopsAfter(paths.map((path) => found("grep", `No matches for ${pattern} in 1 file.`, [], { pattern, path }))),
      ).toBeNull();
    const text = "No matches for some words in the code of this folder.";
    expect(await stopsAfter(paths.map((path) => found("search_code", text, { hits: [], terms: ["some"] }, { query: path })))).toBeNull();
    // A tool without such data: its own words are few.
    const query = "some words that are looked for in vain";
    expect(await stopsAfter(paths.map((space) => found("find", `Nothing: ${query}`, undefined, { query, space })))).toBeNull();
    expect(await stopsAfter(paths.map((path) => found("read", "error: errors are handled here", undefined, { path })))).toBeNull();
  });

  it("go on when the output is the model's own words, or counts no error", async () => {
    const files = ["a", "b", "c", "d"];
    const echoed = files.map((name) => [ran(`grep -q x ${name} || echo 'not found'`, { stdout: "not found\n" })]);
    expect(await stopsAfter(echoed)).toBeNull();
    const failing = files.map((name) => [ran(`grep -q x ${name} || { echo 'not found'; exit 1; }`, { stdout: "not found\n", exit: 1 })]);
    expect(await stopsAfter(failing)).toBeNull();
    for (const stdout of ["errors: 0", "errors=0, failed: 0", '{"error": null}', "0 errors"])
      expect(await stopsAfter(files.map((name) => [ran(`check ${name}`, { stdout })]))).toBeNull();
    for (const stdout of ["errors: 2", "error: 0.5 is no number"])
      expect(await stopsAfter(files.map((name) => [ran(`check ${name}`, { stdout })]))).toBe(3);
  });

  it("go on when a call of the three rounds changed a file, or may have", async () => {
    const writes = (path: string): Partial<IntendedCall> => ({ touches: [{ kind: "path", access: "write", path }] });
    expect(await stopsAfter(lines.map((line) => [ran(line, MISSING, writes("/w/a"))]))).toBeNull();
    expect(await stopsAfter(lines.map((line) => [ran(line, MISSING, writes("/dev/null"))]))).toBe(3);
    const unknown: Partial<IntendedCall> = { touches: [{ kind: "unknown", why: "a script" }] };
    expect(await stopsAfter(lines.map((line) => [ran(line, { stdout: LONG }, unknown)]))).toBeNull();
    // Where it failed, the files tell.
    expect(await stopsAfter(lines.map((line) => [ran(line, MISSING, unknown)]))).toBe(3);
    expect(
      await stopsAfter(
        lines.map((line) => [ran(line, MISSING, unknown)]),
        { changed: true },
      ),
    ).toBeNull();
    expect(
      await stopsAfter(
        lines.map((line) => [ran(line, MISSING)]),
        { changed: true },
      ),
    ).toBe(3);
    const edit = (n: number): RoundCall => ({
      request: { name: "edit", args: { path: "a", old_string: `${n}`, new_string: "" } },
      text: LONG,
      intended: { ...NOTHING, effect: "writes" },
      outcome: { ok: true, ...ended, output: { text: LONG } } as unknown as Outcome,
    });
    expect(await stopsAfter([1, 2, 3, 4].map((n) => [edit(n)]))).toBeNull();
    // The change counts for the three rounds it is one of.
    const one = [ran(lines[0]!, MISSING, writes("/w/a"))];
    expect(await stopsAfter([one, ...lines.map((line) => [ran(line, MISSING)])])).toBe(4);
  });

  it("go on when a rule refused them: that text is the rule's", async () => {
    const refused = (path: string): RoundCall => ({
      request: { name: "read", args: { path } },
      text: "[tool_error]\ncategory: policy_blocked",
      intended: NOTHING,
      outcome: { ok: false, callId: "c", error: new ToolError("policy_blocked", "No."), decision: { verdict: "deny" } } as Outcome,
    });
    expect(await stopsAfter(["a", "b", "c", "d"].map((path) => [refused(path)]))).toBeNull();
  });
});

describe("for any rounds", () => {
  const words = fc.constantFrom("", "ok", "error: no such thing", "a b c d e f g h i j");
  const call = fc
    .record({ line: fc.constantFrom("a", "a ", "b", "c"), stdout: words, exit: fc.constantFrom(0, 1), writes: fc.boolean() })
    .map(({ line, stdout, exit, writes }) =>
      ran(line, { stdout, exit }, writes ? { touches: [{ kind: "path", access: "write", path: "/w/x" }] } : {}),
    );
  const three = fc.array(fc.array(call, { minLength: 1, maxLength: 2 }), { minLength: 3, maxLength: 3 });
  const judge = (rounds: readonly (readonly RoundCall[])[]) => compareRounds(rounds.map((one) => compareRound(one, true))) === "repeated";

  it("three rounds with different outputs are never a repetition", () => {
    fc.assert(
      fc.property(three, (rounds) => {
        const texts = new Set(rounds.map((round) => JSON.stringify(round.map(({ text }) => text))));
        return texts.size === 1 || !judge(rounds);
      }),
    );
  });

  it("a round that looks after a background command is never a part of one", () => {
    const poll = round("running", "background");
    fc.assert(fc.property(three, fc.nat(2), (rounds, at) => !judge(rounds.map((one, n) => (n === at ? [...one, ...poll] : one)))));
  });

  it("other blanks between words decide nothing", () => {
    const respace = (one: RoundCall): RoundCall => ({
      ...one,
      request: { name: "bash", args: { command: ` ${(one.request.args as { command: string }).command}  ` } },
    });
    fc.assert(fc.property(three, (rounds) => judge(rounds) === judge(rounds.map((one, n) => (n === 1 ? one.map(respace) : one)))));
  });

  it("a changed file only ever lets different calls go on", () => {
    const changed = (one: RoundCall): RoundCall => ({
      ...one,
      intended: { ...one.intended!, touches: [{ kind: "path", access: "write", path: "/w/x" }] },
    });
    fc.assert(fc.property(three, (rounds) => judge(rounds) || !judge(rounds.map((one) => one.map(changed)))));
  });
});

it("names the output in one line", () => {
  expect(outputWords([ran("cat missing", MISSING)])).toBe("cat: missing: No such file or directory");
  expect(outputWords([ran("true", {}), ran("make", { stdout: "\n\nboom\nmore", exit: 2 })])).toBe("boom");
  expect(outputWords([ran("true", {})])).toBe("(no output)");
  expect(outputWords([ran("x", { stdout: "y".repeat(999), exit: 1 })]).length).toBeLessThan(170);
});
