import type { AuditEntry } from "../../core/ports/audit.ts";
import { openAuditShipper } from "../../fleet/audit/shipper.ts";
import type { AuditShipping } from "../../fleet/audit/shipping.ts";
import type { AuditFile } from "../../store/audit/audit-file.ts";

/** The same log, whose lines are copied to the shared store as well. `name` is the file of the log, beside which other processes write theirs. */
export function withShipping(log: AuditFile, name: string, shipping: AuditShipping, warn: (message: string) => void) {
  const shipper = openAuditShipper({ path: log.path, log: name }, shipping, warn);
  // Lines before it are in the database with it.
  const isAwaited = ({ kind }: AuditEntry) => shipping.mode === "before" && kind === "call";
  const shipped: AuditFile = {
    path: log.path,
    append(entry) {
      log.append(entry);
      shipper.nudge(1);
    },
    async record(entry) {
      await log.record(entry);
      if (!isAwaited(entry)) return shipper.nudge(1);
      await shipper.reach().catch((cause) => {
        // A model reads this. What the server said may name it.
        throw new Error("the shared store has no copy of its line, and no result is returned without one.", { cause });
      });
    },
    close: log.close,
  };
  return { log: shipped, close: shipper.close };
}
