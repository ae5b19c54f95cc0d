import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAuditFile } from "../../src/store/audit/audit-file.ts";
import { createAuditReader } from "../../src/store/audit/audit-reader.ts";
import { verifyAudit } from "../../src/store/audit/verify.ts";
import { openStore } from "../../src/store/open.ts";
import { bundleChild, startChild } from "./processes.ts";

let child = "";
const root = mkdtempSync(join(tmpdir(), "zeph-processes-"));
const folder = () => mkdtempSync(join(root, "f-"));
beforeAll(async () => {
  child = await bundleChild();
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(dirname(child), { recursive: true, force: true });
});

it("gives a second process a log of its own beside the first, and the log itself when the first was killed", async () => {
  const at = folder();
  const first = startChild(process.execPath, [child, "hold", at, "3"]);
  const [one] = await first.heard(1);
  const second = startChild(process.execPath, [child, "hold", at, "2"]);
  const [two] = await second.heard(1);
  expect(one.path).toBe(join(at, "audit.jsonl"));
  expect(two.path).toBe(join(at, `audit.${second.process.pid}.jsonl`));

  const store = openStore(join(at, "zeph.db"));
  const reader = createAuditReader(join(at, "audit.jsonl"), store.anchors);
  expect((await reader.verify()).map(({ file, lines, intact }) => ({ file, lines, intact }))).toEqual(
    expect.arrayContaining([
      { file: one.path, lines: 3, intact: true },
      { file: two.path, lines: 2, intact: true },
    ]),
  );
  expect((await reader.tail(10)).lines).toHaveLength(5);

  first.process.kill("SIGKILL");
  await first.ended;
  const log = openAuditFile(join(at, "audit.jsonl"), store.anchors);
  expect(log.path).toBe(one.path);
  log.append({ kind: "note", ts: new Date().toISOString(), note: "mine now" });
  expect((await verifyAudit(one.path, store.anchors.get(one.path))).lines).toBe(4);
  log.close();

  second.process.stdin!.end();
  await second.ended;
  rmSync(two.path);
  expect((await reader.verify()).find(({ file }) => file === two.path)).toMatchObject({ intact: false, problems: [{ kind: "missing" }] });
  await store.close();
});

it("lets six processes make one new store at the same moment", async () => {
  const at = folder();
  const moment = String(Date.now() + 700);
  const all = Array.from({ length: 6 }, () => startChild(process.execPath, [child, "start", at, moment]));
  await Promise.all(all.map((one) => one.heard(1)));
  await Promise.all(all.map((one) => one.ended));
  const store = openStore(join(at, "new.db"));
  expect(await store.trust.list()).toHaveLength(6);
  expect(await store.conversations.list({ limit: 10 })).toHaveLength(6);
  await store.close();
});

it.skipIf(process.platform === "win32")("leaves no half line when the disk takes no more", async () => {
  const at = folder();
  // The limit stands in for a full disk: the system writes what still fits, then fails.
  const full = startChild("bash", ["-c", `trap '' XFSZ; ulimit -f 40; exec "$0" "$@"`, process.execPath, child, "fill", at]);
  await full.ended;
  const said = full.said();
  expect(said.filter((word) => word.failed).map((word) => word.failed)).toEqual([
    expect.stringContaining("could not be written (EFBIG); the entry is not recorded"),
    expect.stringContaining("could not be written"),
  ]);
  const { line, anchor } = said.at(-1);
  expect(line).toBe("small");
  const log = join(at, "audit.jsonl");
  expect(await verifyAudit(log, anchor)).toMatchObject({ intact: true, torn: [], lines: said.filter((word) => word.line).length });
  expect(readFileSync(log).at(-1)).toBe(10);
});

it.skipIf(process.platform === "win32")("says what to do when the folder may not be written, and leaves it as it is", async () => {
  const at = folder();
  await openStore(join(at, "zeph.db")).close();
  const before = readdirSync(at);
  chmodSync(join(at, "zeph.db"), 0o444);
  chmodSync(at, 0o555);
  // Root writes everywhere; without this right it is one who owns the folder and may not. Another user could not reach the clone.
  const asOwner = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
  for (const file of [join(at, "zeph.db"), join(at, "new.db"), join(at, "sub", "zeph.db")]) {
    const [program = "", ...args] = [...asOwner, process.execPath, child, "denied", file];
    const [answer] = await startChild(program, args).heard(1);
    expect(answer).toEqual({ name: "StoreError", message: expect.stringContaining(file) });
    expect(answer.message).toMatch(/writable|written/);
  }
  // The store that was closed above may still be folding its log into the file; nothing new may appear.
  expect(before).toEqual(expect.arrayContaining(readdirSync(at)));
  chmodSync(at, 0o755);
});
