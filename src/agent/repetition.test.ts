import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { IntendedCall } from "./order.ts";
import { areRepeated, compareRound, createRepetitionCheck, outputWords, type RoundCall } from "./repetition.ts";

const round = (text: string, name = "read", args: unknown = {}) => [{ request: { name, args }, text }];

it("tells the third round in a row that brought the same", () => {
  const { isThird } = createRepetitionCheck();
  expect(["a", "a", "b", "a", "a", "a"].map((text) => isThird(round(text)))).toEqual([false, false, false, false, false, true]);
});

it("sees the same behind the numbers we give ourselves", () => {
  const { isThird } = createRepetitionCheck();
  const texts = [1, 2, 3].map((n) => `[12 lines left out, raw#${n}] overflow:0000000${n}-1111-4111-8111-111111111111`);
  expect(texts.map((text) => isThird(round(text)))).toEqual([false, false, true]);
});

it("takes another tool, or another number of calls, for something new", () => {
  const { isThird } = createRepetitionCheck();
  expect(isThird(round("a"))).toBe(false);
  expect(isThird([...round("a"), ...round("a")])).toBe(false);
  expect(isThird(round("a", "grep"))).toBe(false);
});

it("lets a model wait for background commands as often as it needs", () => {
  const { isThird } = createRepetitionCheck();
  for (let n = 0; n < 10; n++) expect(isThird(round("still running", "background"))).toBe(false);
  for (let n = 0; n < 10; n++) expect(isThird([...round("still running", "background"), ...round("same")])).toBe(false);
});

it("counts only rounds in a row", () => {
  const { isThird } = createRepetitionCheck();
  for (let n = 0; n < 5; n++) {
    expect(isThird(round("a"))).toBe(false);
    expect(isThird(round("waiting", "background"))).toBe(false);
  }
});

it("takes different calls for different work, whatever they bring", () => {
  for (const text of ["(no output)", "ok", "1 passed"]) {
    const { isThird } = createRepetitionCheck();
    for (const name of ["a", "b", "c", "d"]) expect(isThird(round(text, "bash", { command: `make ${name}` }))).toBe(false);
  }
  const refused = createRepetitionCheck();
  for (const path of ["a", "b", "c"])
    expect(refused.isThird(round("[tool_error]\ncategory: policy_blocked", "read", { path }))).toBe(false);
  const again = createRepetitionCheck();
  expect([1, 2, 3].map(() => again.isThird(round("(no output)", "bash", { command: "true" })))).toEqual([false, false, true]);
});

