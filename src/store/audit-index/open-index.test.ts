import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { chainedLines, START } from "../audit/chain.ts";
import { MAX_LINE } from "../audit/lines.ts";
import { type AuditIndex, openAuditIndex } from "./open-index.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-index-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const DAY = Date.UTC(2026, 10, 1);
const call = (n: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: "call",
  ts: new Date(DAY + n * 1000).toISOString(),
  call_id: `call-${n}`,
  session_id: "one",
  tool: "bash",
  args: { command: `echo ${n}` },
  outcome: "ok",
  ...more,
});
const linesOf = (...entries: AuditEntry[]) => chainedLines(entries, START.hash).text;
const ALL = { from: 0, limit: 1000 };

function fresh(text = ""): { log: string; file: string } {
  const folder = mkdtempSync(join(root, "f-"));
  const log = join(folder, "audit.jsonl");
  if (text !== "") writeFileSync(log, text);
  return { log, file: join(folder, "index") };
}
async function withIndex<T>({ log, file }: { log: string; file: string }, work: (index: AuditIndex) => Promise<T>): Promise<T> {
  const index = openAuditIndex(file, log);
  try {
    return await work(index);
  } finally {
    index.close();
  }
}
const ids = async (index: AuditIndex, query = {}) => (await index.find({ ...ALL, ...query })).calls.map(({ entry }) => entry.call_id);

describe("the index of the audit log", () => {
  it("finds calls newest first, by pages, and says how many there are and where each stands", async () => {
    const at = fresh(linesOf(call(1), { ...call(2), kind: "intent" }, call(2), call(3)));
    await withIndex(at, async (index) => {
      expect(await ids(index)).toEqual(["call-3", "call-2", "call-1"]);
      const page = await index.find({ from: 1, limit: 1 });
      expect(page).toMatchObject({ total: 3, calls: [{ file: at.log, line: 3, entry: call(2) }] });
      expect(await index.find({ from: 9, limit: 1 })).toEqual({ calls: [], total: 3 });
      expect(await index.find({ from: 9, limit: 1, text: "echo" })).toEqual({ calls: [], total: 3 });
    });
  });

  it("filters by everything that is named, together", async () => {
    const at = fresh(
      linesOf(
        call(1, { tool: "read", args: { path: "src/Ärger.ts" }, caller_id: "anna" }),
        call(2, { outcome: "denied", gate: "files", error: "Not outside of the WORKSPACE." }),
        call(3, { outcome: "denied", gate: "policy", session_id: "two", reason: "too late today" }),
      ),
    );
    await withIndex(at, async (index) => {
      expect(await ids(index, { tool: "read" })).toEqual(["call-1"]);
      expect(await ids(index, { outcome: "denied" })).toEqual(["call-3", "call-2"]);
      expect(await ids(index, { outcome: "denied", gate: "files" })).toEqual(["call-2"]);
      expect(await ids(index, { caller: "anna" })).toEqual(["call-1"]);
      expect(await ids(index, { session: "two" })).toEqual(["call-3"]);
      expect(await ids(index, { gate: "nobody" })).toEqual([]);
      expect(await ids(index, { since: DAY + 2000, until: DAY + 2000 })).toEqual(["call-2"]);
      for (const [text, found] of [
        ["ÄRGER", "call-1"],
        ["workspace", "call-2"],
        ["Too Late", "call-3"],
        ["call-2", "call-2"],
      ])
        expect(await ids(index, { text })).toEqual([found]);
      expect(await ids(index, { text: "echo", outcome: "denied", session: "one" })).toEqual(["call-2"]);
      // Signs that a pattern would take for anything.
      expect(await ids(index, { text: "e%o" })).toEqual([]);
      expect(await ids(index, { text: "_cho" })).toEqual([]);
      expect(await ids(index, { text: "a\0b" })).toEqual([]);
    });
  });

  it("tells everything about one call, and the calls of its session around it", async () => {
    const around = Array.from({ length: 20 }, (_, n) => call(n, { session_id: n % 2 ? "odd" : "even" }));
    const egress: AuditEntry = { kind: "egress", ts: call(8).ts, call_id: "call-8", session_id: "even", host: "a.example", status: 200 };
    const at = fresh(linesOf({ ...call(8), kind: "intent", session_id: "even" }, egress, ...around));
    await withIndex(at, async (index) => {
      const found = await index.call("call-8");
      expect(found?.main.entry).toMatchObject({ kind: "call", call_id: "call-8" });
      expect(found?.lines.map(({ entry }) => entry.kind)).toEqual(["intent", "egress", "call"]);
      expect(found?.around.map(({ entry }) => entry.call_id)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18].map((n) => `call-${n}`));
      expect(await index.call("call-99")).toBeNull();
      expect((await index.session("even")).map(({ entry }) => entry.kind)).toEqual([
        ...Array(4).fill("call"),
        ...["intent", "egress"],
        ...Array(6).fill("call"),
      ]);
    });
  });

  it("gives a call that has not ended by its intent", () =>
    withIndex(fresh(linesOf({ ...call(1), kind: "intent" })), async (index) => {
      expect(await index.call("call-1")).toMatchObject({ main: { entry: { kind: "intent" } }, around: [] });
      expect(await ids(index)).toEqual([]);
    }));

  it("counts what there is, the whole and from a moment on", async () => {
    const egress = (n: number, more: Partial<AuditEntry>): AuditEntry => ({ kind: "egress", ts: call(n).ts, host: "a.example", ...more });
    const at = fresh(
      linesOf(
        call(1),
        call(2, { outcome: "denied", gate: "files", caller_id: "anna" }),
        call(3, { outcome: "denied", gate: "files", session_id: "two" }),
        egress(1, { status: 200 }),
        egress(3, { blocked: "not allowed" }),
        egress(3, { failed: "no answer came" }),
        egress(3, { type: "egress", verdict: "refused", how: "closed", times: 5 }),
        egress(3, { type: "egress", verdict: "refused", how: "unreachable" }),
        egress(3, { type: "egress", verdict: "ok", host: "b.example" }),
      ),
    );
    await withIndex(at, async (index) => {
      const hosts = [
        { host: "a.example", sent: 1, failed: 2, held: 6 },
        { host: "b.example", sent: 1, failed: 0, held: 0 },
      ];
      const gates = [{ gate: "files", times: 2 }];
      expect(await index.totals()).toEqual({ calls: 3, sessions: 2, outcomes: { denied: 2, ok: 1 }, gates, hosts });
      expect(await index.totals(DAY)).toEqual(await index.totals());
      expect(await index.totals(DAY + 3000)).toEqual({
        calls: 1,
        sessions: 1,
        outcomes: { denied: 1 },
        gates: [{ gate: "files", times: 1 }],
        hosts: [{ ...hosts[0], sent: 0 }, hosts[1]],
      });
      expect(await index.choices()).toEqual({ tools: ["bash"], gates: ["files"], callers: ["anna"] });
    });
  });

  it("is private, and nothing when there is no log", async () => {
    const at = fresh();
    await withIndex(at, async (index) => {
      expect(await index.find(ALL)).toEqual({ calls: [], total: 0 });
      expect(await index.totals()).toMatchObject({ calls: 0, hosts: [] });
    });
    expect(statSync(at.file).mode & 0o777).toBe(0o600);
  });
});

