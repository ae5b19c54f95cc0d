// Runs as a process of its own, bundled by bundle.ts, and is killed by the tests.

import type { ConfigInput } from "../../src/core/inputs/config-input.ts";
import { createRuntime } from "../../src/runtime/library/library.ts";
import { type AuditFile, openAuditFile } from "../../src/store/audit/audit-file.ts";
import { openStore } from "../../src/store/open.ts";

const [job, folder, count] = process.argv.slice(2) as [string, string, string];
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** Acknowledges each line and row after it was written, until someone kills the process. */
async function writeForEver(): Promise<void> {
  const store = openStore(`${folder}/zeph.db`);
  const log = openAuditFile(`${folder}/audit.jsonl`, store.anchors);
  const { id } = await store.conversations.create("/w", String(process.pid));
  say({ conversation: id, path: log.path });
  for (let n = 1; ; n++) {
    const text = "x".repeat((n * 997) % 9000);
    log.append({ kind: "call", ts: new Date().toISOString(), call_id: `${process.pid}-${n}`, tool: "bash", args: { text }, outcome: "ok" });
    say({ line: `${process.pid}-${n}` });
    if (n % 7 === 0) await writeTogether(log, n);
    if (n % 5 === 0) {
      await store.conversations.append(id, [{ role: "user", text: String(n) }]);
      say({ row: n, conversation: id });
    }
    if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lines of calls that end in one turn, acknowledged when they are written. */
async function writeTogether(log: AuditFile, n: number): Promise<void> {
  const group = Array.from({ length: 1 + (n % 90) }, (_, m) => `${process.pid}-${n}-${m}`);
  await Promise.all(
    group.map(async (call_id) => {
      await log.record({ kind: "call", ts: new Date().toISOString(), call_id, args: "x".repeat((n * 31) % 3000) });
      say({ line: call_id });
    }),
  );
}

/** Takes the log, writes some lines and keeps it until it is told to end. */
async function hold(): Promise<void> {
  const store = openStore(`${folder}/zeph.db`);
  const log = openAuditFile(`${folder}/audit.jsonl`, store.anchors);
  for (let n = 1; n <= Number(count); n++) log.append({ kind: "call", ts: new Date().toISOString(), call_id: `${process.pid}-${n}` });
  say({ path: log.path });
  process.stdin.resume();
}

/** Writes lines until the file may grow no further, twice, so that the second try starts from what the first left. */
async function fill(): Promise<void> {
  const store = openStore("memory");
  const log = openAuditFile(`${folder}/audit.jsonl`, store.anchors);
  for (let n = 1, failures = 0; failures < 2; n++) {
    try {
      log.append({ kind: "call", ts: new Date().toISOString(), call_id: String(n), args: "x".repeat(2600) });
      say({ line: String(n) });
    } catch (error) {
      failures += 1;
      say({ failed: (error as Error).message });
    }
  }
  log.append({ kind: "call", ts: new Date().toISOString(), call_id: "small" });
  say({ line: "small", anchor: store.anchors.get(log.path) });
}

/** Opens a new store at an agreed moment, together with others. */
async function start(): Promise<void> {
  while (Date.now() < Number(count)) {}
  const store = openStore(`${folder}/new.db`);
  await store.trust.set(String(process.pid), "h");
  const { id } = await store.conversations.create("/w", "t");
  await store.close();
  say({ id });
}

/** Opens a store in a folder it may not write to. */
async function denied(): Promise<void> {
  try {
    const store = openStore(folder);
    await store.trust.set("x", "y");
    say({ opened: true });
  } catch (error) {
    say({ name: (error as Error).name, message: (error as Error).message });
  }
}

/** Rewrites one file with texts of two kinds through the whole runtime, and copies a folder, until someone kills the process. */
async function files(): Promise<void> {
  const allow = [{ pattern: "*", action: "allow" }];
  const permissions = { write: allow, copy_path: allow, move_path: allow, delete_path: allow };
  const config = { store: { path: `${folder}/zeph.db` }, audit: { path: `${folder}/audit.jsonl` }, tools: { permissions } };
  const zeph = await createRuntime({ cwd: `${folder}/work`, config: config as ConfigInput });
  say({ ready: true });
  for (let n = 0; ; n++) {
    const outcome = await zeph.call("write", { path: "a.txt", content: (n % 2 ? "new" : "old").repeat(300_000) });
    const copied = await zeph.call("copy_path", { source: "tree", destination: "copy" });
    // Removing a folder takes many steps: under another name, so that whoever finds "copy" finds it whole.
    await zeph.call("move_path", { source: "copy", destination: `gone-${process.pid}-${n}` });
    await zeph.call("delete_path", { path: `gone-${process.pid}-${n}` });
    if (outcome.ok && copied.ok) say({ written: outcome.callId });
  }
}

await { files, write: writeForEver, hold, fill, start, denied }[job]!();
