import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "../open.ts";
import { StoreError } from "../sqlite/error.ts";
import { openAuditFile } from "./audit-file.ts";
import { sha256 } from "./lines.ts";
import { verifyAudit } from "./verify.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-audit-"));
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

describe("a line", () => {
  it("carries the hash of the one before; the first carries zeros", () => {
    const { path } = written(3);
    const [one, two, three] = linesIn(path);
    expect(JSON.parse(one!).prev).toBe("0".repeat(64));
    expect(JSON.parse(two!).prev).toBe(sha256(one!));
    expect(JSON.parse(three!).prev).toBe(sha256(two!));
  });

  it("leaves out what is null or undefined, but not inside the arguments", () => {
    const { path, store } = written(0);
    const log = openAuditFile(path, store.anchors);
    log.append({ ...entry("1"), gate: null, rule: undefined, args: { a: null, text: "two\nlines\u2028\ud800" } } as unknown as AuditEntry);
    log.close();
    const [line] = linesIn(path);
    const value = JSON.parse(line!);
    expect(Object.keys(value)).toEqual(["kind", "ts", "call_id", "tool", "outcome", "args", "prev"]);
    expect(value.args).toEqual({ a: null, text: "two\nlines\u2028\ud800" });
  });

  it("is in the file and in the store before append returns", () => {
    const { path, store } = written(0);
    const log = openAuditFile(path, store.anchors);
    log.append(entry("1"));
    const [line] = linesIn(path);
    expect(store.anchors.get(path)).toEqual({ count: 1, hash: sha256(line!), size: statSync(path).size });
    log.close();
  });

  it("that is too long, or cannot be written as JSON, is refused and leaves no trace", async () => {
    const { path, store } = written(1);
    const log = openAuditFile(path, store.anchors);
    expect(() => log.append({ ...entry("2"), args: "x".repeat(17 * 1024 * 1024) })).toThrow("too long");
    expect(() => log.append({ ...entry("2"), args: 1n })).toThrow();
    log.append(entry("3"));
    log.close();
    expect(await verify(path, store)).toMatchObject({ intact: true, lines: 2 });
  });
});

describe("the file", () => {
  it.skipIf(process.platform === "win32")("is private, and so are the folders made for it", () => {
    const path = join(mkdtempSync(join(root, "f-")), "a", "b", "audit.jsonl");
    openAuditFile(path, openStore("memory").anchors).close();
    expect([path, join(path, ".."), join(path, "../..")].map((p) => statSync(p).mode & 0o777)).toEqual([0o600, 0o700, 0o700]);
  });

  it.skipIf(process.platform === "win32").each(["a symbolic link", "a folder", "a pipe"])("is refused when it is %s", (what) => {
    const folder = mkdtempSync(join(root, "f-"));
    const path = join(folder, "audit.jsonl");
    if (what === "a symbolic link") symlinkSync(join(folder, "elsewhere"), path);
    if (what === "a folder") execFileSync("mkdir", [path]);
    if (what === "a pipe") execFileSync("mkfifo", [path]);
    expect(() => openAuditFile(path, openStore("memory").anchors)).toThrow(StoreError);
    expect(() => openAuditFile(path, openStore("memory").anchors)).toThrow("audit.path");
    expect(() => statSync(join(folder, "elsewhere"))).toThrow();
  });

  it("is shared within one process, by any way to its folder, until the last one closes it", async () => {
    const { path, store } = written(1);
    const linked = `${join(path, "..")}-link`;
    symlinkSync(join(path, ".."), linked);
    const one = openAuditFile(path, store.anchors);
    const two = openAuditFile(join(linked, "audit.jsonl"), store.anchors);
    expect(two.path).toBe(one.path);
    one.append(entry("2"));
    two.append(entry("3"));
    one.close();
    one.close();
    two.append(entry("4"));
    expect(() => one.append(entry("5"))).toThrow("closed");
    two.close();
    goOn(path, store);
    expect(await verify(path, store)).toMatchObject({ intact: true, lines: 5 });
  });

  it("goes on with its chain when it is opened again, also without an anchor", async () => {
    const { path, store } = written(3);
    goOn(path, store);
    const other = openStore("memory");
    goOn(path, other);
    expect(other.anchors.get(path)?.count).toBe(5);
    expect(await verify(path, other)).toMatchObject({ intact: true, lines: 5, torn: [], remarks: [] });
  });
});

