import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BWRAP } from "./bwrap.ts";

/** A bwrap on a machine that forbids user namespaces. */
export function denied(words = "No permissions to create new namespace"): { fakeBwrap: string; remove(): void } {
  const place = mkdtempSync(join(tmpdir(), "zeph-fake-"));
  const fakeBwrap = join(place, "bwrap");
  writeFileSync(fakeBwrap, `#!/bin/bash\n[ "$1" = --help ] && exec ${BWRAP} --help\necho 'bwrap: ${words}' >&2; exit 1\n`);
  chmodSync(fakeBwrap, 0o755);
  return { fakeBwrap, remove: () => rmSync(place, { recursive: true, force: true }) };
}
