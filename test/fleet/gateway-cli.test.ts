import { createServer } from "node:net";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { box } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { startGatewayProcess } from "./gateway-process.ts";
import { ask, newToken } from "./gateway-support.ts";

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

describe.skipIf(!hasPostgres)("zeph serve", () => {
  it("says what is wrong with what was typed, and with what it finds", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const server = inject("postgres");
    const at = (url: string, ...args: string[]) => ["serve", "--port", "0", "--store", url, ...args];
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["serve"], "Name the database that the fleet shares"],
      [at("mysql://x"), "postgres://user@host/database"],
      [at(`${server}?schema=nobody_made`), "has no tables of Zeph yet. Run: zeph store init"],
      [at(server.replace(/:\w+@/, ":wrong@")), "refuses this user or password"],
      [at(store, "--bus", "redis://x"), "A bus is on NATS"],
      [at(store, "--tenant", "No Such"), "A tenant is named"],
      [at(store, "--workspace", "/tmp"), "name it with --tenant"],
      [at(store, "--tenant", "a", "--workspace", "/nowhere"), "/nowhere is not a folder"],
      [at(store, "--url", "fleet.example"), "--url is the address that people use"],
      [["serve", "--store", store, "--port", "70000"], "--port"],
      [["serve", "--store", store, "--port", String(port)], `127.0.0.1:${port} cannot be served`],
    ];
    for (const [args, words] of cases) {
      const { code, stderr } = await box().runProcess(args);
      expect([args, code === 0, stderr]).toEqual([args, false, expect.stringContaining(words)]);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });

  it("warns where tokens would pass as plain text, and not where a proxy is named", async () => {
    const plain = await startGatewayProcess(store, ["--host", "0.0.0.0"]);
    await expect.poll(() => plain.err()).toContain("Put a proxy before it that speaks TLS");
    const behind = await startGatewayProcess(store, ["--host", "0.0.0.0", "--url", "https://fleet.example"]);
    await expect.poll(() => behind.err()).toContain("Ctrl-C");
    expect(behind.err()).toContain("zeph serve: https://fleet.example ");
    expect(behind.err()).not.toContain("plain text");
  });

  it("starts while its database is away, says so, and serves when it is there", async () => {
    const tenant = newTenant();
    const gateway = await startGatewayProcess("postgres://127.0.0.1:9/none");
    expect(gateway.err()).toContain("cannot be reached");
    const token = await newToken(store, tenant, "ann", "user");
    expect((await ask(gateway.url, token, "GET", "/v1/me")).status).toBe(503);
    expect((await ask(gateway.url, null, "GET", "/healthz")).status).toBe(200);
  });
});