describe("a torn last line", () => {
  it("is sealed with a note and reported as torn, not as edited", async () => {
    const { path, store } = written(3);
    appendFileSync(path, '{"kind":"call","ts":"20');
    expect(await verify(path, store)).toMatchObject({ intact: true, torn: [4], lines: 3 });
    goOn(path, store);
    expect(await verify(path, store)).toMatchObject({ intact: true, torn: [4], lines: 6, problems: [] });
    expect(JSON.parse(linesIn(path)[4]!)).toMatchObject({ kind: "note", note: expect.stringContaining("Line 4 was cut short") });
  });

  it("does not hide an edit of the line before it", async () => {
    const { path, store } = written(3);
    appendFileSync(path, '{"kind":"call","ts":"20');
    goOn(path, store);
    writeFileSync(path, readFileSync(path, "utf8").replace('"call_id":"3"', '"call_id":"9"'));
    expect(await verify(path, store)).toMatchObject({ intact: false, problems: [{ line: 4, kind: "garbled" }] });
  });

  it.each([1, 20])(
    "that lacks its last %i bytes is said to be cut when it had been acknowledged, also after the next lines",
    async (bytes) => {
      const { path, store } = written(3);
      truncateSync(path, statSync(path).size - bytes);
      const reason = expect.stringContaining("Line 3 was written whole and acknowledged, and its end is gone");
      expect(await verify(path, store)).toMatchObject({ intact: false, torn: [], problems: [{ line: 3, kind: "tail", reason }] });
      goOn(path, store);
      const found = await verify(path, store);
      expect(found).toMatchObject({ intact: false, torn: [], problems: [{ kind: "noted", reason }, { kind: "noted" }] });
    },
  );
});

describe("a file that is not as it was left", () => {
  const cutTail = (path: string) => writeFileSync(path, `${linesIn(path).slice(0, 2).join("\n")}\n`);
  const changes: Record<string, (path: string) => void> = {
    "cut to fewer lines": cutTail,
    emptied: (path) => writeFileSync(path, ""),
    deleted: (path) => rmSync(path),
    "with an edited last line": (path) => writeFileSync(path, readFileSync(path, "utf8").replace('"call_id":"5"', '"call_id":"6"')),
    replaced: (path) => {
      renameSync(path, `${path}.old`);
      writeFileSync(path, "");
    },
  };

  it.each(Object.entries(changes))("is noted when it was %s before it was opened, and that is a problem for ever", async (_how, change) => {
    const { path, store } = written(5);
    change(path);
    expect((await verify(path, store)).intact).toBe(false);
    goOn(path, store);
    goOn(path, store);
    const found = await verify(path, store);
    expect(found).toMatchObject({ intact: false, problems: [{ kind: "noted" }] });
    expect(found.problems[0]!.reason).toMatch(/expected 5 lines and \d+ bytes, found \d lines/);
  });

  it.each(Object.entries(changes))("is noted when it was %s while it was open, and no line is lost", async (_how, change) => {
    const { path, store } = written(0);
    const log = openAuditFile(path, store.anchors);
    for (let n = 1; n <= 5; n++) log.append(entry(String(n)));
    change(path);
    log.append(entry("after"));
    log.close();
    expect(linesIn(path).filter((line) => line.includes('"after"'))).toHaveLength(1);
    const found = await verify(path, store);
    if (_how === "with an edited last line") expect(found.intact).toBe(false);
    else expect(found).toMatchObject({ intact: false, problems: [{ kind: "noted" }] });
  });

  it("does not go on when a link was put in its place", () => {
    const { path, store } = written(0);
    const log = openAuditFile(path, store.anchors);
    log.append(entry("1"));
    rmSync(path);
    symlinkSync("/dev/null", path);
    expect(() => log.append(entry("2"))).toThrow("symbolic link");
    rmSync(path);
    log.append(entry("3"));
    log.close();
  });
});

it("does not read the whole log to open it", () => {
  const { path, store } = written(1);
  const line = linesIn(path)[0]!;
  // A hole of 8 GB takes seconds to read.
  const size = 8 * 1024 ** 3;
  truncateSync(path, size);
  appendFileSync(path, `\n${line}\n`);
  store.anchors.set(path, { count: 9, hash: sha256(line), size: size + line.length + 2 });
  const begun = cpuMs();
  goOn(path, store);
  expect(cpuMs() - begun).toBeLessThan(1000);
  expect(store.anchors.get(path)?.count).toBe(10);
});
