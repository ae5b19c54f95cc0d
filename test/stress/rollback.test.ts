import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { takeSnapshot } from "../../src/host/shell/undo/snapshot.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 400);

it("A rollback puts nothing outside while a folder is swapped for a link as fast as possible", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-rollback-")));
  const [work, outside, aside] = ["work", "outside", "aside"].map((name) => join(base, name)) as [string, string, string];
  for (const [folder, text] of [
    [join(work, "d/deep"), "inside"],
    [join(outside, "deep"), "outside"],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    for (const name of ["rc", "../rc"]) writeFileSync(join(folder, name), text);
  }
  const swapper = spawn(process.execPath, ["test/stress/swapper.mjs", join(work, "d"), aside, outside, String(9 * 60_000), "folder"]);
  await once(swapper.stdout, "data");
  let restores = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      // Each way a command can say what it changes: a file, a folder, everything.
      for (const paths of [[join(work, "d/rc"), join(work, "d/new")], [join(work, "d")], [work]]) {
        const snapshot = await takeSnapshot({ paths, fixed: [work], scope: ["**"], base: work, maxBytes: 0 }).catch(() => null);
        if (snapshot === null) continue;
        await changed(join(work, "d"));
        await snapshot.restore().then(
          () => restores++,
          () => {},
        );
        await snapshot.drop();
      }
      if (round % 50 === 0) untouched(outside);
    }
  } finally {
    swapper.kill();
    await once(swapper, "exit");
  }
  untouched(outside);
  expect(restores).toBeGreaterThan(0);
  rmSync(base, { recursive: true, force: true });
});

/** As a command would that sees the folder, not the link: behind walls it reaches nothing else. */
async function changed(folder: string): Promise<void> {
  try {
    if (lstatSync(folder).isDirectory()) mkdirSync(join(folder, "deep/made"), { recursive: true });
  } catch {
    // It stepped aside.
  }
}

function untouched(outside: string): void {
  const made = readdirSync(outside, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith("deep/made"));
  expect(made.sort()).toEqual(["deep", "deep/rc", "rc"]);
  for (const name of ["rc", "deep/rc"]) expect(readFileSync(join(outside, name), "utf8")).toBe("outside");
}
