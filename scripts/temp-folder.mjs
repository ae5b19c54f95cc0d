// Every test run has a temporary folder of its own, which is gone at the end. What was still in it is named; REQUIRE_EMPTY_TEMP=1 makes it a failure.
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SHOWN = 20;

export function setup() {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "zt-"));
  // Some tests start programs as another user, who has to reach what lies below.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // test/setup.ts makes a folder in it for each worker: what one does must not stir the folders above another's files.
  process.env.RUN_TMPDIR = folder;
  return async () => {
    const left = await leftBehind(folder);
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    delete process.env.RUN_TMPDIR;
    if (left.length === 0) return;
    const names = left.slice(0, SHOWN).join("\n  ");
    const message = `${left.length} entries were left in the temporary folder of this run, first:\n  ${names}`;
    if (process.env.REQUIRE_EMPTY_TEMP === "1") throw new Error(message);
    process.stderr.write(`${message}\n`);
  };
}

/** Processes that were told to end take a moment to remove their folders. A folder that files of one worker share lives as long as the run. */
async function leftBehind(folder) {
  const entries = () =>
    readdirSync(folder)
      .flatMap((name) => (/^w\d+$/.test(name) ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name]))
      .filter((name) => !/(?:^|\/)shared-/.test(name));
  for (let tries = 0; tries < 50 && entries().length > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  return entries().map((name) => `${name}${lstatSync(join(folder, name)).isDirectory() ? "/" : ""}`);
}
