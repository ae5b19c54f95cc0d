import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { box } from "../e2e/zeph.ts";
import { newFolder, openAuditDatabase, openMachineLog } from "./audit-file.ts";
import { hasPostgres, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("zeph worker with a key for checkpoints", () => {
  it.each([["of one tenant"], ["of all tenants"]])("%s signs where audit logs end", async (whose) => {
    const { url } = await openAuditDatabase();
    const tenant = newTenant();
    await openMachineLog(url, { tenant, folder: newFolder() }).write(1);
    const here = box();
    Object.assign(here.env, { ZEPH_STORE: url, XDG_DATA_HOME: join(here.root, "data") });
    const [key, roots] = [join(here.root, "checkpoint.pem"), join(here.root, "roots.txt")];
    expect((await here.run(["fleet", "audit", "keygen", key])).code).toBe(0);
    here.config(`[fleet]\ncheckpoint_key = ${JSON.stringify(key)}\ncheckpoint_log = ${JSON.stringify(roots)}\n`);
    const worker = here.start(["worker", ...(whose === "of one tenant" ? ["--tenant", tenant] : [])]);
    let said = "";
    worker.stderr.on("data", (data) => {
      said += data;
    });
    await expect.poll(() => said).toMatch(/^audit checkpoint 1 .*[0-9a-f]{64}/m);
    expect(readFileSync(roots, "utf8")).toMatch(/^1 .*[0-9a-f]{64}/m);
    const verified = await here.run(["fleet", "audit", "verify", "--tenant", tenant, "--key", `${key}.pub`, "--root", roots]);
    expect(verified.code).toBe(0);
  });
});