it("sees the same call behind another order of its arguments", () => {
  const { isThird } = createRepetitionCheck();
  const args = [
    { path: "a", offset: 2 },
    { offset: 2, path: "a" },
    { path: "a", offset: 2 },
  ];
  expect(args.map((one) => isThird(round("a", "read", one)))).toEqual([false, false, true]);
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

/** After how many such rounds a turn is stopped; null when it never is. */
function stopsAfter(rounds: readonly (readonly RoundCall[])[]): number | null {
  const { isThird } = createRepetitionCheck();
  const at = rounds.findIndex((one) => isThird(one));
  return at === -1 ? null : at + 1;
}

const MISSING = { stderr: "cat: missing: No such file or directory\n", exit: 1 };

describe("the same calls", () => {
  it("are the same with other blanks and other quotes", () => {
    const ways = ["cat missing", "cat  missing", "cat 'missing'", 'cat   "missing" ', "\tcat missing"];
    expect(stopsAfter(ways.map((line) => [ran(line, MISSING)]))).toBe(3);
    expect(stopsAfter(ways.map((line) => [ran(line, { stdout: "ok" })]))).toBe(3);
  });

  it("differ where blanks are inside of quotes or of a here-document", () => {
    const different = [1, 2, 3, 4].map((n) => `python3 - 'a${" ".repeat(n)}b'`);
    expect(stopsAfter(different.map((line) => [ran(line, { stdout: "ok" })]))).toBeNull();
    const documents = [1, 2, 3, 4].map((n) => `cat > a <<E\n${" ".repeat(n)}b\nE`);
    expect(stopsAfter(documents.map((line) => [ran(line, {})]))).toBeNull();
  });

  it("go on when they are commands that fail and print nothing", () => {
    expect(stopsAfter(Array.from({ length: 9 }, () => [ran("test -e ready", { exit: 1 })]))).toBeNull();
    expect(stopsAfter(["a", "b", "c", "d"].map((name) => [ran(`grep -q x ${name}`, { exit: 1 })]))).toBeNull();
  });

  it("are stopped though durations, pids and dates in the output differ", () => {
    const outputs = [
      "2026-11-19T14:01:02Z [worker 1] pid 4711 failed in 1.25s",
      "2026-11-19T14:01:09.5Z [worker 1] pid 4712 failed in 340 ms",
      "2026-11-20T09:11:09Z [worker 1] pid 99 failed in 2m 3s",
    ];
    expect(stopsAfter(outputs.map((stdout) => [ran("make", { stdout, exit: 2 })]))).toBe(3);
    const dated = ["Thu Nov 19 14:13:38 UTC 2026", "Fri Nov 20 04:03:08 UTC 2026", "Sat Nov 21 04:03:08 UTC 2026"];
    expect(stopsAfter(dated.map((stdout) => [ran("date", { stdout })]))).toBe(3);
    const counted = ["3 files", "4 files", "5 files"];
    expect(stopsAfter(counted.map((stdout) => [ran("ls", { stdout })]))).toBeNull();
  });
});

describe("different calls with the same output", () => {
  const lines = ["make a", "make b", "make c", "make d"];
  const LONG = "there is nothing here that could be made any more";

  it("are stopped when the output is an error or has more than eight words", () => {
    expect(stopsAfter(lines.map((line) => [ran(line, { stderr: "boom\n", exit: 2 })]))).toBe(3);
    expect(stopsAfter(lines.map((line) => [ran(line, { stdout: LONG })]))).toBe(3);
    expect(stopsAfter(lines.map((line) => [ran(`${line} || true`, { stdout: "fatal: no rule" })]))).toBe(3);
    expect(stopsAfter(lines.map((line) => [ran(line, { stdout: "one two three four five six seven eight" })]))).toBeNull();
    expect(stopsAfter(lines.map((line) => [ran(line, { stdout: "12 passed, 0 failed" })]))).toBeNull();
  });

  it("go on when a call of the three rounds changed a file, or may have", () => {
    const writes = (path: string): Partial<IntendedCall> => ({ touches: [{ kind: "path", access: "write", path }] });
    expect(stopsAfter(lines.map((line) => [ran(line, MISSING, writes("/w/a"))]))).toBeNull();
    expect(stopsAfter(lines.map((line) => [ran(line, MISSING, writes("/dev/null"))]))).toBe(3);
    const unknown: Partial<IntendedCall> = { touches: [{ kind: "unknown", why: "a script" }] };
    expect(stopsAfter(lines.map((line) => [ran(line, { stdout: LONG }, unknown)]))).toBeNull();
    expect(stopsAfter(lines.map((line) => [ran(line, MISSING, unknown)]))).toBe(3);
    const edit = (n: number): RoundCall => ({
      request: { name: "edit", args: { path: "a", old_string: `${n}`, new_string: "" } },
      text: LONG,
      intended: { ...NOTHING, effect: "writes" },
      outcome: { ok: true, ...ended, output: { text: LONG } } as unknown as Outcome,
    });
    expect(stopsAfter([1, 2, 3, 4].map((n) => [edit(n)]))).toBeNull();
    // The change counts for the three rounds it is one of.
    const one = [ran(lines[0]!, MISSING, writes("/w/a"))];
    expect(stopsAfter([one, ...lines.map((line) => [ran(line, MISSING)])])).toBe(4);
  });

  it("go on when a rule refused them: that text is the rule's", () => {
    const refused = (path: string): RoundCall => ({
      request: { name: "read", args: { path } },
      text: "[tool_error]\ncategory: policy_blocked",
      intended: NOTHING,
      outcome: { ok: false, callId: "c", error: new ToolError("policy_blocked", "No."), decision: { verdict: "deny" } } as Outcome,
    });
    expect(stopsAfter(["a", "b", "c", "d"].map((path) => [refused(path)]))).toBeNull();
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
  const judge = (rounds: readonly (readonly RoundCall[])[]) => areRepeated(rounds.map(compareRound));

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
