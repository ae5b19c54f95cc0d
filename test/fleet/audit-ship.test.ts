import { appendFileSync, copyFileSync, renameSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openAuditShipper } from "../../src/fleet/audit/shipper.ts";
import { openAuditFile } from "../../src/store/audit/audit-file.ts";
import { sha256 } from "../../src/store/audit/lines.ts";
import { openStore } from "../../src/store/open.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { copiesOf, headsOf, newCall, newFolder, openAuditDatabase, openMachineLog } from "./audit-file.ts";
import { hasPostgres, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("audit lines in the shared store", () => {
  let url: string;
  let admin: Pg;
  beforeAll(async () => {
    ({ url, admin } = await openAuditDatabase());
  });

  it("are the lines of the file, each once and in their order", async () => {
    const machine = openMachineLog(url);
    await machine.write(450, { args: { text: "two\nlines \u2028 \ud83d\ude00 ünï \u0000" } });
    const copies = await copiesOf(admin, machine.tenant);
    expect(copies.map(({ line }) => line)).toEqual(machine.lines());
    expect(copies.map(({ n }) => n)).toEqual(machine.lines().map((_, n) => n + 1));
    expect(copies.map(({ hash }) => hash)).toEqual(machine.lines().map((line) => sha256(line)));
    expect(await headsOf(admin, machine.tenant)).toMatchObject([
      { began: 0, count: 450, hash: sha256(machine.lines().at(-1)!), size: statSync(machine.path).size },
    ]);
    expect(machine.warnings).toEqual([]);
  });

  it("arrive without being asked for, within a second or when there are two hundred", async () => {
    const machine = openMachineLog(url);
    await machine.write(1);
    const begun = performance.now();
    machine.log.append(newCall("alone"));
    machine.shipper.nudge(1);
    await expect.poll(async () => (await copiesOf(admin, machine.tenant)).length).toBe(2);
    // And not with the look that is made once a minute.
    expect(performance.now() - begun).toBeLessThan(40_000);
    for (let n = 0; n < 300; n++) {
      machine.log.append(newCall(`many${n}`));
      machine.shipper.nudge(1);
    }
    await expect.poll(async () => (await copiesOf(admin, machine.tenant)).length).toBe(302);
  });

  it("go on after a restart where the database's head is", async () => {
    const first = openMachineLog(url);
    await first.write(30);
    await first.shipper.close();
    first.log.append(newCall("unseen"));
    first.log.close();
    const second = openMachineLog(url, { tenant: first.tenant, folder: first.folder });
    await second.write(10);
    expect((await copiesOf(admin, first.tenant)).map(({ line }) => line)).toEqual(second.lines());
    expect(await headsOf(admin, first.tenant)).toHaveLength(1);
  });

  it("of a log that is opened for every turn are all there when it is closed, whoever else has it open", async () => {
    const machine = openMachineLog(url);
    const join = () =>
      openAuditShipper({ path: machine.path, log: machine.path }, { url, tenant: machine.tenant, mode: "after" }, () => {});
    for (let turn = 1; turn <= 3; turn++) {
      const one = join();
      const two = join();
      machine.log.append(newCall(`turn ${turn}`));
      one.nudge(1);
      await one.close();
      expect(await copiesOf(admin, machine.tenant)).toHaveLength(turn);
      await two.reach();
      await two.close();
      await two.close();
    }
    await machine.shipper.close();
    // Nobody has it any more, and it is opened again.
    const last = join();
    machine.log.append(newCall("last"));
    await last.reach();
    await last.close();
    expect(await copiesOf(admin, machine.tenant)).toHaveLength(4);
  });

  it("that another process left behind are copied by the next one beside it", async () => {
    const machine = openMachineLog(url);
    const store = openStore("memory");
    // As after kill -9: written, never copied, and nobody holds the lock.
    const dead = openAuditFile(join(machine.folder, "audit.4711.jsonl"), store.anchors);
    for (let n = 0; n < 5; n++) dead.append(newCall(`dead${n}`));
    dead.close();
    const alive = openAuditFile(join(machine.folder, "audit.4712.jsonl"), store.anchors);
    alive.append(newCall("alive"));
    const next = openAuditShipper(
      { path: join(machine.folder, "audit.1.jsonl"), log: join(machine.folder, "audit.jsonl") },
      { url, tenant: machine.tenant, mode: "after" },
      () => {},
      0,
    );
    await expect.poll(async () => (await copiesOf(admin, machine.tenant)).filter(({ writer }) => writer.includes("4711")).length).toBe(5);
    expect((await copiesOf(admin, machine.tenant)).filter(({ writer }) => writer.includes("4712"))).toEqual([]);
    await next.close();
    alive.close();
  });

  it("of a line that a crash cut short are copied byte for byte", async () => {
    const first = openMachineLog(url);
    await first.write(2);
    await first.shipper.close();
    first.log.close();
    const torn = Buffer.concat([Buffer.from('{"kind":"call","args":"'), Buffer.from([0xe2, 0x82, 0x00])]);
    appendFileSync(first.path, torn);
    const unsealed = openAuditShipper({ path: first.path, log: first.path }, { url, tenant: first.tenant, mode: "after" }, () => {}, 0);
    await unsealed.reach();
    await unsealed.close();
    expect(await copiesOf(admin, first.tenant)).toHaveLength(2);
    const second = openMachineLog(url, { tenant: first.tenant, folder: first.folder });
    await second.write(1);
    const copies = await admin.all("select line, raw, hash from audit_lines where tenant = ? order by n", first.tenant);
    expect(copies).toHaveLength(5);
    expect(copies[2]).toMatchObject({ line: "", hash: sha256(torn) });
    expect(Buffer.from(copies[2]!.raw)).toEqual(torn);
    expect(copies[3]!.line).toContain("was cut short");
  });

  it("of a file that is renamed are copied to its end, and the next file is a chain of its own", async () => {
    const machine = openMachineLog(url);
    await machine.write(10);
    machine.log.append(newCall("last of the old file"));
    renameSync(machine.path, `${machine.path}.1`);
    await machine.write(3);
    const heads = await headsOf(admin, machine.tenant);
    expect(heads.map(({ count }) => count).sort((a, b) => a - b)).toEqual([4, 11]);
    const copies = await copiesOf(admin, machine.tenant);
    expect(copies.some(({ line }) => line.includes("last of the old file"))).toBe(true);
    expect(copies.filter(({ line }) => line.includes("was not as it was left"))).toHaveLength(1);
  });

  it("of a file that is cut become a branch, and this is said", async () => {
    const machine = openMachineLog(url);
    await machine.write(10);
    const keep = machine.lines().slice(0, 4).join("\n").length + 1;
    truncateSync(machine.path, keep);
    await machine.write(20);
    const heads = await headsOf(admin, machine.tenant);
    expect(heads.map(({ began, count }) => [began, count])).toEqual([
      [0, 10],
      [4, 25],
    ]);
    expect(machine.warnings.join("\n")).toContain("does not go on with its copy");
    await machine.write(1);
    expect((await headsOf(admin, machine.tenant)).map(({ count }) => count)).toEqual([10, 26]);
    expect(machine.warnings).toHaveLength(1);
  });

  it("of two processes with copies of one file are both kept, and the second one is told", async () => {
    const one = openMachineLog(url);
    await one.write(5);
    const folder = newFolder();
    copyFileSync(one.path, join(folder, "audit.jsonl"));
    const two = openMachineLog(url, { tenant: one.tenant, folder });
    await one.write(2);
    await two.write(3);
    await one.write(2);
    await two.write(3);
    expect((await headsOf(admin, one.tenant)).map(({ began, count }) => [began, count])).toEqual([
      [0, 9],
      [5, 11],
    ]);
    expect(one.warnings).toEqual([]);
    expect(two.warnings.join("\n")).toContain("another process writes a copy of the same file");
    // After a restart the second one finds its own chain.
    await two.shipper.close();
    two.log.close();
    const again = openMachineLog(url, { tenant: one.tenant, folder });
    await again.write(1);
    expect((await headsOf(admin, one.tenant)).map(({ count }) => count)).toEqual([9, 12]);
    expect(again.warnings).toEqual([]);
  });

  it("that the server lost are copied again, and this is said", async () => {
    const machine = openMachineLog(url);
    await machine.write(10);
    const sixth = machine.lines()[5]!;
    const size = machine.lines().slice(0, 6).join("\n").length + 1;
    await admin.run("delete from audit_lines where tenant = ? and n > 6", machine.tenant);
    await admin.run("update audit_heads set count = 6, hash = ?, size = ? where tenant = ?", sha256(sixth), size, machine.tenant);
    await machine.write(1);
    expect((await copiesOf(admin, machine.tenant)).map(({ line }) => line)).toEqual(machine.lines());
    expect(machine.warnings.join("\n")).toContain("4 audit lines");
  });

  it("stand in the way of nobody: other lines under their numbers make a branch", async () => {
    const machine = openMachineLog(url);
    await machine.write(3);
    const { writer } = (await headsOf(admin, machine.tenant))[0]!;
    await admin.run("insert into audit_lines (tenant, writer, n, line, hash) values (?, ?, 4, '{}', 'x')", machine.tenant, writer);
    await machine.write(2);
    expect((await headsOf(admin, machine.tenant)).map(({ began, count }) => [began, count])).toEqual([
      [0, 3],
      [3, 5],
    ]);
    expect(machine.warnings).toHaveLength(1);
  });

  it("can be added by a worker, and neither changed nor deleted", async () => {
    const machine = openMachineLog(url);
    await machine.write(2);
    const worker = openPg({ url, tenant: machine.tenant });
    for (const sql of [
      "update audit_lines set line = ''",
      "delete from audit_lines",
      "insert into audit_lines (tenant, writer, n, line, hash) values (current_setting('zeph.tenant'), 'w', 1, '', '')",
      "update audit_heads set count = 0",
      "delete from audit_heads",
      "insert into audit_checkpoints values (1, '', '', '', '', '', '')",
      "delete from audit_checkpoints",
      "delete from audit_marks",
    ])
      await expect(worker.run(sql)).rejects.toThrow("permission denied");
    const stranger = openPg({ url, tenant: newTenant() });
    expect(await stranger.all("select * from audit_lines")).toEqual([]);
    await worker.close();
    await stranger.close();
  });

  it("settle a call of which nobody knew what came of it, and touch no other", async () => {
    const machine = openMachineLog(url);
    const { tenant } = machine;
    await admin.run("insert into sessions (tenant, id) values (?, 's')", tenant);
    const { id: task } = (await admin.one(
      "insert into tasks (tenant, key, session, format, payload, waits, rank, max_attempts) values (?, 'k', 's', 1, '{}', false, 0, 3) returning id",
      tenant,
    ))!;
    for (const [call, state] of Object.entries({ lost: "unknown", other: "unknown", asked: "unknown", open: "intent" }))
      await admin.run(
        "insert into calls (tenant, task, call, effect, epoch, state) values (?, ?, ?, 'runs', 1, ?)",
        tenant,
        task,
        call,
        state,
      );
    machine.log.append(newCall("lost", { outcome: "failed", error_category: "timeout" }));
    machine.log.append(newCall("asked", { outcome: "unanswered", waiting: true }));
    machine.log.append(newCall("open"));
    machine.log.append({ ...newCall("intended", { args: { call_id: "other", outcome: "ok" } }), kind: "intent" });
    await machine.shipper.reach();
    const { writer } = (await headsOf(admin, tenant))[0]!;
    expect(await admin.all("select call, state, outcome from calls where tenant = ? order by call", tenant)).toEqual([
      { call: "asked", state: "unknown", outcome: null },
      { call: "lost", state: "done", outcome: `failed: timeout (told later by line 1 of ${writer})` },
      { call: "open", state: "intent", outcome: null },
      { call: "other", state: "unknown", outcome: null },
    ]);
  });

  it("stay in the file when the server is away to the end, and this is said", async () => {
    const nobody = url.replace(/:\d+\//, ":1/");
    const machine = openMachineLog(nobody);
    machine.log.append(newCall("1"));
    machine.shipper.nudge(1);
    const reached = machine.shipper.reach().then(
      () => "there",
      () => "closed",
    );
    await machine.shipper.close();
    expect(await reached).toBe("closed");
    expect(machine.warnings.join("\n")).toContain("not at");
    expect(machine.lines()).toHaveLength(1);
  });
});
