import { rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../scripts/fleet-servers.mjs";
import { openRuntime } from "../../src/runtime/create.ts";
import { initStore } from "../../src/store/pg/migrate.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { bundleChild, startChild } from "../stress/processes.ts";
import { workspace } from "../workspace.ts";
import { copiesOf, headsOf, newFolder, openAuditDatabase, openMachineLog } from "./audit-file.ts";
import { hasPostgres, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("processes and copies of their audit logs", () => {
  let url: string;
  let admin: Pg;
  beforeAll(async () => {
    ({ url, admin } = await openAuditDatabase());
  });

  it("lose and double nothing when they are killed while they copy", async () => {
    const child = await bundleChild(join(import.meta.dirname, "audit-writer.ts"));
    onTestFinished(() => rmSync(dirname(child), { recursive: true, force: true }));
    const tenant = newTenant();
    const folder = newFolder();
    for (let round = 0; round < 4; round++) {
      const writer = startChild(process.execPath, [child, url, tenant, folder]);
      await writer.heard(12 + round * 7);
      writer.process.kill("SIGKILL");
      await writer.ended;
      expect(writer.said().filter(({ warning }) => warning)).toEqual([]);
    }
    const last = openMachineLog(url, { tenant, folder });
    await last.write(1);
    const copies = await copiesOf(admin, tenant);
    expect(copies.length).toBeGreaterThan(2000);
    expect(copies.map(({ line }) => line)).toEqual(last.lines());
    expect(await headsOf(admin, tenant)).toMatchObject([{ count: copies.length, size: statSync(last.path).size }]);
    expect(last.warnings).toEqual([]);
  });

  it("go on when the server was away: nothing is lost, and a call whose line must be copied waits for it", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    await initStore(server.url);
    const tenant = newTenant();
    const place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
    onTestFinished(place.remove);
    const warnings: string[] = [];
    const { zeph } = await openRuntime({
      cwd: place.work,
      store: "memory",
      config: { audit: { path: join(place.state, "audit.jsonl") } },
      ship: { url: server.url, tenant, mode: "before" },
      onEvent: (event) => void (event.type === "warning" && warnings.push(event.message)),
    });
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
    const db = openPg({ url: server.url, tenant, max: 1 });
    const lines = () => db.all<{ line: string }>("select line from audit_lines order by n");
    expect((await lines()).map(({ line }) => JSON.parse(line).tool)).toContain("read");
    await server.crash();
    let isOver = false;
    const calls = Array.from({ length: 5 }, () => zeph.call("read", { path: "a.txt" }));
    const all = Promise.all(calls).finally(() => {
      isOver = true;
    });
    await expect.poll(() => place.audit().split("\n").length).toBeGreaterThan(6);
    await expect.poll(() => warnings.join("\n")).toContain("does not answer");
    expect(isOver).toBe(false);
    await server.start();
    expect((await all).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    expect((await lines()).map(({ line }) => line)).toEqual(place.audit().split("\n").slice(0, -1));
    expect(warnings.at(-1)).toContain("are copied again");
    await zeph.close();
    await db.close();
  });

  it("copy lines as the configuration says: to a database that is the store, unless it is switched off", async () => {
    const place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
    onTestFinished(place.remove);
    const tenant = newTenant();
    const readOnce = async (ship: "after" | "off", database: { readonly url?: string }) => {
      const config = {
        audit: { path: join(place.state, "audit.jsonl"), ship },
        store: { path: join(place.state, "zeph.db"), ...database },
        fleet: { tenant },
      };
      const { zeph } = await openRuntime({ cwd: place.work, config });
      expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
      await zeph.close();
    };
    await readOnce("after", {});
    await readOnce("off", { url });
    expect(await copiesOf(admin, tenant)).toEqual([]);
    await readOnce("after", { url });
    // With those that were written before.
    expect((await copiesOf(admin, tenant)).map(({ line }) => line)).toEqual(place.audit().split("\n").slice(0, -1));
    expect(place.audit().split("\n")).toHaveLength(4);
  });

  it("of two tenants never share a log", async () => {
    const machine = openMachineLog(url);
    await machine.write(1);
    const other = newTenant();
    expect(() => openMachineLog(url, { tenant: other, folder: machine.folder })).toThrow(`is that of tenant ${machine.tenant}`);
    expect(await copiesOf(admin, other)).toEqual([]);
  });
});
