import { copyFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeCheckpoint } from "../../src/fleet/audit/checkpoint.ts";
import { headsText, partsText, rootOf, tenantTag } from "../../src/fleet/audit/checkpoint-form.ts";
import { openCheckpoints } from "../../src/fleet/audit/checkpoints.ts";
import { exportLines } from "../../src/fleet/audit/export.ts";
import { readRoots } from "../../src/fleet/audit/root-log.ts";
import { makeKeyFiles, readPublicKeys, readSigningKey, type SigningKey } from "../../src/fleet/audit/signing-key.ts";
import { type FleetVerification, verifyFleetAudit } from "../../src/fleet/audit/verify.ts";
import type { CheckpointChecks } from "../../src/fleet/audit/verify-checkpoints.ts";
import { sha256 } from "../../src/store/audit/lines.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { headsOf, type Machine, newCall, newFolder, openAuditDatabase, openMachineLog } from "./audit-file.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("verifying copies of audit logs", () => {
  let url: string;
  let admin: Pg;
  let machine: Machine;
  let key: SigningKey;
  let keyFile: string;
  let writer: string;
  beforeAll(async () => {
    ({ url, admin } = await openAuditDatabase());
  });
  /** One machine with 40 lines, of which 30 are signed. */
  beforeEach(async () => {
    await admin.run("truncate audit_checkpoints, audit_marks, audit_heads, audit_lines");
    keyFile = join(newFolder(), "key.pem");
    makeKeyFiles(keyFile);
    key = readSigningKey(keyFile);
    machine = openMachineLog(url);
    await machine.write(30);
    await signAll();
    await machine.write(10);
    writer = (await headsOf(admin, machine.tenant))[0]!.writer;
  });

  const signAll = async (by = key, everyMs = 0) => {
    const db = openPg({ url, max: 1 });
    const made = await makeCheckpoint(db, by, everyMs);
    await db.close();
    return made;
  };
  const verify = async (checks: Partial<CheckpointChecks> = {}, tenant = machine.tenant): Promise<FleetVerification> => {
    const db = openPg({ url, tenant, max: 1 });
    const found = await verifyFleetAudit(db, { keys: readPublicKeys(`${keyFile}.pub`), roots: new Set(), since: null, ...checks });
    await db.close();
    return found;
  };
  const kinds = ({ problems }: FleetVerification) => [...new Set(problems.map(({ kind }) => kind))].sort();
  const change = (sql: string, ...values: readonly unknown[]) => admin.run(sql, ...values);
  /** As somebody would who knows how chains are made: each line after the change has the right hash of the one before it. */
  const rechain = async (from: number) => {
    const rows = await admin.all("select n, line, hash from audit_lines where tenant = ? and n >= ? order by n", machine.tenant, from - 1);
    let before = from === 1 ? "0".repeat(64) : rows[0]!.hash;
    for (const { n, line } of from === 1 ? rows : rows.slice(1)) {
      const text = line.replace(/"prev":"\w+"\}$/, `"prev":"${before}"}`);
      before = sha256(text);
      await change("update audit_lines set line = ?, hash = ? where tenant = ? and n = ?", text, before, machine.tenant, n);
    }
    await change("update audit_heads set hash = ? where tenant = ?", before, machine.tenant);
  };

  it("finds nothing where nothing was changed", async () => {
    expect(await verify()).toMatchObject({
      intact: true,
      chains: 1,
      lines: 40,
      checkpoints: 1,
      signatures: "checked",
      problems: [],
      found: 0,
    });
    expect((await verify({ keys: null })).signatures).toBe("unchecked");
  });

  it("reads and hands out logs that are longer than a page, and lines that fill one", async () => {
    await machine.write(2300);
    await machine.write(6, { args: { text: "x".repeat(1_500_000) } });
    expect(await verify()).toMatchObject({ intact: true, lines: 2346 });
    const db = openPg({ url, tenant: machine.tenant, max: 1 });
    const pages: string[] = [];
    for await (const page of exportLines(db, null)) pages.push(page);
    await db.close();
    const rows = pages.join("").split("\n").slice(0, -1);
    expect(rows.map((row) => row.slice(row.indexOf('"entry":') + 8, -1))).toEqual(machine.lines());
    // A page is a thousand lines, or what fits into a few megabytes.
    expect(pages.length).toBeGreaterThan(3);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(8_000_000);
  });

  it("finds an edited line, and says which", async () => {
    await change("update audit_lines set line = replace(line, 'bash', 'read') where tenant = ? and n = 17", machine.tenant);
    expect((await verify()).problems).toEqual([
      { kind: "line", writer, line: 17, reason: `Line 17 of ${writer} is not what was copied: it was edited.` },
    ]);
  });

  it("finds an edited line whose hash was changed with it", async () => {
    const { line } = (await admin.one("select line from audit_lines where tenant = ? and n = 35", machine.tenant))!;
    const edited = line.replace("bash", "read");
    await change("update audit_lines set line = ?, hash = ? where tenant = ? and n = 35", edited, sha256(edited), machine.tenant);
    const { problems } = await verify();
    expect(problems).toMatchObject([{ kind: "line", line: 36 }]);
    expect(problems[0]!.reason).toContain("Line 36 does not continue line 35");
  });

  it("finds a chain that was rewritten with all its hashes, by what was signed", async () => {
    await change("update audit_lines set line = replace(line, 'bash', 'read') where tenant = ? and n = 17", machine.tenant);
    await rechain(17);
    expect((await verify()).problems).toMatchObject([{ kind: "rewritten", writer, line: 30 }]);
  });

  it("finds a tail that was cut, and one that was cut together with its head", async () => {
    await change("delete from audit_lines where tenant = ? and n > 20", machine.tenant);
    expect(kinds(await verify())).toEqual(["line", "tail"]);
    const { hash } = (await admin.one("select hash from audit_lines where tenant = ? and n = 20", machine.tenant))!;
    await change("update audit_heads set count = 20, hash = ? where tenant = ?", hash, machine.tenant);
    const { problems } = await verify();
    expect(problems).toMatchObject([{ kind: "cut", writer, line: 30 }]);
    expect(problems[0]!.reason).toContain("signed 30 lines of it, and its head says 20");
  });

  it("finds a whole chain that was dropped, with and without its head", async () => {
    await change("delete from audit_heads where tenant = ?", machine.tenant);
    expect(kinds(await verify())).toEqual(["dropped"]);
    await change("delete from audit_lines where tenant = ?", machine.tenant);
    expect((await verify()).problems).toMatchObject([{ kind: "dropped", writer, line: 30 }]);
    await change("delete from audit_marks where tenant = ?", machine.tenant);
    expect((await verify()).problems).toMatchObject([{ kind: "checkpoint", reason: expect.stringContaining("which ones is gone") }]);
  });

  it("finds lines that changed places", async () => {
    await change("update audit_lines set n = 1000 + (case n when 8 then 9 else 8 end) where tenant = ? and n in (8, 9)", machine.tenant);
    await change("update audit_lines set n = n - 1000 where tenant = ? and n > 1000", machine.tenant);
    expect((await verify()).problems.map(({ kind, line }) => [kind, line])).toEqual([
      ["line", 8],
      ["line", 9],
      ["line", 10],
    ]);
  });

  it("finds a line that is missing, and one that was put behind the head", async () => {
    await change("delete from audit_lines where tenant = ? and n = 12", machine.tenant);
    await change(
      "insert into audit_lines (tenant, writer, n, line, hash) values (?, ?, 41, '{}', ?)",
      machine.tenant,
      writer,
      sha256("{}"),
    );
    expect((await verify()).problems.map(({ kind, line }) => [kind, line])).toEqual([
      ["line", 41],
      ["line", 13],
    ]);
  });

  it("finds a forged checkpoint", async () => {
    await change("delete from audit_lines where tenant = ? and n > 20", machine.tenant);
    const { hash } = (await admin.one("select hash from audit_lines where tenant = ? and n = 20", machine.tenant))!;
    await change("update audit_heads set count = 20, hash = ? where tenant = ?", hash, machine.tenant);
    // Everything is right about it but the signature, which takes the key.
    const heads = headsText([{ writer, count: 20, hash }]);
    const checkpoint = {
      n: 1,
      at: new Date().toISOString(),
      previous: "0".repeat(64),
      parts: partsText(new Map([[machine.tenant, heads]])),
    };
    await change("update audit_marks set heads = ? where tenant = ?", heads, machine.tenant);
    await change("update audit_checkpoints set at = ?, parts = ?, root = ?", checkpoint.at, checkpoint.parts, rootOf(checkpoint));
    expect(await verify({ keys: null })).toMatchObject({ intact: true, signatures: "unchecked" });
    expect((await verify()).problems).toMatchObject([
      { kind: "checkpoint", reason: expect.stringContaining("not signed with a key that was given") },
    ]);
  });

  it.each([
    {
      what: "another time",
      sql: "update audit_checkpoints set at = '2020-01-01T00:00:00.000Z' where n = 2",
      says: "Checkpoint 2 was changed",
    },
    {
      what: "another root before it",
      sql: "update audit_checkpoints set previous = repeat('1', 64) where n = 2",
      says: "does not stand on the one before it",
    },
    {
      what: "another text of heads",
      sql: "update audit_marks set heads = heads || ' ' where checkpoint = 2",
      says: "of this tenant was changed",
    },
    { what: "a gap", sql: "delete from audit_checkpoints where n = 2", says: "Checkpoint 2 is missing" },
  ])("finds a checkpoint with $what", async ({ sql, says }) => {
    await signAll();
    await machine.write(5);
    await signAll();
    expect((await verify()).checkpoints).toBe(3);
    await change(sql);
    const { problems } = await verify();
    expect(kinds(await verify())).toContain("checkpoint");
    expect(problems.map(({ reason }) => reason).join("\n")).toContain(says);
  });

  it("finds that checkpoints at the end are gone only by a root that was kept", async () => {
    const { checkpoint } = await signAll();
    await change("delete from audit_checkpoints where n = 2");
    await change("delete from audit_marks where checkpoint = 2");
    await change("delete from audit_lines where tenant = ? and n > 30", machine.tenant);
    const { hash } = (await admin.one("select hash from audit_lines where tenant = ? and n = 30", machine.tenant))!;
    await change("update audit_heads set count = 30, hash = ? where tenant = ?", hash, machine.tenant);
    expect((await verify()).intact).toBe(true);
    expect((await verify({ roots: new Set([checkpoint!.root]) })).problems).toMatchObject([{ kind: "root" }]);
  });

  it("finds two processes that write copies of one file", async () => {
    const folder = newFolder();
    copyFileSync(machine.path, join(folder, "audit.jsonl"));
    const other = openMachineLog(url, { tenant: machine.tenant, folder });
    await machine.write(1);
    await other.write(2);
    const found = await verify();
    expect(found.problems.map(({ kind, line }) => [kind, line])).toEqual([["branch", 41]]);
    expect(found.problems[0]!.reason).toContain("two processes write copies of one file");
    expect(found).toMatchObject({ chains: 2, lines: 43 });
  });

  it("repeats what a machine has noted about its own file", async () => {
    truncateSync(machine.path, machine.lines().slice(0, 5).join("\n").length + 1);
    await machine.write(1);
    expect(kinds(await verify())).toEqual(["branch", "noted"]);
  });

  it("looks only at what came since a moment, where one is given", async () => {
    await change("update audit_lines set at = now() - interval '2 days' where tenant = ? and n <= 25", machine.tenant);
    await change("update audit_lines set line = '{}' where tenant = ? and n = 3", machine.tenant);
    const yesterday = new Date(Date.now() - 24 * 3600_000);
    expect(await verify({ since: yesterday })).toMatchObject({ intact: true, lines: 15 });
    expect((await verify()).intact).toBe(false);
    await change("update audit_lines set line = '{}' where tenant = ? and n = 26", machine.tenant);
    expect((await verify({ since: yesterday })).problems).toMatchObject([{ line: 26 }, { line: 26 }]);
  });

  it("tells tenants apart, and a checkpoint names none of them", async () => {
    const other = openMachineLog(url);
    await other.write(3);
    const { checkpoint } = await signAll();
    expect(checkpoint!.parts.split("\n")).toHaveLength(2);
    expect(checkpoint!.parts).toContain(tenantTag(other.tenant));
    expect(checkpoint!.parts).not.toContain(other.tenant);
    await change("delete from audit_lines where tenant = ?", machine.tenant);
    expect(await verify({}, other.tenant)).toMatchObject({ intact: true, lines: 3, checkpoints: 2 });
    expect((await verify()).intact).toBe(false);
    const worker = openPg({ url, tenant: other.tenant, max: 1 });
    expect(await worker.all("select tenant from audit_marks")).toEqual([{ tenant: other.tenant }]);
    await worker.close();
  });

  it("is not fooled by a checkpoint that claims to have signed what nobody signed", async () => {
    await change("update audit_heads set signed = count");
    await change("insert into audit_checkpoints select 2, at, root, '', repeat('f', 64), signature, key from audit_checkpoints");
    const { checkpoint, odd } = await signAll();
    expect(odd).toMatchObject({ n: 2 });
    expect(checkpoint).toMatchObject({ n: 3 });
    // Nor kept from signing by one that is a moment old.
    await change(
      "insert into audit_checkpoints select 4, at, root, '', repeat('e', 64), signature, key from audit_checkpoints where n = 3",
    );
    expect((await signAll(key, 60_000)).checkpoint).toMatchObject({ n: 5 });
    expect((await signAll(key, 60_000)).checkpoint).toBeNull();
    const worker = openPg({ url, max: 1 });
    await expect(worker.run("select audit_checkpoint(9000, '', '', '', '', '', '', '{}', '{}')")).rejects.toThrow("does not stand on");
    await worker.close();
    expect(await admin.one("select heads from audit_marks where checkpoint = 3")).toMatchObject({ heads: expect.stringMatching(/^40 /) });
  });
});

