// Runs as a process of its own, bundled by the tests, and is killed by them: writes audit lines and copies them.

import { openAuditShipper } from "../../src/fleet/audit/shipper.ts";
import { openAuditFile } from "../../src/store/audit/audit-file.ts";
import { openStore } from "../../src/store/open.ts";

const [url, tenant, folder] = process.argv.slice(2) as [string, string, string];
const store = openStore(`${folder}/zeph.db`);
const log = openAuditFile(`${folder}/audit.jsonl`, store.anchors);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const shipper = openAuditShipper({ path: log.path, log: `${folder}/audit.jsonl` }, { url, tenant, mode: "after" }, (warning) =>
  say({ warning }),
);

for (let n = 1; ; n++) {
  const call_id = `${process.pid}-${n}`;
  log.append({
    kind: "call",
    ts: new Date().toISOString(),
    call_id,
    tool: "bash",
    args: { text: "x".repeat((n * 997) % 3000) },
    outcome: "ok",
  });
  shipper.nudge(1);
  if (n % 500 === 0) await shipper.reach();
  if (n % 50 === 0) {
    say({ line: call_id });
    await new Promise((resolve) => setImmediate(resolve));
  }
}
