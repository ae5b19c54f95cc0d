import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openSharedStore } from "../../src/store/pg/open-shared.ts";
import { describeAnyMemories } from "../contracts/any-memories.ts";
import { describeStore } from "../contracts/store/store-contract.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const folder = mkdtempSync(join(tmpdir(), "zeph-shared-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasPostgres)("a store that machines share", () => {
  let url = "";
  beforeAll(async () => {
    url = await makeSchema();
  });

  // Side by side: each test has a tenant of its own, and most of its time is spent waiting for the server.
  describe.concurrent("tested side by side", () => {
    describeStore("PostgreSQL", () => {
      const tenant = newTenant();
      return { open: () => openSharedStore({ url, tenant, local: join(folder, `${tenant}.db`), max: 4 }), data: "kept" };
    });
  });
  describeAnyMemories("PostgreSQL", (test) => async () => {
    const store = openSharedStore({ url, tenant: newTenant(), local: "memory", max: 4 });
    await test(store);
    await store.close();
  });
});
