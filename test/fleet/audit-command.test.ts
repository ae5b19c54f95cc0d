import { spawn } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { makeCheckpoint } from "../../src/fleet/audit/checkpoint.ts";
import { readSigningKey } from "../../src/fleet/audit/signing-key.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { newCall, newFolder, openAuditDatabase, openMachineLog } from "./audit-file.ts";
import { hasPostgres, newTenant } from "./database.ts";

const root = join(import.meta.dirname, "../..");

describe.skipIf(!hasPostgres)("zeph fleet audit", () => {
  it("checks copies and hands them out, with the exit codes of zeph audit verify", async () => {
    const { url, admin } = await openAuditDatabase();
    const tenant = newTenant();
    const folder = newFolder();
    const key = join(folder, "key.pem");
    const fleet = (...words: string[]) => zephCommand(folder, ["fleet", "audit", ...words, "--store", url, "--tenant", tenant]);
    expect(await fleet("verify")).toMatchObject({ code: 2, err: expect.stringContaining("no audit lines") });
    expect(await fleet("keygen", key)).toMatchObject({ code: 0, out: expect.stringContaining("fleet.checkpoint_key") });
    expect([statSync(key).mode & 0o777, statSync(`${key}.pub`).mode & 0o777]).toEqual([0o600, 0o644]);
    expect(await fleet("keygen", key)).toMatchObject({ code: 2, err: expect.stringContaining("no key is ever overwritten") });

    const machine = openMachineLog(url, { tenant });
    await machine.write(2500);
    machine.log.append(newCall("odd", { args: { text: "\u009b31m\u202e" } }));
    await machine.shipper.reach();
    const db = openPg({ url, max: 1 });
    const { checkpoint } = await makeCheckpoint(db, readSigningKey(key), 0);
    await db.close();
    const roots = join(folder, "roots");
    writeFileSync(roots, `${checkpoint!.n} ${checkpoint!.at} ${checkpoint!.root}\n`);
    const intact = await fleet("verify", "--key", `${key}.pub`, "--root", roots);
    expect(intact).toMatchObject({ code: 0, err: "" });
    expect(intact.out).toContain("intact, 2501 lines of 1 file");
    expect(intact.out).toContain(`root ${checkpoint!.root}`);

    const exported = (await fleet("export", "--since", "1h")).out;
    const rows = exported.split("\n").slice(0, -1);
    expect(rows).toHaveLength(2501);
    expect(rows.map((row) => row.slice(row.indexOf('"entry":') + 8, -1))).toEqual(machine.lines());
    expect((await fleet("export", "--since", "2090-01-01")).out).toBe("");

    await admin.run("update audit_lines set line = replace(line, 'bash', 'read') where tenant = ? and n = 2222", tenant);
    const broken = await fleet("verify", "--key", `${key}.pub`, "--root", "f".repeat(64), "--json");
    expect(broken.code).toBe(5);
    expect(JSON.parse(broken.out)).toMatchObject({ intact: false, problems: [{ kind: "line", line: 2222 }, { kind: "root" }] });
    expect((await fleet("verify")).out).toMatch(/not intact[\s\S]*Line 2222 of/);
  });
});

async function zephCommand(home: string, args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: "1" };
  const child = spawn(process.execPath, [join(root, "bin/zeph.cjs"), ...args], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { out, err, code };
}
