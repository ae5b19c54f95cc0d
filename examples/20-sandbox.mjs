// A command behind the walls of the operating system. Where there are none, it is not run.
import assert from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findWalls, runWalled } from "zeph/sandbox";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const walls = await findWalls({ cwd });
console.log(walls.backend, walls.reason ?? "");

if (walls.backend === "none") await assert.rejects(runWalled("true", { cwd }), { category: "policy_blocked" });
else {
  const ran = await runWalled(`echo inside > note.txt; echo out > ${homedir()}/zeph-note.txt; exit 3`, { cwd });
  assert.equal(ran.exitCode, 3);
  assert.equal(readFileSync(join(cwd, "note.txt"), "utf8"), "inside\n");
  assert(!existsSync(join(homedir(), "zeph-note.txt")));

  const late = await runWalled("sleep 60", { cwd, timeoutMs: 500 });
  assert.deepEqual([late.exitCode, late.stopped], [null, "timeout"]);
}
