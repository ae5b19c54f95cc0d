import { describe, expect, it } from "vitest";
import type { AuditPage, AuditReader, AuditStats, Verification } from "../../core/ports/audit.ts";
import { runAudit } from "./audit.ts";

const line = (fields: object) => JSON.stringify({ kind: "call", ts: "2026-01-02T03:04:05.678Z", tool: "bash", outcome: "ok", ...fields });
const stats: AuditStats = {
  calls: 3,
  first: "a",
  last: "b",
  tools: { bash: 2, read: 1 },
  outcomes: { ok: 3 },
  errors: {},
  gates: {},
  duration: { p50: 12, p95: 2500 },
  unreadable: 1,
};
const intact: Verification = { file: "/s/audit.jsonl", lines: 3, intact: true, anchored: true, problems: [], remarks: [], torn: [2] };
const page = (lines: readonly string[]): AuditPage => ({ lines, ends: new Map([["/s/audit.jsonl", lines.length]]) });

const reader = (parts: Partial<AuditReader>): AuditReader => ({
  tail: async () => page([]),
  since: async () => page([]),
  verify: async () => [intact],
  stats: async () => stats,
  ...parts,
});
const nothing = reader({ tail: async () => ({ lines: [], ends: new Map() }), verify: async () => [] });

async function run(args: readonly string[], audit: AuditReader, terminal: { isTTY?: boolean; signal?: AbortSignal } = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const stdout = { write: (text: string) => out.push(text) };
  const stderr = { write: (text: string) => err.push(text) };
  const code = await runAudit(args, { stdout, stderr, isTTY: false, signal: new AbortController().signal, ...terminal }, audit);
  return { code, out: out.join(""), err: err.join("") };
}

describe("zeph audit tail", () => {
  const lines = [
    line({ duration_ms: 12.34, exit_code: 1 }),
    line({ kind: "intent", outcome: undefined }),
    line({ outcome: "denied", gate: "blocklist", error_category: "policy_blocked" }),
    line({ kind: "note", note: "Line 4 was cut short." }),
    "hello",
  ];

  it("prints one short line for each entry", async () => {
    const { code, out } = await run(["tail"], reader({ tail: async () => page(lines) }));
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "2026-01-02T03:04:05.678Z  bash              ok          exit 1  12.3 ms",
        "2026-01-02T03:04:05.678Z  bash              intent",
        "2026-01-02T03:04:05.678Z  bash              denied      gate blocklist  policy_blocked",
        "2026-01-02T03:04:05.678Z  note: Line 4 was cut short.",
        "not an audit entry: hello",
        "",
      ].join("\n"),
    );
  });

  it("shows the telling argument of a call, shortened, and who answered", async () => {
    const asked = [
      line({ args: { limit: 5, command: `echo ${"x".repeat(500)}` }, approved_by: "ada" }),
      line({ tool: "write", args: { path: "a.txt" }, outcome: "denied", refused_by: "b\u001b[31mob", gate: "permissions" }),
      line({ tool: "write", args: { path: "b.txt" }, outcome: "unanswered", waiting: true }),
      line({ tool: "read", args: { path: "c.txt" }, approved_by: "rules" }),
    ];
    const { out } = await run(["tail"], reader({ tail: async () => page(asked) }));
    const [first, second, third, fourth] = out.split("\n");
    expect(first).toMatch(/ok {10}echo x{55} {2}yes by ada$/);
    expect(second).toMatch(/denied {6}a\.txt {2}no by b\\u001b\[31mob {2}gate permissions$/);
    expect(third).toMatch(/unanswered {2}b\.txt {2}waits for an answer$/);
    expect(fourth).toMatch(/ok {10}c\.txt$/);
  });

  it("colours only for a terminal", async () => {
    const audit = reader({ tail: async () => page(lines) });
    expect((await run(["tail"], audit)).out).not.toContain("\u001b");
    expect((await run(["tail"], audit, { isTTY: true })).out).toContain("\u001b[32m");
  });

  it.each(["tail", "tail --json"])("%s sends nothing to the terminal that it would obey", async (command) => {
    const nasty = "\u001b]0;x\u0007\u009b31m\u202e\u2028\r";
    const audit = reader({
      tail: async () => page([line({ tool: nasty, gate: nasty, outcome: nasty, ts: nasty }), nasty, `${line({})}\t\r`]),
    });
    const { out } = await run(command.split(" "), audit);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(out.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
    if (command === "tail") return;
    const values = out
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(values[0].tool).toBe(nasty);
    expect(values[1]).toEqual({ unreadable: nasty });
    expect(values[2].tool).toBe("bash");
  });

  it("asks for as many lines as it is told", async () => {
    const asked: number[] = [];
    const audit = reader({
      tail: async (n) => {
        asked.push(n);
        return page([]);
      },
    });
    await run(["tail"], audit);
    await run(["tail", "-n", "25"], audit);
    await run(["tail", "-n0"], audit);
    expect(asked).toEqual([10, 25, 0]);
  });

  it("follows until it is stopped", async () => {
    const stop = new AbortController();
    let polls = 0;
    const audit = reader({
      tail: async () => page([line({ tool: "first" })]),
      since: async (seen) => {
        polls += 1;
        expect(seen.ends.size).toBe(1);
        if (polls === 2) stop.abort();
        return page(polls === 1 ? [line({ tool: "second" })] : []);
      },
    });
    const { code, out } = await run(["tail", "-f"], audit, { signal: stop.signal });
    expect(code).toBe(0);
    expect(out.match(/first|second/g)).toEqual(["first", "second"]);
  });
});

