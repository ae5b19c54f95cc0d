import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { createPolicies } from "../../src/fleet/govern/policies.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { REVISIONS, textOf } from "../mcp/server-support.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { ALLOW_WRITES, callRead, callWrite, connectPerson } from "./gateway-clients.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { ask, newToken } from "./gateway-support.ts";

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

/** Pushes the policy of a tenant, as `zeph fleet policy push` does. */
async function push(tenant: string, config: string): Promise<void> {
  const db = openPg({ url: store, tenant, role: "zeph_gateway", max: 1 });
  const bus = await openBus({ db: { url: store } });
  await createPolicies(db, bus).push({ format: 1, files: { "config.toml": config } }, "test");
  await bus.close();
  await db.close();
}

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
      await connectPerson(gateway, ann, revision),
      await connectPerson(gateway, bob, revision),
      await connectPerson(gateway, cleo, revision),
    ] as const;
    expect((await clients[0].listTools()).tools.map(({ name }) => name)).toContain("write");
    for (const [n, one] of clients.entries()) expect(textOf(await callWrite(one, "a.txt", `${n}\n`))).not.toContain("error");
    expect(readFileSync(join(gateway.folderOf(here, "ann"), "a.txt"), "utf8")).toBe("0\n");
    expect(readFileSync(join(gateway.folderOf(here, "bob"), "a.txt"), "utf8")).toBe("1\n");
    expect(readFileSync(join(gateway.folderOf(there, "ann"), "a.txt"), "utf8")).toBe("2\n");
    const foreign = await callRead(clients[2], join(gateway.folderOf(here, "ann"), "a.txt"));
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
    const kept = await connectPerson(one, ann);
    one.kill("SIGKILL");
    await one.ended;
    await expect(kept.listTools()).rejects.toThrow();
    expect((await post(two, ann, list, session)).status).toBe(404);
    expect((await (await connectPerson(two, ann)).listTools()).tools.length).toBeGreaterThan(0);
  });

  it("follow the policy of the tenant, and nobody else's, as soon as it is pushed", async () => {
    const [tenant, other] = [newTenant(), newTenant()];
    await push(tenant, ALLOW_WRITES);
    await push(other, ALLOW_WRITES);
    const gateways = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const [ann, cleo] = [await newToken(store, tenant, "ann", "user"), await newToken(store, other, "cleo", "user")];
    const anns = await Promise.all(gateways.map((gateway) => connectPerson(gateway, ann)));
    const cleos = await connectPerson(gateways[0]!, cleo);
    for (const one of [...anns, cleos]) expect((await callWrite(one, "a.txt")).isError).toBeUndefined();
    await push(tenant, '[[tools.permissions.write]]\npattern = "*"\naction = "deny"\n');
    for (const one of anns)
      await vi.waitFor(async () => expect(textOf(await callWrite(one, "a.txt"))).toMatch(/denied|forbid|refused|rule/i), {
        timeout: 25_000,
        interval: 200,
      });
    expect((await callWrite(cleos, "a.txt")).isError).toBeUndefined();
  });

  it("share what a person may use in a day", async () => {
    const tenant = newTenant();
    await push(tenant, `${ALLOW_WRITES}[fleet.quota]\ncalls_per_day = 25\n`);
    const gateways = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const [ann, bob] = [await newToken(store, tenant, "ann", "user"), await newToken(store, tenant, "bob", "user")];
    const clients = await Promise.all(gateways.map((gateway) => connectPerson(gateway, ann)));
    const results = await Promise.all(Array.from({ length: 40 }, (_, n) => callWrite(clients[n % 2]!, `${n}.txt`)));
    const refused = results.filter(({ isError }) => isError);
    expect(results.length - refused.length).toBeLessThanOrEqual(25);
    expect(results.length - refused.length).toBeGreaterThan(5);
    expect(textOf(refused[0]!)).toMatch(/25|day|quota/i);
    expect((await callWrite(await connectPerson(gateways[0]!, bob), "bob.txt")).isError).toBeUndefined();
  });

  it("ask on one, and another person answers on the other", async () => {
    const tenant = newTenant();
    const [one, two] = [await startGatewayProcess(store), await startGatewayProcess(store)];
    const ann = await newToken(store, tenant, "ann", "user", "approver");
    const boss = await newToken(store, tenant, "boss", "approver");
    const asking = await connectPerson(one, ann);
    const file = join(one.folderOf(tenant, "ann"), "asked.txt");
    const waiting = async () => {
      let found: any[] = [];
      await vi.waitFor(
        async () => {
          found = (await ask(two.url, boss, "GET", "/v1/approvals")).body;
          expect(found.length).toBe(1);
        },
        { timeout: 25_000, interval: 200 },
      );
      return found[0];
    };
    const written = callWrite(asking, "asked.txt", "yes\n");
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
    const refused = callWrite(asking, "refused.txt");
    const second = await waiting();
    await ask(two.url, boss, "POST", `/v1/approvals/${second.id}`, { answer: "no", digest: second.digest, reason: "Not in this folder." });
    expect(textOf(await refused)).toContain("Not in this folder.");
    expect((await ask(two.url, boss, "POST", "/v1/approvals/zzzz", { answer: "no", digest: "x" })).status).toBe(404);
  });

  it("keep a question whose client gave up, and the same call finds the answer; the session's end takes it back", async () => {
    const tenant = newTenant();
    const gateway = await startGatewayProcess(store);
    const [ann, boss] = [await newToken(store, tenant, "ann", "user"), await newToken(store, tenant, "boss", "approver")];
    const asking = await connectPerson(gateway, ann);
    const open = async () => (await ask(gateway.url, boss, "GET", "/v1/approvals")).body;
    const gone = new AbortController();
    const given = asking.callTool({ name: "write", arguments: { path: "a.txt", content: "yes" } }, { signal: gone.signal });
    await vi.waitFor(async () => expect((await open()).length).toBe(1), { timeout: 25_000, interval: 200 });
    gone.abort();
    await expect(given).rejects.toThrow();
    const [question] = await open();
    expect(question).toMatchObject({ question: { tool: "write" } });
    await ask(gateway.url, boss, "POST", `/v1/approvals/${question.id}`, { answer: "once", digest: question.digest });
    expect((await callWrite(asking, "a.txt", "yes")).isError).toBeUndefined();
    expect(await open()).toEqual([]);
    void callWrite(asking, "b.txt").catch(() => {});
    await vi.waitFor(async () => expect((await open()).length).toBe(1), { timeout: 25_000, interval: 200 });
    await (asking.transport as StreamableHTTPClientTransport).terminateSession();
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 25_000, interval: 200 });
  });
});
