import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgent } from "../../src/index.ts";
import { openStore } from "../../src/store/open.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { calls, ends, scripted, says as speaks } from "../e2e/scripted.ts";
import { type Box, box, jsonLines } from "../e2e/zeph.ts";
import { all, asks, done, modelSaying, says } from "../talking.ts";
import { workspace } from "../workspace.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("one process on a shared store", () => {
  let url = "";
  let admin: Pg;
  const place = workspace([{ op: "file", path: "work/a.txt", content: "a zebra\n" }]);
  beforeAll(async () => {
    url = await makeSchema();
    admin = openPg({ url, bare: true });
  });
  afterAll(async () => {
    await admin.close();
    place.remove();
  });

  const agentOf = (tenant: string, model: ReturnType<typeof modelSaying>, more: object = {}) =>
    createAgent({
      cwd: place.work,
      store: url,
      config: {
        audit: { path: join(place.state, `${tenant}.jsonl`) },
        store: { path: join(place.state, `${tenant}.db`) },
        fleet: { tenant },
        tools: { permissions: { read: [{ pattern: "*", action: "allow" }] } },
      },
      model,
      ...more,
    });
  const number = async (table: string, tenant: string) =>
    (await admin.one(`select count(*) as number from ${table} where tenant = ?`, tenant))!.number;

  it("an agent works there as it does on a file, and another goes on with its conversation", async () => {
    const tenant = newTenant();
    const first = await agentOf(tenant, modelSaying([asks("read", { path: "a.txt" })], [says("A zebra.")]));
    const events = await all(first.send("what is in a.txt?"));
    expect(done(events)).toMatchObject({ why: "answered" });
    const conversation = first.conversation!;
    await first.close();
    expect(await number("messages", tenant)).toBe(4);

    const model = modelSaying([says("Still a zebra.")]);
    const second = await agentOf(tenant, model, { conversation });
    expect(await second.history()).toMatchObject([{ text: "what is in a.txt?" }, {}, { role: "tool" }, {}]);
    await all(second.send("and now?"));
    expect(model.given[0]!.messages).toHaveLength(5);
    expect((await second.zeph.call("memory_search", { query: "zebra" })).ok).toBe(true);
    await second.close();
    expect(await number("messages", tenant)).toBe(6);
  });

  it("keeps what is about this machine in the file, and what machines share out of it", async () => {
    const tenant = newTenant();
    const agent = await agentOf(tenant, modelSaying([asks("read", { path: "a.txt" })], [says("Yes.")]));
    await all(agent.send("hello"));
    await agent.close();
    const local = openStore(join(place.state, `${tenant}.db`));
    expect(await local.conversations.list({ limit: 9 })).toEqual([]);
    expect(local.anchors.files()).toEqual([join(place.state, `${tenant}.jsonl`)]);
    await local.close();
  });

  it.each([
    ["there is no server", (at: URL) => Object.assign(at, { port: "1" }), "cannot be reached"],
    ["the password is wrong", (at: URL) => Object.assign(at, { password: "wrong-password" }), "refuses this user or password"],
    ["there is no such database", (at: URL) => Object.assign(at, { pathname: "/nobody" }), "There is no such database"],
    [
      "there are no tables",
      (at: URL) => Object.assign(at, { search: "?schema=nobody_made" }),
      "has no tables of Zeph yet. Run: zeph store init",
    ],
  ])("says so in words when %s, and no password", async (_what, change, words) => {
    const at = change(new URL(url));
    const opened = createAgent({
      cwd: place.work,
      store: at.href,
      config: {
        audit: { path: join(place.state, "audit-2.jsonl"), ship: "off" } as never,
        store: { path: join(place.state, "local-2.db") },
      },
      model: modelSaying([says("Yes.")]),
    });
    const told = await opened.then(
      async (agent) => {
        const events = await all(agent.send("hello")).catch((error: Error) => error.message);
        await agent.close();
        return JSON.stringify(events);
      },
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(told).toContain(words);
    expect(told).not.toContain(new URL(url).password);
    expect(told).not.toContain("wrong-password");
  });

  describe("from the command line", () => {
    const here = (): { readonly box: Box; readonly set: readonly string[]; readonly tenant: string } => {
      const tenant = newTenant();
      const turns = [[calls("read", { path: "turns.json" }), ends("calls")], [speaks("Done.")]];
      return { box: scripted(box(), turns), tenant, set: ["--set", `store.url=${url}`, "--set", `fleet.tenant=${tenant}`] };
    };

    it("zeph run writes there, and another process lists, continues and deletes", async () => {
      const { box: where, set, tenant } = here();
      const ran = await where.runProcess([...set, "run", "--json", "--yes", "Look at it"]);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(jsonLines(ran.stdout).at(-1)).toMatchObject({ type: "done" });
      const listed = JSON.parse((await where.run([...set, "sessions", "--json"])).stdout);
      expect(listed).toMatchObject([{ title: "Look at it", messages: 4 }]);
      expect(JSON.parse((await where.run(["sessions", "--json"])).stdout)).toEqual([]);
      expect(await where.runProcess([...set, "run", "--continue", listed[0].id, "--yes", "Go on"])).toMatchObject({ code: 0 });
      expect(await number("messages", tenant)).toBe(8);
      expect((await where.run([...set, "sessions", "delete", listed[0].id])).code).toBe(0);
      expect(await number("messages", tenant)).toBe(0);
    });

    it("ZEPH_STORE names it as well, and zeph config shows where it comes from without its password", async () => {
      const { box: where, tenant } = here();
      const env = { ZEPH_STORE: url, ZEPH_FLEET_TENANT: tenant };
      const ran = await where.run(["run", "--yes", "Look at it"], { env });
      expect(ran.code).toBe(0);
      expect(ran.stderr).not.toContain("ZEPH_");
      expect(await number("conversations", tenant)).toBe(1);
      const shown = await where.run(["config", "explain", "store.url"], { env });
      expect(shown.stdout).toContain("ZEPH_STORE");
      expect(shown.stdout).toContain("***@127.0.0.1");
      expect(shown.stdout).not.toContain(new URL(url).password);
    });

    it("a project's file cannot name it, trusted or not", async () => {
      const { box: where, tenant } = here();
      where.write(".zeph/config.toml", `[store]\nurl = "${url}"\n[fleet]\ntenant = "${tenant}"\n`);
      expect((await where.run(["run", "--yes", "Look at it"])).code).toBe(0);
      expect(await where.run(["trust"])).toMatchObject({ code: 0 });
      const { stderr } = await where.run(["run", "--yes", "Look at it"]);
      expect(stderr).toContain('"store.url" in');
      expect(stderr).toContain('"fleet" in');
      expect(await number("conversations", tenant)).toBe(0);
      expect(JSON.parse((await where.run(["sessions", "--json"])).stdout)).toHaveLength(2);
    });
  });
});