describe("zeph audit verify", () => {
  it("says intact and exits with 0", async () => {
    const { code, out } = await run(["verify"], reader({}));
    expect(code).toBe(0);
    expect(out).toContain("/s/audit.jsonl: intact, 3 lines\n  Line 2 was cut short when a process died.");
  });

  it("says what is worth knowing though it is no problem", async () => {
    const remarked = { ...intact, remarks: ["1 line after the last one \u001b[2J"] };
    const { code, out } = await run(["verify"], reader({ verify: async () => [remarked] }));
    expect(code).toBe(0);
    expect(out).toContain("\n  1 line after the last one \\u001b[2J\n");
    expect(JSON.parse((await run(["verify", "--json"], reader({ verify: async () => [remarked] }))).out).files).toEqual([remarked]);
  });

  it("names each problem and exits with 5, whichever file it is in", async () => {
    const broken: Verification = {
      ...intact,
      intact: false,
      anchored: false,
      problems: [{ line: 2, kind: "chain", reason: "Line 2 does not continue." }],
    };
    const { code, out } = await run(["verify"], reader({ verify: async () => [intact, broken] }));
    expect(code).toBe(5);
    expect(out).toContain("not intact, 3 lines\n  Line 2 does not continue.");
    expect(out).toContain("The store has no record");
    const json = await run(["verify", "--json"], reader({ verify: async () => [intact, broken] }));
    expect(json.code).toBe(5);
    expect(JSON.parse(json.out)).toEqual({ intact: false, files: [intact, broken] });
  });
});

describe("zeph audit stats", () => {
  it("prints counts and durations", async () => {
    const { code, out } = await run(["stats"], reader({ tail: async () => page([""]) }));
    expect(code).toBe(0);
    expect(out).toContain("3 calls, a to b\nduration: median 12 ms, 95 % within 2.5 s\n1 line is not an audit entry.");
    expect(out).toContain("  bash                            2\n");
    expect(JSON.parse((await run(["stats", "--json"], reader({}))).out)).toEqual(stats);
  });
});

describe("zeph audit", () => {
  it.each(["tail", "verify", "stats"])("%s exits with 2 when there is no log", async (command) => {
    const { code, out, err } = await run([command], nothing);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("There is no audit log yet");
  });

  it.each([[], ["constructor"], ["tail", "x"], ["tail", "-n", "-1"], ["tail", "-n", "ten"], ["verify", "-f"], ["tail", "--nope"]])(
    "explains a wrong command: %s %s %s",
    async (...args) => {
      const { code, err } = await run(
        args.filter((word) => word !== undefined),
        reader({}),
      );
      expect(code).toBe(2);
      expect(err).toContain("Usage: zeph audit tail");
    },
  );
});
