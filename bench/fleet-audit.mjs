// `npm run bench:fleet-audit`: how fast audit lines are copied to PostgreSQL, verified and handed out, and what waiting for the copy costs a call.
// Starts a server of its own. `--quick` for a look.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCheckpoint } from "../dist/modules/fleet/audit/checkpoint.js";
import { exportLines } from "../dist/modules/fleet/audit/export.js";
import { openAuditShipper } from "../dist/modules/fleet/audit/shipper.js";
import { makeKeyFiles, readPublicKeys, readSigningKey } from "../dist/modules/fleet/audit/signing-key.js";
import { verifyFleetAudit } from "../dist/modules/fleet/audit/verify.js";
import { openAuditFile } from "../dist/modules/store/audit/audit-file.js";
import { openStore } from "../dist/modules/store/open.js";
import { initStore } from "../dist/modules/store/pg/migrate.js";
import { openPg } from "../dist/modules/store/pg/pg.js";
import { startPostgres } from "../scripts/fleet-servers.mjs";
import { at, median, timed } from "./measure.mjs";

const quick = process.argv.includes("--quick");
const WRITERS = 3;
const LINES = quick ? 2000 : 20_000;
const RUNS = quick ? 1 : 5;
const WAITS = quick ? 50 : 500;

const base = mkdtempSync(join(tmpdir(), "zeph-audit-bench-"));
const server = await startPostgres();
try {
  await initStore(server.url);
  makeKeyFiles(join(base, "key"));
  const runs = [];
  for (let run = 1; run <= RUNS; run++) runs.push(await measure(run));
  const row = (name, unit, values, worst) =>
    console.log(`| ${name} | ${round(median(values))} ${unit} | ${round(worst(...values))} ${unit} |`);
  console.log(`${WRITERS} files of ${LINES} lines (${runs[0].bytes} bytes each), ${RUNS} runs\n\n| | median | worst |\n|---|---|---|`);
  row(
    "copied, one file",
    "lines/s",
    runs.map(({ one }) => one),
    Math.min,
  );
  row(
    `copied, ${WRITERS} files at once`,
    "lines/s",
    runs.map(({ all }) => all),
    Math.min,
  );
  row(
    "verified",
    "lines/s",
    runs.map(({ verified }) => verified),
    Math.min,
  );
  row(
    "handed out",
    "lines/s",
    runs.map(({ exported }) => exported),
    Math.min,
  );
  row(
    "a line that is waited for, p50",
    "ms",
    runs.map(({ p50 }) => p50),
    Math.max,
  );
  row(
    "a line that is waited for, p99",
    "ms",
    runs.map(({ p99 }) => p99),
    Math.max,
  );
} finally {
  await server.stop();
  rmSync(base, { recursive: true, force: true });
}

async function measure(run) {
  const tenant = `run${run}`;
  const files = Array.from({ length: WRITERS + 1 }, (_, n) => writeFile(join(base, `${run}-${n}`)));
  const shipping = { url: server.url, tenant, mode: "after" };
  const copy = async ({ path }) => {
    const shipper = openAuditShipper({ path, log: path }, shipping, console.error);
    await shipper.reach();
    await shipper.close();
  };
  const rate = async (lines, work) => Math.round(lines / ((await timed(work)) / 1000));
  const one = await rate(LINES, () => copy(files[0]));
  const all = await rate(WRITERS * LINES, () => Promise.all(files.slice(1).map(copy)));
  const db = openPg({ url: server.url, tenant, max: 1 });
  await makeCheckpoint(db, readSigningKey(join(base, "key")), 0);
  const keys = readPublicKeys(join(base, "key.pub"));
  const total = (WRITERS + 1) * LINES;
  let found;
  const verified = await rate(total, async () => {
    found = await verifyFleetAudit(db, { keys, roots: new Set(), since: null });
  });
  if (!found.intact || found.lines !== total) throw new Error(`verify: ${JSON.stringify(found)}`);
  let handed = 0;
  const exported = await rate(total, async () => {
    for await (const lines of exportLines(db, null)) handed += lines.split("\n").length - 1;
  });
  if (handed !== total) throw new Error(`export: ${handed} of ${total}`);
  await db.close();
  const waits = await waitForEach(files[0], shipping);
  for (const { log, store } of files) {
    log.close();
    await store.close();
  }
  return { one, all, verified, exported, p50: at(0.5, waits), p99: at(0.99, waits), bytes: files[0].bytes };
}

function writeFile(folder) {
  const store = openStore(join(folder, "zeph.db"));
  const log = openAuditFile(join(folder, "audit.jsonl"), store.anchors);
  for (let n = 0; n < LINES; n++) log.append(entry(`${folder}-${n}`));
  return { log, store, path: log.path, bytes: Math.round(store.anchors.get(log.path).size / LINES) };
}

function entry(call_id) {
  const args = { command: "git diff --stat origin/main...HEAD -- src/store", timeout: 120 };
  const about = {
    session_id: "s".repeat(36),
    turn_id: "t".repeat(36),
    trust: "trusted",
    phase: "implementation",
    cwd: "/home/somebody/work/project",
  };
  return {
    kind: "call",
    ts: new Date().toISOString(),
    call_id,
    ...about,
    tool: "bash",
    args,
    outcome: "ok",
    sandbox: "bubblewrap",
    exit_code: 0,
    duration_ms: 41.5,
  };
}

/** As `audit.ship = "before"` does it: a line, and then its copy. */
async function waitForEach({ log, path }, shipping) {
  const shipper = openAuditShipper({ path, log: path }, shipping, console.error);
  await shipper.reach();
  const times = [];
  for (let n = 0; n < WAITS; n++) {
    log.append(entry(`wait-${n}`));
    times.push(await timed(() => shipper.reach()));
  }
  await shipper.close();
  return times;
}

function round(value) {
  return value > 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
