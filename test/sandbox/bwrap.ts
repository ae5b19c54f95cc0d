import { existsSync } from "node:fs";
import { join } from "node:path";

export const SYSTEM_BWRAP = "/usr/bin/bwrap";

/** The machine's bubblewrap; on a machine without one the copy that Zeph brings along. */
export const BWRAP = existsSync(SYSTEM_BWRAP) ? SYSTEM_BWRAP : join(import.meta.dirname, `../../vendor/bwrap-linux-${process.arch}`);
