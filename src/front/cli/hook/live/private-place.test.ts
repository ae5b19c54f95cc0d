import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openPrivatePlace } from "./private-place.ts";

it("a private place goes also when something still writes into it for a while", async () => {
  const place = openPrivatePlace(process.env.PATH ?? "");
  const folder = join(place.env.TMPDIR!, "copy");
  // It has no home, as a copy that hookd has made has none.
  const loop = 'mkdir "$0"; cd "$0"; i=0; while :; do : > "$i"; i=$((i + 1)); done';
  const writer = spawn("timeout", ["2", "sh", "-c", loop, folder], { env: { PATH: process.env.PATH }, stdio: "ignore" });
  onTestFinished(() => void writer.kill());
  await expect.poll(() => existsSync(join(folder, "100"))).toBe(true);
  place.close();
  expect(existsSync(dirname(place.home))).toBe(false);
});
