import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isFresh, markFresh } from "../scripts/freshness.mjs";

const START = new Date("2026-01-02T00:00:00Z");
const EARLIER = new Date("2026-01-01T00:00:00Z");
const LATER = new Date("2026-01-03T00:00:00Z");

describe("A build", () => {
  let root: string;
  const set = (path: string, time: Date) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
    utimesSync(join(root, path), time, time);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "zeph-fresh-"));
    for (const file of ["src/a/one.ts", "src/a/two.ts", "scripts/build.mjs", "package.json", "dist/cli/main.cjs", "dist/lib/index.js"])
      set(file, EARLIER);
    for (const folder of ["src/a", "src", "scripts"]) utimesSync(join(root, folder), EARLIER, EARLIER);
    markFresh(START, root);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it("is fresh until something it reads is newer than its start", () => {
    expect(isFresh(root)).toBe(true);
    set("src/a/one.ts", LATER);
    expect(isFresh(root)).toBe(false);
  });

  it("is not fresh once a file it read was removed", () => {
    rmSync(join(root, "src/a/two.ts"));
    expect(isFresh(root)).toBe(false);
  });

  it("is not fresh when it did not succeed, or when what it made is gone", () => {
    rmSync(join(root, "dist/lib/index.js"));
    expect(isFresh(root)).toBe(false);
    set("dist/lib/index.js", EARLIER);
    expect(isFresh(root)).toBe(true);
    rmSync(join(root, "dist/built"));
    expect(isFresh(root)).toBe(false);
  });
});