describe.skipIf(!hasPostgres)("signing checkpoints", () => {
  it("is done by one of many at a time, and not twice within the time that is given", async () => {
    const url = await makeSchema();
    const folder = newFolder();
    makeKeyFiles(join(folder, "key"));
    const key = readSigningKey(join(folder, "key"));
    const machine = openMachineLog(url, { tenant: newTenant() });
    await machine.write(1);
    const dbs = Array.from({ length: 6 }, () => openPg({ url, max: 1 }));
    onTestFinished(async () => void (await Promise.all(dbs.map((db) => db.close()))));
    const made = await Promise.all(dbs.map((db) => makeCheckpoint(db, key, 60_000)));
    expect(made.filter(({ checkpoint }) => checkpoint)).toHaveLength(1);
    machine.log.append(newCall("more"));
    await machine.shipper.reach();
    expect((await makeCheckpoint(dbs[0]!, key, 60_000)).checkpoint).toBeNull();
    expect((await makeCheckpoint(dbs[0]!, key, 0)).checkpoint).toMatchObject({ n: 2 });
    // Nothing moved.
    expect((await makeCheckpoint(dbs[0]!, key, 0)).checkpoint).toBeNull();
  });

  it("goes on as long as it is open, keeps each root in a file, and says when a key is another", async () => {
    const url = await makeSchema();
    const folder = newFolder();
    for (const name of ["one", "two"]) makeKeyFiles(join(folder, name));
    const machine = openMachineLog(url);
    await machine.write(3);
    const said: string[] = [];
    const sign = (name: string) =>
      openCheckpoints({
        url,
        key: join(folder, name),
        log: join(folder, "roots"),
        onRoot: ({ n, root }) => said.push(`${n} ${root}`),
        warn: (message) => said.push(message),
      });
    const first = sign("one");
    await expect.poll(() => said.length).toBe(1);
    await first.close();
    const [, root] = said[0]!.split(" ");
    expect(readFileSync(join(folder, "roots"), "utf8")).toMatch(new RegExp(`^1 \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z ${root}\n$`));
    expect([...readRoots(join(folder, "roots"))]).toEqual([root]);
    expect(statSync(join(folder, "roots")).mode & 0o777).toBe(0o600);

    const admin = openPg({ url, bare: true, max: 1 });
    await admin.run("update audit_checkpoints set made_at = now() - interval '1 hour'");
    await admin.close();
    const second = sign("two");
    await expect.poll(() => said.length).toBe(3);
    await second.close();
    expect(said[1]).toContain("Checkpoint 1 of the audit log is signed with the key");
    expect(said[2]).toMatch(/^2 [0-9a-f]{64}$/);
    expect(() => sign("three")).toThrow("cannot be read as a key");
  });
});