describe("bringing the index up to date", () => {
  it("takes in what was written since, and leaves a line that is half written for later", async () => {
    const at = fresh(linesOf(call(1)));
    const [first = "", second = ""] = linesOf(call(2), call(3)).split(/(?<=\n)/);
    await withIndex(at, async (index) => {
      expect(await ids(index)).toEqual(["call-1"]);
      appendFileSync(at.log, first + second.slice(0, 30));
      expect(await ids(index)).toEqual(["call-2", "call-1"]);
      appendFileSync(at.log, second.slice(30));
      expect(await ids(index)).toEqual(["call-3", "call-2", "call-1"]);
    });
    appendFileSync(at.log, linesOf(call(4)));
    await withIndex(at, async (index) => expect(await ids(index)).toHaveLength(4));
  });

  it("skips garbled lines, also one that is longer than any of ours", async () => {
    const at = fresh(`${linesOf(call(1))}not JSON\n{"kind":"other"}\nnull\n[1]\n`);
    appendFileSync(at.log, Buffer.alloc(MAX_LINE + 5, "x"));
    appendFileSync(at.log, `\n${linesOf(call(2))}`);
    await withIndex(at, async (index) => {
      const { calls } = await index.find(ALL);
      expect(calls.map(({ line }) => line)).toEqual([7, 1]);
      appendFileSync(at.log, linesOf(call(3)));
      expect(await ids(index)).toEqual(["call-3", "call-2", "call-1"]);
    });
  });

  it("holds what a hostile line can hold", async () => {
    const odd = {
      ...call(1),
      tool: 7,
      args: "x",
      session_id: ["a"],
      ts: "never",
      outcome: "a\0b",
      call_id: { a: 1 },
    } as unknown as AuditEntry;
    await withIndex(fresh(linesOf(odd, call(2, { call_id: "x".repeat(5000) }), call(3))), async (index) => {
      expect((await index.find(ALL)).total).toBe(3);
      expect((await index.totals()).outcomes).toEqual({ ok: 2, "a b": 1 });
    });
  });

  const three = linesOf(call(1), call(2), call(3));
  const failed = linesOf(...[7, 8, 9, 10].map((n) => call(n, { outcome: "failed" })));
  it.each([
    ["was cut", (log: string) => truncateSync(log, three.indexOf("\n") + 1), { ok: 1 }],
    ["was replaced by a longer one", (log: string) => renameSync(beside(log, failed), log), { failed: 4 }],
    [
      "was replaced by one with the same end",
      (log: string) => renameSync(beside(log, three.replace('"outcome":"ok"', '"outcome":"no"')), log),
      { ok: 2, no: 1 },
    ],
    ["was written anew in its place", (log: string) => writeFileSync(log, failed), { failed: 4 }],
    ["is gone", (log: string) => rmSync(log), {}],
  ])("reads a file from its beginning that %s", async (_, change, outcomes) => {
    const at = fresh(three);
    await withIndex(at, async (index) => {
      expect(await index.totals()).toMatchObject({ outcomes: { ok: 3 } });
      change(at.log);
      expect((await index.totals()).outcomes).toEqual(outcomes);
      const calls = Object.values(outcomes as Record<string, number>).reduce((sum, n) => sum + n, 0);
      expect(await ids(index)).toHaveLength(calls);
      expect(await ids(index, { text: "echo" })).toHaveLength(calls);
    });
  });

  it("reads a file again when a line is not where it was, though its end is", async () => {
    const text = linesOf(call(1), call(2), call(3));
    const at = fresh(text);
    await withIndex(at, async (index) => {
      expect(await ids(index)).toHaveLength(3);
      const lines = text.split(/(?<=\n)/);
      writeFileSync(at.log, [lines[1], lines[0], lines[2]].join(""));
      const { calls } = await index.find(ALL);
      expect(calls.map(({ line, entry }) => [line, entry.call_id])).toEqual([
        [3, "call-3"],
        [1, "call-2"],
        [2, "call-1"],
      ]);
    });
  });

  it("reads all files of the family as one, in the order of their times", async () => {
    const at = fresh(linesOf(call(1), call(4)));
    writeFileSync(at.log.replace(".jsonl", ".77.jsonl"), linesOf(call(2), call(5)));
    writeFileSync(at.log.replace(".jsonl", ".memory.jsonl"), linesOf(call(3)));
    writeFileSync(at.log.replace(".jsonl", ".other.jsonl"), linesOf(call(6)));
    await withIndex(at, async (index) => expect(await ids(index)).toEqual([5, 4, 3, 2, 1].map((n) => `call-${n}`)));
  });

  it("makes an index anew that is deleted or damaged", async () => {
    const at = fresh(linesOf(call(1)));
    await withIndex(at, ids);
    writeFileSync(at.file, Buffer.alloc(20_000, "rubbish"));
    await withIndex(at, async (index) => expect(await ids(index)).toEqual(["call-1"]));
    rmSync(at.file);
    await withIndex(at, async (index) => expect(await ids(index)).toEqual(["call-1"]));
  });

  it("may be done by two at once: every line is taken in once", async () => {
    const at = fresh(linesOf(...Array.from({ length: 5000 }, (_, n) => call(n))));
    const [one, two] = [openAuditIndex(at.file, at.log), openAuditIndex(at.file, at.log)];
    try {
      const totals = await Promise.all([one.totals(), two.totals(), one.totals()]);
      expect(totals.map(({ calls }) => calls)).toEqual([5000, 5000, 5000]);
      expect((await two.find(ALL)).total).toBe(5000);
    } finally {
      one.close();
      two.close();
    }
  });

  it("hands out the calls that ended since, and no old ones of a file that is read again", async () => {
    const at = fresh(linesOf(call(1)));
    await withIndex(at, async (index) => {
      const { calls, end } = await index.newer();
      expect(calls).toEqual([]);
      const now = (n: number) => call(n, { ts: new Date().toISOString() });
      appendFileSync(at.log, linesOf(now(2), now(3)));
      const next = await index.newer(end);
      expect(next.calls.map(({ entry }) => entry.call_id)).toEqual(["call-2", "call-3"]);
      expect((await index.newer(next.end)).calls).toEqual([]);
      renameSync(beside(at.log, linesOf(call(1), now(4))), at.log);
      expect((await index.newer(next.end)).calls.map(({ entry }) => entry.call_id)).toEqual(["call-4"]);
    });
  });
});

function beside(log: string, text: string): string {
  writeFileSync(`${log}.new`, text);
  return `${log}.new`;
}
