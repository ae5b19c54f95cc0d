import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { box } from "./zeph.ts";

const folder = `${import.meta.dirname}/../../dist/cli`;

it("the bundles of the command are ASCII, which is how they are read", async () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  expect(files).toContain("main.cjs");
  for (const file of files) {
    const odd = /.{0,30}[^\0-\x7f].{0,30}/.exec(readFileSync(join(folder, file), "utf8"));
    expect([file, odd?.[0]]).toEqual([file, undefined]);
  }
  expect((await box().run(["--version"])).code).toBe(0);
});
