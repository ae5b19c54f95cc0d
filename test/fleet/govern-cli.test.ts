import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthenticator } from "../../src/fleet/govern/authenticator.ts";
import { createFleetConfirm } from "../../src/fleet/govern/confirm.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { box } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("`zeph fleet` at a terminal", () => {
  let url = "";
  const open: Pg[] = [];
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(() => Promise.all(open.map((db) => db.close())));
  const by = userInfo().username;

  function fleet() {
    const tenant = newTenant();
    const db = openPg({ url, tenant, max: 3 });
    open.push(db);
    const here = box();
    const run = (...args: string[]) => here.run(["fleet", ...args, "--store", url, "--tenant", tenant]);
    const ask = (person: string, args: unknown, signal = new AbortController().signal) =>
      Promise.resolve(
        createFleetConfirm({ db, bus: null, session: "s1", person: () => person, redact: (text) => text, pollMs: 20 })(
          { call_id: "c", tool: "bash", args, why: ["No rule allows it."], touches: [] },
          { signal },
        ),
      );
    const waiting = async () => {
      let found: { id: string }[] = [];
      const look = async () => {
        found = JSON.parse((await run("approvals", "--json")).stdout);
        return found.length;
      };
      await expect.poll(look, { timeout: 25_000 }).toBeGreaterThan(0);
      return found[0]!.id;
    };
    return { tenant, db, here, run, ask, waiting };
  }

  it("lists, shows and answers questions of others, by the system's user", async () => {
    const { run, ask, waiting, tenant } = fleet();
    const said = ask("ann", { command: "rm -r \u001b[31mbuild" });
    const id = await waiting();
    const list = await run("approvals");
    expect(list.stdout).toContain(`${id.slice(0, 8)}`);
    expect(list.stdout).toContain("bash for ann, session s1");
    expect(list.stdout).not.toContain("\u001b[31mbuild");
    expect((await run("approvals", id.slice(0, 8))).stdout).toContain("No rule allows it.");
    expect((await run("status")).stdout).toContain("1 question for another person: zeph fleet approvals");
    expect(JSON.parse((await run("status", "--json")).stdout).questions).toBe(1);
    const answered = await run("approve", id.slice(0, 8), "--reason", "It is only a build.");
    expect([answered.code, answered.stdout]).toEqual([0, `Yes, once: bash for ann, answered by ${by}.\n`]);
    expect(await said).toEqual({ answer: "once", by: `${tenant}/${by}`, reason: "It is only a build." });
    const again = await run("deny", id.slice(0, 8));
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("was answered before")]);
    expect((await run("approvals")).stdout).toBe("No question waits for another person.\n");
  });

  it("refuses an answer to one's own question, and words that are no yes", async () => {
    const { run, ask, waiting } = fleet();
    const stop = new AbortController();
    const said = ask(by, { command: "ls" }, stop.signal);
    const id = await waiting();
    expect((await run("approve", id)).stderr).toContain("another person than the one who asked");
    expect((await run("approve", id, "no")).stderr).toContain('"no" is no yes');
    expect((await run("approve")).code).toBe(2);
    expect((await run("approve", "ffffffff")).stderr).toContain("No question, or more than one, begins with ffffffff");
    stop.abort();
    expect(await said).toBeNull();
  });

  it("says no, and keeps proposals for the policy", async () => {
    const { run, ask, waiting } = fleet();
    const first = ask("ann", { n: 1 });
    expect((await run("deny", await waiting())).stdout).toContain("No: bash for ann");
    expect(await first).toMatchObject({ answer: "no" });
    const second = ask("ann", { n: 2 });
    await run("approve", await waiting(), "always");
    expect(await second).toMatchObject({ answer: "session" });
    expect((await run("policy", "proposals")).stdout).toContain(`allow bash; asked by ann, proposed by ${by}`);
  });

  it("pushes a policy that was checked, and goes back to an older one", async () => {
    const { run, here } = fleet();
    const folder = join(here.cwd, "rules");
    mkdirSync(folder);
    const write = (text: string) => writeFileSync(join(folder, "config.toml"), text);
    const rule = (example: string) =>
      `[tools.policy]\nenabled = true\n[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\n${example}\n`;
    write(rule('deny = ["ls"]'));
    expect((await run("policy", "push", folder)).stdout).toBe("Policy 1 is pushed; 1 example ok.\n");
    write(rule('allow = ["ls"]'));
    const wrong = await run("policy", "push", folder);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('The example "ls" should be allowed')]);
    write("[tools]\nfour_eyes = true\n");
    expect(JSON.parse((await run("policy", "push", folder, "--json")).stdout)).toMatchObject({ version: 2 });
    expect((await run("policy", "rollback", "1")).stdout).toContain("Policy 3 is pushed: it says what policy 1 said.");
    const { stdout } = await run("policy", "history");
    expect(stdout.split("\n").map((line) => line.trim().split(/\s+/)[0])).toEqual(["3", "2", "1", ""]);
    expect(stdout).toContain("as policy 1");
    expect((await run("policy", "show", "2")).stdout).toContain("four_eyes = true");
    expect((await run("policy", "rollback", "9")).stderr).toContain("There is no policy 9");
    expect((await run("policy", "push", join(folder, "nowhere"))).code).toBe(2);
  });

  it("makes a token that is shown once, lists and revokes it", async () => {
    const { run, tenant } = fleet();
    const made = await run("token", "add", "ann", "--role", "user,approver", "--until", "90d");
    expect(made.stdout).toMatch(/^zeph_[\w-]{43}\n$/);
    const gateway = openPg({ url, tenant: newTenant(), role: "zeph_gateway", max: 1 });
    open.push(gateway);
    const check = () => createAuthenticator({ db: gateway }).check(`Bearer ${made.stdout.trim()}`);
    expect(await check()).toEqual({ tenant, person: "ann", roles: ["user", "approver"] });
    const [token] = JSON.parse((await run("token", "list", "--json")).stdout);
    expect(token).toMatchObject({ person: "ann", madeBy: by, revokedAt: null });
    expect(JSON.stringify(token)).not.toContain(made.stdout.slice(6, 20));
    expect((await run("token", "revoke", token.id)).stdout).toContain("opens nothing any more");
    expect(await check()).toBeNull();
    expect((await run("token", "revoke", token.id)).code).toBe(2);
    for (const wrong of [["ann", "--role", "king"], ["ann", "--until", "2000-01-01"], ["an n"]])
      expect((await run("token", "add", ...wrong)).code, wrong.join(" ")).toBe(2);
  });

  it("says which database it needs", async () => {
    const { code, stderr } = await box().run(["fleet", "approvals"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--store postgres://")]);
  });
});
