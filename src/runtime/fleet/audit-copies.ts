import { openCheckpoints } from "../../fleet/audit/checkpoints.ts";
import { exportLines } from "../../fleet/audit/export.ts";
import { readRoots, rootLine } from "../../fleet/audit/root-log.ts";
import { makeKeyFiles, readPublicKeys } from "../../fleet/audit/signing-key.ts";
import { type FleetVerification, verifyFleetAudit } from "../../fleet/audit/verify.ts";
import type { FleetConfig } from "../../fleet/config.ts";
import { openPg, type Pg, type PgRole } from "../../store/pg/pg.ts";
import { whileOpen } from "../../text/while-open.ts";

export { type FleetVerification, makeKeyFiles };

/** Which copies of audit logs are meant. */
export interface CopyQuery {
  readonly url: string;
  readonly tenant: string;
  /** Null: all. */
  readonly since: Date | null;
}

const openCopies = ({ url, tenant }: CopyQuery): Pg => openPg({ url, tenant, role: "zeph_gateway", max: 1 });

/** `key` is a file with public keys, empty for none; `roots` are roots, or files that hold some. */
export const verifyAuditCopies = (
  query: CopyQuery,
  { key, roots }: { readonly key: string; readonly roots: readonly string[] },
): Promise<FleetVerification> => {
  const keys = key === "" ? null : readPublicKeys(key);
  const kept = new Set(roots.flatMap((one) => (/^[0-9a-f]{64}$/i.test(one) ? [one.toLowerCase()] : [...readRoots(one)])));
  return whileOpen(openCopies(query), (db) => verifyFleetAudit(db, { keys, roots: kept, since: query.since }));
};

/** Hands over JSON lines, a page at a time; the next page is read when `write` is done with one. */
export const exportAuditCopies = (query: CopyQuery, write: (lines: string) => Promise<void>): Promise<void> =>
  whileOpen(openCopies(query), async (db) => {
    for await (const lines of exportLines(db, query.since)) await write(lines);
  });

export interface CheckpointSigning {
  readonly url: string;
  readonly role: PgRole;
  readonly fleet: Pick<FleetConfig, "checkpoint_key" | "checkpoint_log">;
  /** Is given each root on a line, so that it stands in the logs of the process. */
  readonly say: (line: string) => void;
  readonly warn: (message: string) => void;
}

/** For workers and gateways: signs checkpoints as long as it is open. Null where this process has no key. */
export function openCheckpointSigning({ url, role, fleet, say, warn }: CheckpointSigning): { close(): Promise<void> } | null {
  if (fleet.checkpoint_key === "") return null;
  return openCheckpoints({
    url,
    role,
    key: fleet.checkpoint_key,
    log: fleet.checkpoint_log,
    onRoot: (checkpoint) => say(`audit checkpoint ${rootLine(checkpoint)}`),
    warn,
  });
}
