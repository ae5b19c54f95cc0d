import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../core/ports/audit.ts";
import type { Store } from "../core/ports/store.ts";
import { openAuditFile } from "./audit/audit-file.ts";
import { entryLine, noteEntry, START } from "./audit/chain.ts";
import { sha256 } from "./audit/lines.ts";
import { verifyAudit } from "./audit/verify.ts";
import { openStore } from "./open.ts";
import { StoreError } from "./sqlite/error.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-unknown-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const entry = (call_id: string): AuditEntry => ({ kind: "call", ts: new Date().toISOString(), call_id, tool: "bash", outcome: "ok" });
const linesIn = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const verify = (path: string, store: Store) => verifyAudit(path, store.anchors.get(path));

function written(count: number): { path: string; store: Store } {
  const path = join(mkdtempSync(join(root, "f-")), "audit.jsonl");
  const store = openStore("memory");
  const log = openAuditFile(path, store.anchors);
  for (let n = 1; n <= count; n++) log.append(entry(String(n)));
  log.close();
  return { path, store };
}
/** Opens the log once more and adds a line. */
function goOn(path: string, store: Store): void {
  const log = openAuditFile(path, store.anchors);
  log.append(entry("more"));
  log.close();
}

describe("lines the store does not know", () => {
  /** As a process leaves it that dies before the anchor is written, or as a forger does. */
  const addByHand = (path: string, count = 1, more: object = {}) => {
    for (let n = 1; n <= count; n++) {
      const last = linesIn(path).at(-1);
      appendFileSync(path, entryLine({ ...entry(`hand ${n}`), ...more }, last === undefined ? START.hash : sha256(last)));
    }
  };
  const openAndClose = (path: string, store: Store) => openAuditFile(path, store.anchors).close();
  const aProblem = (text: RegExp) => ({ intact: false, problems: [{ kind: "noted", reason: expect.stringMatching(text) }] });
  const aRemark = (...texts: RegExp[]) => ({ intact: true, problems: [], remarks: texts.map((text) => expect.stringMatching(text)) });

  it("are noted when the log is opened, and more than one is a problem for ever", async () => {
    const { path, store } = written(3);
    addByHand(path, 2);
    goOn(path, store);
    goOn(path, store);
    expect(await verify(path, store)).toMatchObject(aProblem(/Line 6 is a note: When the log was opened, it held 2 lines the store/));
  });

  it("are noted and no problem when it is one: a process died", async () => {
    const { path, store } = written(3);
    addByHand(path);
    goOn(path, store);
    expect(await verify(path, store)).toMatchObject(aRemark(/Line 5 is a note: .* 1 line /));
  });

  it("are a problem when they came while the log was open, even one", async () => {
    const { path, store } = written(3);
    const log = openAuditFile(path, store.anchors);
    addByHand(path);
    log.append(entry("4"));
    log.close();
    expect(await verify(path, store)).toMatchObject(aProblem(/While the log was open, something else wrote 1 line/));
  });

  it("do not add up when processes die one after the other", async () => {
    const { path, store } = written(3);
    addByHand(path);
    openAndClose(path, store);
    addByHand(path);
    expect(await verify(path, store)).toMatchObject(aRemark(/Line 5 is a note/, /^1 line after the last one/));
    openAndClose(path, store);
    expect(await verify(path, store)).toMatchObject(aRemark(/Line 5 is a note/, /Line 7 is a note/));
  });

  it.each(["a whole line", "a torn line", "a line without its newline", "a whole line and a torn note"])(
    "may be our own notes: %s, then a process that died before it told the store",
    async (what) => {
      const { path, store } = written(3);
      const anchor = store.anchors.get(path)!;
      if (what !== "a torn line") addByHand(path);
      if (what.includes("torn")) appendFileSync(path, '{"kind":"call","ts":"20');
      if (what === "a line without its newline") truncateSync(path, statSync(path).size - 1);
      for (let n = 0; n < 3; n++) {
        openAndClose(path, store);
        store.anchors.set(path, anchor);
        expect(await verify(path, store)).toMatchObject({ intact: true, problems: [] });
      }
      goOn(path, store);
      expect(await verify(path, store)).toMatchObject({ intact: true, problems: [] });
    },
  );

  it("count when they look like notes but say something else, and when they seal what was acknowledged", async () => {
    for (const args of [{ event: "unknown", lines: 1, when: "opened" }, { event: "torn", line: 3, before: "x" }, undefined]) {
      const { path, store } = written(3);
      addByHand(path, 2, { kind: "note", note: "All is well.", args });
      expect(await verify(path, store)).toMatchObject({ intact: false, problems: [{ line: 4, kind: "tail" }] });
    }
    const { path, store } = written(3);
    const seal = noteEntry({ event: "torn", line: 3, before: sha256(linesIn(path)[1]!) });
    addByHand(path, 1, seal);
    expect((await verify(path, store)).remarks).toHaveLength(1);
  });

  it("are not those of another store that writes to the log at the same time", async () => {
    const { path, store: one } = written(3);
    const two = openStore("memory");
    const logOfOne = openAuditFile(path, one.anchors);
    const logOfTwo = openAuditFile(path, two.anchors);
    for (let n = 0; n < 3; n++) logOfOne.append(entry("one"));
    for (let n = 0; n < 3; n++) logOfTwo.append(entry("two"));
    expect(one.anchors.get(path)).toEqual(two.anchors.get(path));
    logOfOne.close();
    for (let n = 0; n < 3; n++) logOfTwo.append(entry("two"));
    // What this process wrote meanwhile, it knows.
    const again = openAuditFile(path, one.anchors);
    logOfTwo.close();
    again.close();
    for (const store of [one, two]) expect(await verify(path, store)).toMatchObject({ intact: true, lines: 12, remarks: [] });
  });

  it("are those of another store that wrote to the log alone: a log belongs to one store", async () => {
    const { path, store } = written(3);
    const other = openStore("memory");
    goOn(path, other);
    goOn(path, other);
    expect(await verify(path, store)).toMatchObject({ intact: false, problems: [{ kind: "tail" }] });
    // Also when that one opens it first.
    const log = openAuditFile(path, other.anchors);
    openAndClose(path, store);
    log.close();
    expect(await verify(path, store)).toMatchObject(aProblem(/held 2 lines/));
    expect(other.anchors.get(path)).toEqual(store.anchors.get(path));
  });

  it("do not hide that the log is not the one a second store left", async () => {
    const { path, store } = written(3);
    writeFileSync(path, "");
    const log = openAuditFile(path, openStore("memory").anchors);
    goOn(path, store);
    log.close();
    expect(await verify(path, store)).toMatchObject(aProblem(/expected 3 lines/));
  });
});

