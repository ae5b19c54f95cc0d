import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openMcpProcesses } from "../../src/front/gateway/mcp/processes.ts";
import { BIN, box } from "../e2e/zeph.ts";
import { connected, textOf } from "../mcp/server-support.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { ALLOW_WRITES, callRead, callWrite, connectPerson } from "./gateway-clients.ts";
import { startGatewayProcess } from "./gateway-process.ts";
import { ask, newToken, startGateway } from "./gateway-support.ts";

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

const childrenOf = (pid: number): string[] => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);

describe.skipIf(!hasPostgres)("gateways with a process for each tenant", () => {
  it("let nobody speak for somebody else, from outside or beside them", async () => {
    const tenant = newTenant();
    const gateway = await startGatewayProcess(store, [], ALLOW_WRITES);
    const ann = await newToken(store, tenant, "ann", "user");
    const sly = await connected(`${gateway.url}/mcp`, {
      headers: { authorization: `Bearer ${ann}`, "zeph-person": "boss", "zeph-secret": "guessed" },
    });
    expect((await callWrite(sly, "a.txt")).isError).toBeUndefined();
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

  it("outlive the process of a tenant, whose people begin anew", async () => {
    const gateway = await startGatewayProcess(store);
    const [ann, cleo] = [await newToken(store, newTenant(), "ann", "user"), await newToken(store, newTenant(), "cleo", "user")];
    const first = await connectPerson(gateway, ann);
    const [child] = childrenOf(gateway.pid);
    const other = await connectPerson(gateway, cleo);
    process.kill(Number(child), "SIGKILL");
    await vi.waitFor(() => expect(gateway.err()).toContain("ended: SIGKILL. Its sessions are over."), { timeout: 25_000 });
    await expect(first.listTools()).rejects.toThrow();
    expect((await other.listTools()).tools.length).toBeGreaterThan(0);
    await vi.waitFor(async () => expect((await (await connectPerson(gateway, ann)).listTools()).tools.length).toBeGreaterThan(0), {
      timeout: 25_000,
      interval: 500,
    });
  });

  it("end the process of a tenant that nobody uses", async () => {
    const place = box();
    const env = { ...place.env, ZEPH_STORE: store };
    const launch = (tenant: string) => ({ command: [process.execPath, BIN, "serve", "--tenant", tenant], env, user: null });
    const gateway = await startGateway(store, { mcp: openMcpProcesses({ launch, idleMs: 1000, warn: () => {} }) });
    const ann = await newToken(store, newTenant(), "ann", "user");
    const before = childrenOf(process.pid);
    const one = await connected(`${gateway.url}/mcp`, { headers: { authorization: `Bearer ${ann}` } });
    const mine = () => childrenOf(process.pid).filter((pid) => !before.includes(pid));
    expect(mine().length).toBe(1);
    await (one.transport as StreamableHTTPClientTransport).terminateSession();
    await one.close();
    await vi.waitFor(() => expect(mine()).toEqual([]), { timeout: 25_000, interval: 200 });
    expect(
      (await (await connected(`${gateway.url}/mcp`, { headers: { authorization: `Bearer ${ann}` } })).listTools()).tools.length,
    ).toBeGreaterThan(0);
  });

  it("end with Ctrl-C, with everything that they began", async () => {
    const gateway = await startGatewayProcess(store, [], ALLOW_WRITES);
    const ann = await newToken(store, newTenant(), "ann", "user");
    const kept = await connectPerson(gateway, ann);
    await kept.listTools();
    const children = childrenOf(gateway.pid);
    expect(children.length).toBe(1);
    gateway.kill("SIGINT");
    expect(await gateway.ended).toBe(0);
    for (const pid of children) await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), { timeout: 25_000 });
  });

  it("serve one tenant alone in their own process, in the folders they are given", async () => {
    const tenant = newTenant();
    const work = join(box().root, "shared");
    mkdirSync(work);
    writeFileSync(join(work, "a.txt"), "shared\n");
    const gateway = await startGatewayProcess(store, ["--tenant", tenant, "--workspace", work]);
    const [ann, other] = [await newToken(store, tenant, "ann", "user"), await newToken(store, newTenant(), "otto", "user")];
    expect(textOf(await callRead(await connectPerson(gateway, ann), "a.txt"))).toContain("shared");
    expect((await ask(gateway.url, other, "GET", "/v1/me")).status).toBe(401);
  });
});
