import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Anchors } from "../../core/ports/anchors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { openStore } from "../open.ts";
import { openAuditFile } from "./audit-file.ts";
import { entryLine } from "./chain.ts";
import { MAX_LINE, sha256 } from "./lines.ts";
import { verifyAudit } from "./verify.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-group-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const entry = (call_id: string, more: object = {}): AuditEntry => ({ kind: "call", ts: "2026-01-01T00:00:00.000Z", call_id, ...more });
const linesIn = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const idsIn = (path: string) => linesIn(path).map((line) => JSON.parse(line).call_id);

/** A log with one line, and how often its store was told. */
function opened(change: (anchors: Anchors) => Partial<Anchors> = () => ({})) {
  const path = join(mkdtempSync(join(root, "f-")), "audit.jsonl");
  const { anchors } = openStore("memory");
  const told: number[] = [];
  const first = openAuditFile(path, anchors);
  first.append(entry("first"));
  first.close();
  const counting: Anchors = {
    ...anchors,
    set(file, anchor) {
      told.push(anchor.count);
      anchors.set(file, anchor);
    },
  };
  const log = openAuditFile(path, { ...counting, ...change(anchors) });
  return { path, anchors, told, log, verified: () => verifyAudit(path, anchors.get(path)) };
}
const ids = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);

describe("lines that are recorded in one turn of the loop", () => {
  it("are written together, and each stands in the file when its caller goes on", async () => {
    const { path, told, log, verified } = opened();
    await Promise.all(ids(100).map((id) => log.record(entry(id)).then(() => expect(idsIn(path)).toContain(id))));
    expect(told).toEqual([65, 101]);
    expect(idsIn(path)).toEqual(["first", ...ids(100)]);
    log.close();
    expect(await verified()).toMatchObject({ intact: true, anchored: true, remarks: [] });
  });

  it("stand before a line that is appended after them", async () => {
    const { path, log, verified } = opened();
    const recorded = [log.record(entry("a")), log.record(entry("b"))];
    log.append(entry("c"));
    await Promise.all(recorded);
    expect(idsIn(path)).toEqual(["first", "a", "b", "c"]);
    expect(await verified()).toMatchObject({ intact: true, remarks: [] });
    log.close();
  });

  it("are written when the log is closed", async () => {
    const { path, log } = opened();
    const recorded = [log.record(entry("a")), log.record(entry("b"))];
    log.close();
    expect(idsIn(path)).toEqual(["first", "a", "b"]);
    await Promise.all(recorded);
    await expect(log.record(entry("d"))).rejects.toThrow("was closed");
  });

  it("fail one by one: a line that is too long fails its own call alone", async () => {
    const { path, log, verified } = opened();
    const ends = await Promise.allSettled(
      [entry("a"), entry("b", { args: "x".repeat(MAX_LINE) }), entry("c")].map((one) => log.record(one)),
    );
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(idsIn(path)).toEqual(["first", "a", "c"]);
    expect(await verified()).toMatchObject({ intact: true, remarks: [] });
    log.close();
  });

  it("fail with a store that cannot be told of them", async () => {
    const { log } = opened(() => ({ set: () => expect.fail("the disk is full") }));
    const ends = await Promise.allSettled(ids(3).map((id) => log.record(entry(id))));
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    log.close();
  });
});

describe("a process that dies before it told the store of the lines it wrote together", () => {
  /** What is in the file and in the store at that moment. */
  const died = async () => {
    const found = opened(() => ({ set() {} }));
    await Promise.all(ids(5).map((id) => found.log.record(entry(id))));
    found.log.close();
    return found;
  };
  const reopen = (path: string, anchors: Anchors) => openAuditFile(path, anchors).close();
  const cut = (path: string, bytes: number) => readFileSync(path).subarray(0, -bytes);

  it("leaves lines that the store was told to expect, which is no problem and not even a remark", async () => {
    const { path, anchors, verified } = await died();
    expect(anchors.get(path)).toMatchObject({ count: 1, announced: { length: 5 } });
    expect(await verified()).toMatchObject({ lines: 6, intact: true, problems: [], remarks: [] });
    reopen(path, anchors);
    expect(linesIn(path)).toHaveLength(6);
    expect(anchors.get(path)).toEqual({ count: 6, hash: sha256(linesIn(path)[5]!), size: expect.any(Number) });
  });

  it("may leave some of them, the last one torn", async () => {
    const { path, anchors, verified } = await died();
    writeFileSync(path, cut(path, 300));
    reopen(path, anchors);
    expect(await verified()).toMatchObject({ intact: true, problems: [] });
  });

  it("does not make the lines of others known", async () => {
    const { path, anchors, verified } = await died();
    for (const id of ["x", "y"]) appendFileSync(path, entryLine(entry(id), sha256(linesIn(path).at(-1)!)));
    expect(await verified()).toMatchObject({ intact: false, problems: [{ kind: "tail" }] });
    reopen(path, anchors);
    expect(await verified()).toMatchObject({ intact: false, problems: [{ kind: "noted" }] });
  });
});
