import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { AuditEntry } from "../../src/core/ports/audit.ts";
import { openAuditShipper } from "../../src/fleet/audit/shipper.ts";
import type { AuditShipper } from "../../src/fleet/audit/shipping.ts";
import { type AuditFile, openAuditFile } from "../../src/store/audit/audit-file.ts";
import { openStore } from "../../src/store/open.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { makeSchema, newTenant } from "./database.ts";

export const newCall = (id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: "call",
  ts: new Date().toISOString(),
  call_id: id,
  tool: "bash",
  outcome: "ok",
  ...more,
});

/** One schema for a test file, and a connection that sees and changes everything: what an attacker has who is the administrator. */
export async function openAuditDatabase() {
  const url = await makeSchema();
  const admin = openPg({ url, bare: true, max: 2 });
  afterAll(() => admin.close());
  return { url, admin };
}

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "zeph-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Machine {
  readonly tenant: string;
  readonly folder: string;
  readonly path: string;
  readonly log: AuditFile;
  readonly warnings: string[];
  /** Writes so many lines and copies them. */
  write(count: number, more?: Partial<AuditEntry>): Promise<void>;
  readonly shipper: AuditShipper;
  readonly lines: () => string[];
}

/** A machine with an audit file that is copied. */
export function openMachineLog(url: string, { tenant = newTenant(), folder = newFolder(), name = "audit.jsonl" } = {}): Machine {
  const store = openStore(join(folder, "zeph.db"));
  const log = openAuditFile(join(folder, name), store.anchors);
  const warnings: string[] = [];
  const shipper = openAuditShipper(
    { path: log.path, log: log.path },
    { url, tenant, mode: "after" },
    (message) => warnings.push(message),
    0,
  );
  onTestFinished(async () => {
    await shipper.close();
    log.close();
    await store.close();
  });
  let written = 0;
  return {
    tenant,
    folder,
    path: log.path,
    log,
    warnings,
    shipper,
    async write(count, more) {
      for (let n = 0; n < count; n++) log.append(newCall(`c${++written}`, more));
      await shipper.reach();
    },
    lines: () => readFileSync(log.path, "utf8").split("\n").slice(0, -1),
  };
}

/** The copies of a tenant, in their order. */
export const copiesOf = (admin: Pg, tenant: string): Promise<{ writer: string; n: number; line: string; hash: string }[]> =>
  admin.all("select writer, n, line, hash from audit_lines where tenant = ? order by writer, n", tenant);

export const headsOf = (
  admin: Pg,
  tenant: string,
): Promise<{ writer: string; began: number; count: number; hash: string; size: number }[]> =>
  admin.all("select writer, began, count, hash, size from audit_heads where tenant = ? order by writer", tenant);
