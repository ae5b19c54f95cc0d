// A folder for the time an example runs. Your program has folders of its own.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function scratchFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-example-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
