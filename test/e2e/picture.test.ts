import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { hasTerminal } from "./terminal.ts";

it.runIf(hasTerminal && available)("The picture in the README shows what a run prints today.", () => {
  // Lines are broken by the length of real paths, so the folder is that of the run and not a worker's.
  const env = { ...process.env, TMPDIR: process.env.RUN_TMPDIR };
  const { status, stderr } = spawnSync(process.execPath, ["scripts/picture.mjs", "--check"], { encoding: "utf8", env });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
