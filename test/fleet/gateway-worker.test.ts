import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { box } from "../e2e/zeph.ts";
import { hasNats, hasPostgres, makeSchema, newTenant } from "./database.ts";
import { startGatewayProcess } from "./gateway-process.ts";
import { ask, follow, newToken } from "./gateway-support.ts";

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

/** A worker whose model writes a file with a command and says so. */
function startWorker(tenant: string, bus: string): void {
  const turns = [[calls("write", { path: "made.txt", content: "by a worker\n" })], [says("All "), says("done.")]];
  const here = scripted(box(), turns, 'autonomy = "full"\n[fleet]\nlease_ms = 3000\n');
  const file = join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml");
  here.config(readFileSync(file, "utf8").replace('"turns.json"', JSON.stringify(join(here.cwd, "turns.json"))));
  here.start(["worker", "--tenant", tenant], { ZEPH_STORE: store, ZEPH_BUS: bus, XDG_DATA_HOME: join(here.root, "data") });
}

describe.skipIf(!hasPostgres || !hasNats).each([
  ["PostgreSQL", (): string => ""],
  ["NATS", (): string => inject("nats")],
])("a task between two gateways and a worker, with %s as the bus", (_name, address) => {
  it("is given on one, followed on the other, and its result is the same on both", async () => {
    const bus = address();
    const args = bus === "" ? [] : ["--bus", bus];
    const [one, two] = [await startGatewayProcess(store, args), await startGatewayProcess(store, args)] as const;
    const tenant = newTenant();
    const ann = await newToken(store, tenant, "ann", "user", "auditor");
    const { id } = (await ask(one.url, ann, "POST", "/v1/tasks", { text: "Make a file" })).body;
    const events = await follow(two.url, ann, `/v1/tasks/${id}/events`);
    await vi.waitFor(() => expect(events.messages[0]).toMatchObject({ type: "state", state: "queued" }), { timeout: 25_000 });
    startWorker(tenant, bus);
    await events.over;
    expect(events.messages.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["state", "turn_start", "tool_start", "tool_end", "text", "done", "end"]),
    );
    expect(events.messages.at(-1)).toMatchObject({ type: "end", state: "done", result: { ok: true, text: "All done.", unknown: 0 } });
    const [here, there] = [await ask(one.url, ann, "GET", `/v1/tasks/${id}`), await ask(two.url, ann, "GET", `/v1/tasks/${id}`)];
    expect(here.body).toEqual(there.body);

    const said = await ask(one.url, ann, "POST", "/v1/sessions/talk/messages", { text: "And again", key: "k" });
    expect(said).toMatchObject({ status: 202, body: { session: "talk", n: 1 } });
    expect((await ask(two.url, ann, "POST", "/v1/sessions/talk/messages", { text: "And again", key: "k" })).body).toEqual(said.body);
    const turn = async () => (await ask(two.url, ann, "GET", "/v1/sessions/talk/messages/1")).body.task;
    await vi.waitFor(async () => expect(await turn()).toMatch(/^[0-9a-f-]{36}$/), { timeout: 25_000, interval: 200 });
    const after = await follow(two.url, ann, `/v1/tasks/${await turn()}/events`);
    await after.over;
    expect(after.messages.at(-1)).toMatchObject({ type: "end", state: "done" });

    const audit = async () => (await ask(two.url, ann, "GET", "/v1/audit?since=2020-01-01")).body;
    await vi.waitFor(async () => expect(await audit()).toContain('"tool":"write"'), { timeout: 25_000, interval: 500 });
    for (const line of (await audit()).trim().split("\n")) expect(JSON.parse(line).entry).toBeDefined();
    expect((await ask(two.url, ann, "GET", "/v1/audit?since=yesterday")).status).toBe(400);
  });
});
