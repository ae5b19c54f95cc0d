import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { describeStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "zeph-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

describeStore("SQLite file", () => {
  files += 1;
  const path = join(folder, `${files}.db`);
  return { open: () => openStore(path), data: "kept" };
});
describeStore("SQLite in memory", () => ({ open: () => openStore("memory"), data: "gone" }));
