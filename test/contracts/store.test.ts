import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite/migrations.ts";
import { describeAnyMemories } from "./any-memories.ts";
import { describeStore } from "./store/store-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "zeph-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

describeStore("SQLite file", () => {
  files += 1;
  const path = join(folder, `${files}.db`);
  return { open: () => openStore(path), data: "kept" };
});
describeStore("SQLite in memory", () => ({ open: () => openStore("memory"), data: "gone" }));
describeAnyMemories("SQLite", (test) => async () => {
  const store = openStore("memory");
  await test(store);
  await store.close();
});

const BEFORE_PINS = 5;

it("a database from before there were pins gets room for them, and keeps what is in it", async () => {
  const file = join(folder, "before-pins.db");
  const old = new DatabaseSync(file);
  migrate(old, file, MIGRATIONS.slice(0, BEFORE_PINS));
  expect(old.prepare("select name from sqlite_master where name = 'mcp_pins'").all()).toEqual([]);
  old.exec("insert into trust values ('/w', 'h', 1)");
  old.close();
  const store = openStore(file);
  expect(store.trust.get("/w")).toBe("h");
  expect(await store.pins.servers()).toEqual([]);
  await store.pins.put("s", [{ tool: "t", hash: "h", definition: "{}" }]);
  expect(await store.pins.of("s")).toHaveLength(1);
  await store.close();
});