describe("a store that is locked", () => {
  const locked = (file: string) => {
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    return () => {
      other.exec("rollback");
      other.close();
    };
  };

  it("does not fail a call or keep it for long, and is told with the next line", async () => {
    const { path } = written(0);
    const file = join(path, "..", "zeph.db");
    const store = openStore(file);
    const log = openAuditFile(path, store.anchors);
    log.append(entry("1"));
    const unlock = locked(file);
    const begun = performance.now();
    log.append(entry("2"));
    expect(performance.now() - begun).toBeLessThan(4500);
    log.append(entry("3"));
    expect(store.anchors.get(path)?.count).toBe(1);
    unlock();
    log.append(entry("4"));
    expect(store.anchors.get(path)?.count).toBe(4);
    log.close();
    expect(await verify(path, store)).toMatchObject({ intact: true, lines: 4, remarks: [] });
    await store.close();
  });

  it("is told when the log is closed", async () => {
    const { path } = written(0);
    const file = join(path, "..", "zeph.db");
    const store = openStore(file);
    const log = openAuditFile(path, store.anchors);
    const script = `import { DatabaseSync } from "@photostructure/sqlite";
      const db = new DatabaseSync(process.argv[1]);
      db.exec("begin immediate");
      console.log("locked");
      setTimeout(() => db.exec("rollback"), 3000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, file], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    log.append(entry("1"));
    log.append(entry("2"));
    expect(store.anchors.get(path)).toBeNull();
    log.close();
    expect(store.anchors.get(path)?.count).toBe(2);
    await store.close();
  });

  it("is not one that fails: that fails the call", () => {
    const { path, store } = written(1);
    const set = () => {
      throw new StoreError("zeph.db", "zeph.db could not grow: the disk is full.");
    };
    const log = openAuditFile(path, { ...store.anchors, set });
    expect(() => log.append(entry("2"))).toThrow("the disk is full");
    log.close();
  });

  it("or fails does not fail the calls of others", () => {
    const { path, store } = written(1);
    const closed = openStore("memory");
    const theirs = openAuditFile(path, closed.anchors);
    const log = openAuditFile(path, store.anchors);
    void closed.close();
    log.append(entry("2"));
    expect(store.anchors.get(path)?.count).toBe(2);
    theirs.close();
    log.close();
  });
});
