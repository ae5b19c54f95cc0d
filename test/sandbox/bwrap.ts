import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../src/text/attempt.ts";

export const SYSTEM_BWRAP = "/usr/bin/bwrap";

const isThere = attempt(() => accessSync(SYSTEM_BWRAP, constants.X_OK) === undefined, false);

/** The machine's bubblewrap; on a machine without one that can be run, the copy that Zeph brings along. */
export const BWRAP = isThere ? SYSTEM_BWRAP : join(import.meta.dirname, `../../vendor/bwrap-linux-${process.arch}`);
