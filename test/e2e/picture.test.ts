import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { hasTerminal } from "./terminal.ts";

const hasSandbox = existsSync("/usr/bin/bwrap");

it.runIf(hasTerminal && hasSandbox)("The picture in the README shows what a run prints today.", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/picture.mjs", "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
