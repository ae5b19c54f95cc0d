import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { box, ended } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

/** The address of a server that has just ended: nothing listens there. */
async function addressOfNobody(): Promise<string> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return `postgres://zeph:a-secret-word@127.0.0.1:${port}/none`;
}

/** Resolves when the child has said this to people. */
const said = (child: ChildProcessWithoutNullStreams, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let seen = "";
    child.stderr.on("data", (chunk) => {
      seen += chunk;
      if (seen.includes(text)) resolve();
    });
    child.on("close", () => reject(new Error(`It ended without saying ${JSON.stringify(text)}. It said: ${seen}`)));
  });

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));

describe("a database that is away", () => {
  it("is told by every command that asks it once, in place of a silent wait", async () => {
    const here = box();
    const store = await addressOfNobody();
    writeFileSync(join(here.cwd, "tasks.jsonl"), '{"text": "one"}\n');
    for (const words of [
      ["submit", "hello"],
      ["submit", "--file", "tasks.jsonl", "--batch", "spring", "--limit", "a=3"],
      ["fleet", "status"],
      ["fleet", "cancel", "--batch", "spring"],
      ["fleet", "drain", "w1"],
      ["fleet", "results", "spring"],
      ["fleet", "token", "list"],
      ["fleet", "policy", "history"],
    ]) {
      const { code, stdout, stderr } = await here.run([...words, "--store", store]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("cannot be reached");
      // What the person asked for needs no bus, and what is printed names no password.
      expect(stderr).not.toMatch(/The bus|a-secret-word/);
    }
  });

  it.each([
    ["of all tenants", []],
    ["of one tenant", ["--tenant", "acme"]],
  ])("is waited for by a worker %s, which says so and ends when it is told to", async (_, more) => {
    const here = box();
    const worker = here.start(["worker", "--name", "w1", "--store", await addressOfNobody(), ...more]);
    await said(worker, "The database does not answer yet.");
    worker.kill("SIGTERM");
    const { code, stdout, stderr } = await ended(worker);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).not.toContain("takes tasks of");
  });

  it("is named by its address where nobody knows the host, also by a gateway", async () => {
    const here = box();
    for (const words of [["fleet", "status"], ["serve", "--port", "0"], ["worker"]]) {
      const { code, stderr } = await here.run([...words, "--store", "postgres://zeph:a-secret-word@nobody.invalid/zeph"]);
      expect(code).toBe(2);
      expect(stderr).toContain("postgres://zeph@nobody.invalid/zeph cannot be reached");
      expect(stderr).not.toMatch(/--port|a-secret-word/);
    }
  });
});

/** A way to the server that can be closed and opened again. */
async function openWay(url: string) {
  const { hostname, port } = new URL(url);
  const through = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname);
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      through.add(one);
      one.on("error", () => {}).on("close", () => two.destroy());
      one.pipe(two);
    }
  });
  const at = await listen(server, 0);
  const close = () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const one of through) one.destroy();
    return closed;
  };
  onTestFinished(() => void close());
  const address = new URL(url);
  address.host = `127.0.0.1:${at}`;
  return { url: address.href, close, open: () => listen(server, at) };
}

describe.skipIf(!hasPostgres)("whoever waits for a task", () => {
  it.each([
    ["one", ["submit", "Make a file", "--wait"]],
    ["a batch", ["submit", "--file", "tasks.jsonl", "--batch", "spring", "--wait"]],
  ])("waits through the time that the database is away: %s", async (what, words) => {
    const url = await makeSchema();
    const way = await openWay(url);
    const tenant = newTenant();
    const here = box();
    writeFileSync(join(here.cwd, "tasks.jsonl"), '{"text": "Make a file"}\n');
    const db = openPg({ url, tenant, role: "zeph_gateway", max: 1 });
    onTestFinished(() => db.close());
    const queue = createTaskQueue(db);
    const waiting = here.start([...words, "--store", way.url, "--tenant", tenant]);
    await expect.poll(async () => (await queue.status()).counts.queued).toBe(1);
    await way.close();
    await said(waiting, "Waiting for it; Ctrl-C ends the waiting.");
    await queue.cancel({ id: (await queue.list())[0]!.id }, "nobody wants it");
    await way.open();
    const { stdout, stderr } = await ended(waiting);
    expect(what === "one" ? stderr : stdout).toContain(what === "one" ? "nobody wants it" : "1 cancelled");
  });

  it("ends a feeding by Ctrl-C while the database is away", async () => {
    const url = await makeSchema();
    const way = await openWay(url);
    const tenant = newTenant();
    const here = box();
    const feeding = here.start(["submit", "--file", "-", "--batch", "spring", "--store", way.url, "--tenant", tenant]);
    const line = (n: number) => `${JSON.stringify({ text: `task ${n}` })}\n`;
    // So many are sent at once.
    feeding.stdin.write(Array.from({ length: 500 }, (_, n) => line(n)).join(""));
    const db = openPg({ url, tenant, role: "zeph_gateway", max: 1 });
    onTestFinished(() => db.close());
    await expect.poll(async () => (await createTaskQueue(db).status()).counts.queued).toBe(500);
    await way.close();
    feeding.stdin.write(Array.from({ length: 500 }, (_, n) => line(500 + n)).join(""));
    await said(feeding, "The bus on");
    feeding.kill("SIGINT");
    expect(await ended(feeding)).toMatchObject({ code: 130, stdout: expect.stringContaining("500 lines: 500 new.") });
  });
});
