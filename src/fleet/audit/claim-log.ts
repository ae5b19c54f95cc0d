import { openSync, writeSync } from "node:fs";
import { closeAfter } from "../../files/descriptor.ts";
import { readOwnText } from "../../files/own-file.ts";
import { StoreError } from "../../store/sqlite/error.ts";
import { visible } from "../../text/visible.ts";

const MAX_BYTES = 1000;

/** A log belongs to one tenant, which is noted beside it: what is in its files must never be copied to another's lines. Throws a StoreError where it is another's. */
export function claimLog(log: string, tenant: string): void {
  const path = `${log}.tenant`;
  const known = readOwnText(path, { maxBytes: MAX_BYTES, links: "refuse" })?.trim() ?? "";
  if (known === tenant) return;
  if (known !== "")
    throw new StoreError(
      log,
      `The audit log ${log} is that of tenant ${visible(known)}. A process that works for ${tenant} needs another one: set audit.path.`,
    );
  // Nobody has it, or whoever wanted it died before the name was written.
  closeAfter(openSync(path, "a", 0o600), (fd) => writeSync(fd, `${tenant}\n`));
  if (readOwnText(path, { maxBytes: MAX_BYTES, links: "refuse" })?.trim() !== tenant) claimLog(log, tenant);
}
