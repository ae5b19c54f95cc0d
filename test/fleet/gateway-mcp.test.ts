import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { createPolicies } from "../../src/fleet/govern/policies.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { box } from "../e2e/zeph.ts";
import { connected, REVISIONS, type Revision, textOf } from "../mcp/server-support.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { ask, newToken } from "./gateway-support.ts";

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

const client = (gateway: GatewayProcess, token: string, revision: Revision = "2025-11-25") =>
  connected(`${gateway.url}/mcp`, { revision, headers: { authorization: `Bearer ${token}` } });
const write = (to: Client, path: string, content = "written\n") => to.callTool({ name: "write", arguments: { path, content } });
const read = (to: Client, path: string) => to.callTool({ name: "read", arguments: { path } });

/** Pushes the policy of a tenant, as `zeph fleet policy push` does. */
async function push(tenant: string, config: string): Promise<void> {
  const db = openPg({ url: store, tenant, role: "zeph_gateway", max: 1 });
  const bus = await openBus({ db: { url: store } });
  await createPolicies(db, bus).push({ format: 1, files: { "config.toml": config } }, "test");
  await bus.close();
  await db.close();
}

const ALLOW_WRITES = '[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n';

describe.skipIf(!hasPostgres)("two gateways with MCP sessions on one store", () => {
  it.each(REVISIONS)("work for people of two tenants, each in a folder of their own (%s)", async (revision) => {
    const [here, there] = [newTenant(), newTenant()];
    const gateway = await startGatewayProcess(store, [], ALLOW_WRITES);
    const [ann, bob, cleo] = [
      await newToken(store, here, "ann", "user"),
      await newToken(store, here, "bob", "user"),
      await newToken(store, there, "ann", "user"),
    ];
    const clients = [
      await client(gateway, ann, revision),
      await client(gateway, bob, revision),
      await client(gateway, cleo, revision),
    ] as const;
    expect((await clients[0].listTools()).tools.map(({ name }) => name)).toContain("write");
    for (const [n, one] of clients.entries()) expect(textOf(await write(one, "a.txt", `${n}\n`))).not.toContain("error");
    expect(readFileSync(join(gateway.folderOf(here, "ann"), "a.txt"), "utf8")).toBe("0\n");
    expect(readFileSync(join(gateway.folderOf(here, "bob"), "a.txt"), "utf8")).toBe("1\n");
    expect(readFileSync(join(gateway.folderOf(there, "ann"), "a.txt"), "utf8")).toBe("2\n");
    const foreign = await read(clients[2], join(gateway.folderOf(here, "ann"), "a.txt"));
    expect([foreign.isError, textOf(foreign)]).toEqual([true, expect.not.stringContaining("0\n")]);
    // A process for each tenant, and a log for each.
    const logs = [here, there].map((tenant) =>
      readFileSync(join(gateway.place.env.XDG_STATE_HOME!, "zeph/tenants", tenant, "zeph/audit.jsonl"), "utf8"),
    );
    expect(
      logs.map((text) =>
        [
          ...new Set(
            text
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line).caller_id),
          ),
        ]
          .filter(Boolean)
          .sort(),
      ),
    ).toEqual([[`${here}/ann`, `${here}/bob`], [`${there}/ann`]]);
  });

  it("know a session only as whose it is, and one of a gateway that is gone not at all", async () => {
    const tenant = newTenant();
    const [one, two] = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const [ann, bob] = [await newToken(store, tenant, "ann", "user"), await newToken(store, tenant, "bob", "user")];
    const post = (gateway: GatewayProcess, token: string, body: object, headers: Record<string, string> = {}) =>
      ask(gateway.url, token, "POST", "/mcp", body, { accept: "application/json, text/event-stream", ...headers });
    const begun = await post(one, ann, {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    });
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await post(one, ann, list, session)).status).toBe(200);
    expect((await post(one, bob, list, session)).status).toBe(404);
    expect((await post(two, ann, list, session)).status).toBe(404);
    const kept = await client(one, ann);
    one.kill("SIGKILL");
    await one.ended;
    await expect(kept.listTools()).rejects.toThrow();
    expect((await post(two, ann, list, session)).status).toBe(404);
    expect((await (await client(two, ann)).listTools()).tools.length).toBeGreaterThan(0);
  });

  it("follow the policy of the tenant, and nobody else's, as soon as it is pushed", async () => {
    const [tenant, other] = [newTenant(), newTenant()];
    await push(tenant, ALLOW_WRITES);
    await push(other, ALLOW_WRITES);
    const gateways = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const [ann, cleo] = [await newToken(store, tenant, "ann", "user"), await newToken(store, other, "cleo", "user")];
    const anns = await Promise.all(gateways.map((gateway) => client(gateway, ann)));
    const cleos = await client(gateways[0]!, cleo);
    for (const one of [...anns, cleos]) expect((await write(one, "a.txt")).isError).toBeUndefined();
    await push(tenant, '[[tools.permissions.write]]\npattern = "*"\naction = "deny"\n');
    for (const one of anns)
      await vi.waitFor(async () => expect(textOf(await write(one, "a.txt"))).toMatch(/denied|forbid|refused|rule/i), {
        timeout: 60_000,
        interval: 200,
      });
    expect((await write(cleos, "a.txt")).isError).toBeUndefined();
  });

  it("share what a person may use in a day", async () => {
    const tenant = newTenant();
    await push(tenant, `${ALLOW_WRITES}[fleet.quota]\ncalls_per_day = 25\n`);
    const gateways = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const [ann, bob] = [await newToken(store, tenant, "ann", "user"), await newToken(store, tenant, "bob", "user")];
    const clients = await Promise.all(gateways.map((gateway) => client(gateway, ann)));
    const results = await Promise.all(Array.from({ length: 40 }, (_, n) => write(clients[n % 2]!, `${n}.txt`)));
    const refused = results.filter(({ isError }) => isError);
    expect(results.length - refused.length).toBeLessThanOrEqual(25);
    expect(results.length - refused.length).toBeGreaterThan(5);
    expect(textOf(refused[0]!)).toMatch(/25|day|quota/i);
    expect((await write(await client(gateways[0]!, bob), "bob.txt")).isError).toBeUndefined();
  });

  it("ask on one, and another person answers on the other", async () => {
    const tenant = newTenant();
    const [one, two] = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const ann = await newToken(store, tenant, "ann", "user", "approver");
    const boss = await newToken(store, tenant, "boss", "approver");
    const asking = await client(one, ann);
    const file = join(one.folderOf(tenant, "ann"), "asked.txt");
    const waiting = async () => {
      let found: any[] = [];
      await vi.waitFor(
        async () => {
          found = (await ask(two.url, boss, "GET", "/v1/approvals")).body;
          expect(found.length).toBe(1);
        },
        { timeout: 60_000, interval: 200 },
      );
      return found[0];
    };
    const written = write(asking, "asked.txt", "yes\n");
    const question = await waiting();
    expect(question).toMatchObject({ asked_by: "ann", question: { tool: "write", args: { path: "asked.txt", content: "yes\n" } } });
    const answer = (token: string, given: object) => ask(two.url, token, "POST", `/v1/approvals/${question.id}`, given);
    expect((await answer(ann, { answer: "once", digest: question.digest })).status).toBe(403);
    expect((await answer(boss, { answer: "once", digest: "another" })).status).toBe(409);
    expect(existsSync(file)).toBe(false);
    expect((await answer(boss, { answer: "once", digest: question.digest })).status).toBe(200);
    expect((await answer(boss, { answer: "no", digest: question.digest })).status).toBe(409);
    expect((await written).isError).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe("yes\n");
    const refused = write(asking, "refused.txt");
    const second = await waiting();
    await ask(two.url, boss, "POST", `/v1/approvals/${second.id}`, { answer: "no", digest: second.digest, reason: "Not in this folder." });
    expect(textOf(await refused)).toContain("Not in this folder.");
    expect((await ask(two.url, boss, "POST", "/v1/approvals/zzzz", { answer: "no", digest: "x" })).status).toBe(404);
  });

  it("keep a question whose client gave up, and the same call finds the answer; the session's end takes it back", async () => {
    const tenant = newTenant();
    const gateway = await startGatewayProcess(store);
    const [ann, boss] = [await newToken(store, tenant, "ann", "user"), await newToken(store, tenant, "boss", "approver")];
    const asking = await client(gateway, ann);
    const open = async () => (await ask(gateway.url, boss, "GET", "/v1/approvals")).body;
    const gone = new AbortController();
    const given = asking.callTool({ name: "write", arguments: { path: "a.txt", content: "yes" } }, { signal: gone.signal });
    await vi.waitFor(async () => expect((await open()).length).toBe(1), { timeout: 60_000, interval: 200 });
    gone.abort();
    await expect(given).rejects.toThrow();
    const [question] = await open();
    expect(question).toMatchObject({ question: { tool: "write" } });
    await ask(gateway.url, boss, "POST", `/v1/approvals/${question.id}`, { answer: "once", digest: question.digest });
    expect((await write(asking, "a.txt", "yes")).isError).toBeUndefined();
    expect(await open()).toEqual([]);
    void write(asking, "b.txt").catch(() => {});
    await vi.waitFor(async () => expect((await open()).length).toBe(1), { timeout: 60_000, interval: 200 });
    await (asking.transport as StreamableHTTPClientTransport).terminateSession();
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 60_000, interval: 200 });
  });

  it("let nobody speak for somebody else, from outside or beside them", async () => {
    const tenant = newTenant();
    const gateway = await startGatewayProcess(store, [], ALLOW_WRITES);
    const ann = await newToken(store, tenant, "ann", "user");
    const sly = await connected(`${gateway.url}/mcp`, {
      headers: { authorization: `Bearer ${ann}`, "zeph-person": "boss", "zeph-secret": "guessed" },
    });
    expect((await write(sly, "a.txt")).isError).toBeUndefined();
    expect(existsSync(join(gateway.folderOf(tenant, "ann"), "a.txt"))).toBe(true);
    expect(existsSync(gateway.folderOf(tenant, "boss"))).toBe(false);
    const [socket] = readdirSync(tmpdir())
      .filter((name) => name.startsWith("zeph-gateway-"))
      .flatMap((name) => readdirSync(join(tmpdir(), name)).map((inner) => join(tmpdir(), name, inner, "s")));
    expect(statSync(dirname(socket!)).mode & 0o777).toBe(0o700);
    const status = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        request({ socketPath: socket!, path: "/mcp", method: "GET", headers }, (answer) => resolve(answer.resume().statusCode))
          .on("error", reject)
          .end();
      });
    expect(await status({ "zeph-person": "boss" })).toBe(403);
    expect(await status({ "zeph-person": "boss", "zeph-secret": "guessed" })).toBe(403);
  });

  it("end with Ctrl-C, with everything that they began", async () => {
    const gateway = await startGatewayProcess(store, [], ALLOW_WRITES);
    const ann = await newToken(store, newTenant(), "ann", "user");
    const kept = await client(gateway, ann);
    await kept.listTools();
    const children = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    expect(children.length).toBe(1);
    gateway.kill("SIGINT");
    expect(await gateway.ended).toBe(0);
    for (const pid of children) await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), { timeout: 60_000 });
  });

  it("serve one tenant alone in their own process, in the folders they are given", async () => {
    const tenant = newTenant();
    const work = join(box().root, "shared");
    mkdirSync(work);
    writeFileSync(join(work, "a.txt"), "shared\n");
    const gateway = await startGatewayProcess(store, ["--tenant", tenant, "--workspace", work]);
    const [ann, other] = [await newToken(store, tenant, "ann", "user"), await newToken(store, newTenant(), "otto", "user")];
    expect(textOf(await read(await client(gateway, ann), "a.txt"))).toContain("shared");
    expect((await ask(gateway.url, other, "GET", "/v1/me")).status).toBe(401);
  });
});
