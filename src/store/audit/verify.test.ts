import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Anchor } from "../../core/ports/anchors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { openStore } from "../open.ts";
import { openAuditFile } from "./audit-file.ts";
import { createAuditReader } from "./audit-reader.ts";
import { entryLine } from "./chain.ts";
import { sha256 } from "./lines.ts";
import { statsAudit } from "./stats.ts";
import { linesAfter, tailAudit } from "./tail.ts";
import { verifyAudit } from "./verify.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-verify-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let logs = 0;
const fresh = () => join(root, `${++logs}`, "audit.jsonl");

const entry = (n: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: "call",
  ts: new Date(1_700_000_000_000 + n * 1000).toISOString(),
  call_id: String(n),
  tool: n % 3 ? "bash" : "read",
  outcome: "ok",
  duration_ms: n,
  args: { text: `ü \u2028 ${n}` },
  ...more,
});

/** A real log of 24 lines with a torn one in the middle, its bytes and its anchor. */
const real = (() => {
  const path = fresh();
  const { anchors } = openStore("memory");
  const write = (from: number, to: number) => {
    const log = openAuditFile(path, anchors);
    for (let n = from; n <= to; n++) log.append(entry(n));
    log.close();
  };
  write(1, 10);
  appendFileSync(path, '{"kind":"call","to');
  write(11, 22);
  return { path, bytes: readFileSync(path), anchor: anchors.get(path)! };
})();
const changed = join(root, "changed.jsonl");
const verdict = async (bytes: Buffer | string, anchor: Anchor | null = real.anchor) => {
  writeFileSync(changed, bytes);
  return verifyAudit(changed, anchor);
};
const realLines = real.bytes.toString("utf8").split("\n").slice(0, -1);
const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const lineIndex = fc.nat({ max: realLines.length - 1 });

