import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * What a client runs, by its absolute path: of two versions on PATH the older one would answer. The small client where this package brings one, else
 * the whole program, which takes longer to start.
 */
export function hookProgram(): readonly string[] {
  const root = realpathSync(dirname(createRequire(import.meta.url).resolve("zeph/package.json")));
  const small = join(root, "bin", "zeph-hook");
  return existsSync(small) ? [small] : [process.execPath, join(root, "bin", "zeph.cjs"), "hook", "run"];
}