describe("verify", () => {
  it("finds a log as it was written intact, and names its torn line", async () => {
    expect(await verdict(real.bytes)).toEqual({
      file: changed,
      lines: 24,
      intact: true,
      anchored: true,
      problems: [],
      torn: [11],
      remarks: [],
    });
  });

  it("finds any change of a single byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: real.bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
        const bytes = Buffer.from(real.bytes);
        bytes[at] = bytes[at]! ^ difference;
        expect((await verdict(bytes)).intact).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it("finds every cut of the tail", async () => {
    for (let size = 0; size < real.bytes.length; size += size % 50 === 0 ? 1 : 7)
      expect((await verdict(real.bytes.subarray(0, size))).intact).toBe(false);
  });

  it("finds a removed, a doubled, an added line", async () => {
    await fc.assert(
      fc.asyncProperty(lineIndex, fc.constantFrom("removed", "doubled", "added", "emptied"), async (at, how) => {
        const forged = entryLine(entry(99), at === 0 ? "0".repeat(64) : sha256(realLines[at - 1]!)).trimEnd();
        const into = {
          removed: [],
          doubled: [realLines[at]!, realLines[at]!],
          added: [forged, realLines[at]!],
          emptied: ["", realLines[at]!],
        };
        const found = await verdict(joined(realLines.toSpliced(at, 1, ...into[how])));
        expect(found.intact).toBe(false);
        expect(found.problems.every(({ line, reason }) => line >= 1 && reason.length > 20)).toBe(true);
      }),
    );
  });

  it("finds two lines swapped", async () => {
    await fc.assert(
      fc.asyncProperty(lineIndex, lineIndex, async (a, b) => {
        fc.pre(a !== b);
        const lines = realLines.with(a, realLines[b]!).with(b, realLines[a]!);
        expect((await verdict(joined(lines))).intact).toBe(false);
      }),
    );
  });

  it("finds a log whose chain was rebuilt after an edit, because the store remembers the last line", async () => {
    let prev = "0".repeat(64);
    const forged = Array.from({ length: real.anchor.count }, (_, i) => {
      const line = entryLine(entry(i), prev).trimEnd();
      prev = sha256(line);
      return line;
    });
    expect(await verdict(joined(forged))).toMatchObject({ intact: false, problems: [{ line: 24, kind: "tail" }] });
    expect(await verdict(joined(forged), null)).toMatchObject({ intact: true, anchored: false });
  });

  it.each([
    ["head", joined(realLines.slice(3)), { line: 1, kind: "head" }],
    ["tail", joined(realLines.slice(0, 20)), { line: 21, kind: "tail" }],
    ["middle", joined(realLines.toSpliced(4, 1)), { line: 5, kind: "chain" }],
    ["text", joined(realLines.with(4, "hello")), { line: 5, kind: "garbled" }],
  ])("says where and why: %s", async (_what, text, problem) => {
    expect((await verdict(text)).problems[0]).toMatchObject({ ...problem, reason: expect.stringMatching(/removed|edited/) });
  });

  it("does not read a log that grew since the anchor was taken as broken", async () => {
    const grown = real.bytes.toString() + entryLine(entry(50), real.anchor.hash);
    expect(await verdict(grown)).toMatchObject({ intact: true, lines: 25 });
    expect(await verdict(`${grown}{"kind":`)).toMatchObject({ intact: true, torn: [11, 26] });
  });

  it("finds lines added at the end: more than one is a problem, one a remark, for a process may have died right after it", async () => {
    let [text, prev] = [real.bytes.toString(), real.anchor.hash];
    const added = async () => {
      const line = entryLine(entry(50), prev);
      text += line;
      prev = sha256(line.trimEnd());
      return verdict(text);
    };
    expect(await added()).toMatchObject({ intact: true, problems: [], remarks: [expect.stringMatching(/^1 line after the last one/)] });
    const two = { line: 25, kind: "tail", reason: expect.stringMatching(/^2 lines after the last one the store knows of/) };
    expect(await added()).toMatchObject({ intact: false, problems: [two], remarks: [] });
    expect(await verdict(text, null)).toMatchObject({ intact: true, remarks: [] });
    // What was written after verify began is not looked at in this way.
    expect(await verifyAudit(changed, real.anchor, real.anchor.size)).toMatchObject({ intact: true, remarks: [] });
  });

  it("is not troubled by a log that is written while it is read", async () => {
    const path = fresh();
    const { anchors } = openStore("memory");
    const log = openAuditFile(path, anchors);
    log.append(entry(1));
    const busy = {
      ...anchors,
      get(file: string) {
        const anchor = anchors.get(file);
        for (let n = 2; n <= 5; n++) log.append(entry(n));
        return anchor;
      },
    };
    expect(await createAuditReader(path, busy).verify()).toMatchObject([{ intact: true, lines: 5, remarks: [] }]);
    log.close();
  });

  it("stays small over a line without an end, and over a file of nothing but errors", async () => {
    const found = await verdict(Buffer.alloc(8 * 1024 * 1024, 120));
    expect(found).toMatchObject({ intact: false, lines: 0 });
    expect((await verdict("\n".repeat(100_000))).problems).toHaveLength(100);
  });

  it("says that there is no log, or that it is gone", async () => {
    await expect(verifyAudit(join(root, "none"), null)).rejects.toThrow("There is no audit log");
    expect(await verifyAudit(join(root, "none"), real.anchor)).toMatchObject({ intact: false, problems: [{ kind: "missing" }] });
  });
});

it("reads the logs of runtimes without a store file too, and says that they are not anchored", async () => {
  const path = fresh();
  const { anchors } = openStore("memory");
  for (const name of ["audit.jsonl", "audit.memory.jsonl", "audit.memory.7.jsonl", "audit.memory.x.jsonl"]) {
    const log = openAuditFile(join(path, "..", name), name === "audit.jsonl" ? anchors : openStore("memory").anchors);
    for (let n = 1; n <= 3; n++) log.append(entry(n));
    log.close();
  }
  const found = await createAuditReader(path, anchors).verify();
  expect(found.map(({ file, intact, anchored }) => [basename(file), intact, anchored])).toEqual([
    ["audit.jsonl", true, true],
    ["audit.memory.7.jsonl", true, false],
    ["audit.memory.jsonl", true, false],
  ]);
});

describe("tail", () => {
  it.each([0, 1, 5, 24, 100])("reads the last %i lines", async (count) => {
    const { lines, end } = await tailAudit(real.path, count);
    expect(lines).toEqual(count === 0 ? [] : realLines.slice(-count));
    expect(end).toBe(real.bytes.length);
  });

  it("reads lines longer than a block, and leaves the one being written for later", async () => {
    const long = ["a".repeat(200_000), "b".repeat(70_000), "c"];
    writeFileSync(changed, `${joined(long)}half`);
    const { lines, end } = await tailAudit(changed, 2);
    expect(lines).toEqual(long.slice(1));
    appendFileSync(changed, " whole\n");
    expect((await linesAfter(changed, end)).lines).toEqual(["half whole"]);
    writeFileSync(changed, "new\n");
    expect((await linesAfter(changed, end)).lines).toEqual(["new"]);
  });

  it("puts the lines of all processes in the order of their time", async () => {
    const path = fresh();
    const { anchors } = openStore("memory");
    for (const [name, numbers] of [
      ["audit.jsonl", [1, 4]],
      ["audit.77.jsonl", [2, 3]],
      ["audit.77.2.jsonl", [5]],
      ["other.jsonl", [9]],
    ] as const) {
      const log = openAuditFile(join(path, "..", name), anchors);
      for (const n of numbers) log.append(entry(n));
      log.close();
    }
    const reader = createAuditReader(path, anchors);
    const ids = (lines: readonly string[]) => lines.map((line) => Number(JSON.parse(line).call_id));
    const page = await reader.tail(4);
    expect(ids(page.lines)).toEqual([2, 3, 4, 5]);
    const log = openAuditFile(path, anchors);
    log.append(entry(6));
    log.close();
    const next = await reader.since(page);
    expect(ids(next.lines)).toEqual([6]);
    expect((await reader.since(next)).lines).toEqual([]);
    expect((await reader.stats()).calls).toBe(6);
    expect((await reader.verify()).map(({ intact }) => intact)).toEqual([true, true, true]);
  });
});

it("counts calls by tool, outcome, error and gate", async () => {
  const path = fresh();
  const log = openAuditFile(path, openStore("memory").anchors);
  for (let n = 1; n <= 100; n++) log.append(entry(n));
  log.append({ kind: "intent", ts: new Date(0).toISOString(), tool: "bash" });
  log.append(
    entry(101, {
      tool: "__proto__",
      outcome: "denied",
      gate: "blocklist",
      error_category: "policy_blocked",
      duration_ms: undefined as never,
    }),
  );
  log.close();
  appendFileSync(path, "garbage\n");
  const found = await statsAudit([path]);
  expect(found).toMatchObject({
    calls: 101,
    outcomes: { ok: 100, denied: 1 },
    errors: { policy_blocked: 1 },
    gates: { blocklist: 1 },
    duration: { p50: 50, p95: 95 },
    unreadable: 1,
    first: entry(1).ts,
    last: entry(101).ts,
  });
  expect(Object.entries(found.tools)).toEqual([
    ["bash", 67],
    ["read", 33],
    ["__proto__", 1],
  ]);
});
