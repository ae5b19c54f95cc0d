import { execFile } from "node:child_process";
import { createConnection } from "node:net";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { startPostgres } from "../../scripts/fleet-servers.mjs";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { SUBJECTS } from "../../src/fleet/bus/subjects.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { createGatewayDoor } from "../../src/runtime/fleet/gateway/gateway-door.ts";
import { createImpatientDb } from "../../src/runtime/fleet/gateway/impatient-db.ts";
import { initStore } from "../../src/store/pg/migrate.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasNats, hasPostgres, makeSchema, newTenant } from "./database.ts";
import { ask, follow, newKey, newToken, startGateway } from "./gateway-support.ts";
import { startIssuer } from "./issuer.ts";

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

describe.skipIf(!hasPostgres)("a gateway", () => {
  it("lets in whoever has a token, and nobody else", async () => {
    const tenant = newTenant();
    const gateway = await startGateway(store);
    const token = await newToken(store, tenant, "ann", "user");
    for (const wrong of [null, "", "zeph_wrong", `${token}x`, "a.b.c"]) {
      const { status, headers, body } = await gateway.ask(wrong, "GET", "/v1/status");
      expect([wrong, status]).toEqual([wrong, 401]);
      expect(headers.get("www-authenticate")).toMatch(/^Bearer realm="zeph"/);
      expect(body.error).toContain("Authorization: Bearer");
    }
    expect((await gateway.ask(token, "GET", "/v1/me")).body).toEqual({ tenant, person: "ann", roles: ["user"] });
  });

  it("takes tokens of an issuer, and says where to get one", async () => {
    const issuer = await startIssuer();
    onTestFinished(() => issuer.close());
    const oidc = { issuer: issuer.url, audience: "zeph", roles: { user: ["devs"] } };
    const gateway = await startGateway(store, { fleet: { oidc } });
    const tenant = newTenant();
    expect((await gateway.ask(await issuer.sign({ tenant }), "GET", "/v1/me")).body).toEqual({ tenant, person: "ann", roles: ["user"] });
    expect((await gateway.ask(await issuer.sign({ tenant, aud: "others" }), "GET", "/v1/me")).status).toBe(401);
    const refused = await gateway.ask(null, "POST", "/mcp", {});
    const [, where] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)!;
    expect(where).toBe(`${gateway.url}/.well-known/oauth-protected-resource/mcp`);
    expect((await gateway.ask(null, "GET", new URL(where!).pathname)).body).toMatchObject({
      resource: `${gateway.url}/mcp`,
      authorization_servers: [issuer.url],
    });
    const own = await startGateway(store);
    expect((await own.ask(null, "GET", "/.well-known/oauth-protected-resource")).status).toBe(404);
  });

  it("takes a task or a list of them, each key once, and shows what became of it", async () => {
    const gateway = await startGateway(store);
    const token = await newToken(store, newTenant(), "ann", "user");
    const key = newKey();
    const one = await gateway.ask(token, "POST", "/v1/tasks", { text: "Do it", key, session: "s 1" });
    expect(one).toMatchObject({ status: 202, body: { key, is_new: true } });
    expect(one.headers.get("location")).toBe(`/v1/tasks/${one.body.id}`);
    const many = await gateway.ask(token, "POST", "/v1/tasks", [
      { text: "Do it", key },
      { text: "And that", on_unknown: "stop", max_attempts: 7 },
    ]);
    expect(many).toMatchObject({ status: 202, body: [{ id: one.body.id, is_new: false }, { is_new: true }] });
    const shown = await gateway.ask(token, "GET", `/v1/tasks/${one.body.id}`);
    expect(shown).toMatchObject({
      status: 200,
      body: { id: one.body.id, key, session: "s 1", state: "queued", text: "Do it", person: "ann", result: null },
    });
    expect(Date.parse(shown.body.created_at)).toBeGreaterThan(0);
    expect((await gateway.ask(token, "GET", "/v1/tasks?session=s%201")).body).toEqual([shown.body]);
    expect((await gateway.ask(token, "GET", "/v1/tasks?state=running")).body).toEqual([]);
    expect((await gateway.ask(token, "GET", "/v1/status")).body).toMatchObject({ tasks: { queued: 2, running: 0 } });
  });

  it("shows nobody what is another tenant's", async () => {
    const gateway = await startGateway(store);
    const [mine, theirs] = [newTenant(), newTenant()];
    const ann = await newToken(store, mine, "ann", "user", "operator", "approver");
    const bob = await newToken(store, theirs, "ann", "user", "operator", "approver");
    const { body } = await gateway.ask(ann, "POST", "/v1/tasks", { text: "secret", key: "k", session: "s" });
    for (const [method, path] of [
      ["GET", `/v1/tasks/${body.id}`],
      ["GET", `/v1/tasks/${body.id}/events`],
      ["POST", `/v1/tasks/${body.id}/cancel`],
    ] as const)
      expect([path, (await gateway.ask(bob, method, path)).status]).toEqual([path, 404]);
    expect((await gateway.ask(bob, "GET", "/v1/tasks?session=s")).body).toEqual([]);
    // The same key is another task there.
    expect((await gateway.ask(bob, "POST", "/v1/tasks", { text: "other", key: "k" })).body.is_new).toBe(true);
    const alone = await startGateway(store, { tenant: theirs });
    expect((await alone.ask(ann, "GET", "/v1/me")).status).toBe(401);
    expect((await alone.ask(bob, "GET", "/v1/me")).status).toBe(200);
  });

  it("asks for the role that something takes", async () => {
    const tenant = newTenant();
    const gateway = await startGateway(store);
    const roles = ["user", "approver", "operator", "auditor"] as const;
    const tokens = await Promise.all(roles.map((role) => newToken(store, tenant, role, role)));
    const id = "00000000-0000-4000-8000-000000000000";
    const table: Record<string, readonly number[]> = {
      "POST /v1/tasks": [202, 403, 403, 403],
      "GET /v1/tasks": [200, 403, 200, 403],
      [`GET /v1/tasks/${id}`]: [404, 403, 404, 403],
      [`GET /v1/tasks/${id}/events`]: [404, 403, 404, 403],
      [`POST /v1/tasks/${id}/cancel`]: [404, 403, 404, 403],
      "POST /v1/sessions/s/messages": [202, 403, 403, 403],
      "GET /v1/approvals": [403, 200, 403, 403],
      [`POST /v1/approvals/${id}`]: [403, 400, 403, 403],
      "POST /v1/workers/none/drain": [403, 403, 404, 403],
      "GET /v1/audit": [403, 403, 403, 200],
      "GET /v1/status": [200, 200, 200, 200],
      "POST /mcp": [501, 403, 403, 403],
    };
    for (const [what, wanted] of Object.entries(table)) {
      const [method, path] = what.split(" ") as [string, string];
      const got = [];
      for (const token of tokens) got.push((await gateway.ask(token, method, path, method === "POST" ? { text: "x" } : undefined)).status);
      expect([what, got]).toEqual([what, wanted]);
    }
  });

  it("lets people end their own tasks, and operators any", async () => {
    const tenant = newTenant();
    const gateway = await startGateway(store);
    const [ann, bob] = [await newToken(store, tenant, "ann", "user"), await newToken(store, tenant, "bob", "user")];
    const operator = await newToken(store, tenant, "olga", "operator");
    const ids = (await gateway.ask(ann, "POST", "/v1/tasks", [{ text: "1" }, { text: "2" }])).body.map(({ id }: { id: string }) => id);
    expect((await gateway.ask(bob, "POST", `/v1/tasks/${ids[0]}/cancel`)).status).toBe(403);
    expect((await gateway.ask(ann, "POST", `/v1/tasks/${ids[0]}/cancel`)).status).toBe(202);
    expect((await gateway.ask(operator, "POST", `/v1/tasks/${ids[1]}/cancel`)).status).toBe(202);
    expect((await gateway.ask(ann, "POST", `/v1/tasks/${ids[0]}/cancel`)).status).toBe(409);
    expect((await gateway.ask(ann, "GET", `/v1/tasks/${ids[0]}`)).body).toMatchObject({
      state: "cancelled",
      cancel: `cancelled by ${tenant}/ann`,
    });
  });

  it("says who is to wait when a tenant's queue is full, and adds none of what it refuses", async () => {
    const gateway = await startGateway(store, { fleet: { max_queued: 3 } });
    const [full, other] = [await newToken(store, newTenant(), "ann", "user"), await newToken(store, newTenant(), "bob", "user")];
    const tasks = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `task ${n}` }));
    expect((await gateway.ask(full, "POST", "/v1/tasks", tasks(3))).status).toBe(202);
    const refused = await gateway.ask(full, "POST", "/v1/tasks", tasks(2));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    expect((await gateway.ask(full, "GET", "/v1/status")).body.tasks.queued).toBe(3);
    expect((await gateway.ask(other, "POST", "/v1/tasks", tasks(3))).status).toBe(202);
  });

  it.each([
    ["no JSON", "{", 400, "not JSON"],
    ["a text", '"task"', 400, "cannot be used"],
    ["an empty list", "[]", 400, "no task"],
    ["a task without a text", "[{}]", 400, 'Task 1: "text"'],
    ["an unknown field", '{"text":"x","sudo":true}', 400, "sudo"],
    ["a NUL", '{"text":"x","key":"a\\u0000"}', 400, "NUL"],
    ["half a character", '{"text":"x","session":"a\\ud800"}', 400, "half a character"],
    ["a password in an address", '{"text":"x","repo":{"url":"https://u:hunter2@host/r"}}', 400, "password"],
    ["too many tasks", JSON.stringify(Array.from({ length: 1001 }, () => ({ text: "x" }))), 400, "at most 1000"],
    ["a body over 1 MB", JSON.stringify({ text: "x".repeat(1024 * 1024) }), 413, "larger than 1 MiB"],
  ])("refuses %s", async (_what, body, status, words) => {
    const gateway = await startGateway(store);
    const token = await newToken(store, newTenant(), "ann", "user");
    const answer = await gateway.ask(token, "POST", "/v1/tasks", body);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(words)]);
    expect(answer.body.error).not.toContain("hunter2");
    expect((await gateway.ask(token, "GET", "/v1/status")).body.tasks.queued).toBe(0);
  });

  it.each(["/v1/tasks/%00", "/v1/tasks?session=a%00b", "/v1/audit?session=%00", "/v1/%00"])(
    "says of %s that it holds a NUL character",
    async (path) => {
      const gateway = await startGateway(store);
      const answer = await gateway.ask(await newToken(store, newTenant(), "ann", "user", "auditor"), "GET", path);
      expect([answer.status, answer.body.error]).toEqual([400, "The address holds a NUL character."]);
    },
  );

  it.each(["/v1/tasks/%ed%a0%80", "/v1/tasks?session=%ed%a0%80", "/v1/tasks?session=a%ff", "/v1/tasks/%c3", "/v1/tasks/%zz"])(
    "says of %s that it cannot be read",
    async (path) => {
      const gateway = await startGateway(store);
      const answer = await gateway.ask(await newToken(store, newTenant(), "ann", "user", "auditor"), "GET", path);
      expect([answer.status, answer.body.error]).toEqual([400, "The address cannot be read."]);
    },
  );

  it("takes no form of a page, no foreign name and no foreign page", async () => {
    const gateway = await startGateway(store);
    const token = await newToken(store, newTenant(), "ann", "user");
    expect((await gateway.ask(token, "POST", "/v1/tasks", "text=x", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(
      415,
    );
    expect((await gateway.ask(token, "GET", "/v1/me", undefined, { origin: "https://evil.example" })).status).toBe(403);
    expect(await rawStatus(gateway.url, `GET /v1/me HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${token}\r\n\r\n`)).toBe(403);
    const proxied = await startGateway(store, { publicly: new URL("https://fleet.example") });
    const through = `GET /v1/me HTTP/1.1\r\nHost: fleet.example\r\nOrigin: https://fleet.example\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    expect(await rawStatus(proxied.url, through)).toBe(200);
    expect(await rawStatus(proxied.url, through.replace("https://fleet", "https://evil"))).toBe(403);
    expect(await rawStatus(proxied.url, through.replace("Host: fleet", "Host: evil"))).toBe(403);
    expect((await gateway.ask(token, "GET", "/v1/nothing")).status).toBe(404);
    expect((await gateway.ask(token, "DELETE", "/v1/tasks")).headers.get("allow")).toBe("POST, GET");
  });

  it("takes no answer from what it started itself, or an agent did", async () => {
    const gateway = await startGateway(store);
    const boss = await newToken(store, newTenant(), "boss", "approver");
    const given = ["-d", '{"answer":"once","digest":"x"}', "-H", "content-type: application/json", "-H", `authorization: Bearer ${boss}`];
    const status = await promisify(execFile)("curl", [
      "-sS",
      "-o",
      "/dev/null",
      "-w",
      "%{http_code}",
      ...given,
      `${gateway.url}/v1/approvals/3fa9c1d2`,
    ]);
    // The same from this process is about a question that is not there.
    expect([status.stdout, (await gateway.ask(boss, "POST", "/v1/approvals/3fa9c1d2", { answer: "once", digest: "x" })).status]).toEqual([
      "403",
      404,
    ]);
  });

  it("answers probes, and is not ready without its database", async () => {
    const server = await startPostgres({ settings: ["fsync = off"] });
    onTestFinished(() => server.stop());
    await initStore(server.url);
    const gateway = await startGateway(server.url);
    const token = await newToken(server.url, "main", "ann", "user");
    const probe = async (path: string) => (await ask(gateway.url, null, "GET", path)).status;
    expect([await probe("/healthz"), await probe("/readyz")]).toEqual([200, 200]);
    await server.crash();
    expect([await probe("/healthz"), await probe("/readyz")]).toEqual([200, 503]);
    const away = await gateway.ask(token, "POST", "/v1/tasks", { text: "x", key: "k" });
    expect([away.status, away.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(away.body.error).not.toContain("127.0.0.1");
    await server.start();
    await vi.waitFor(async () => expect(await probe("/readyz")).toBe(200), { timeout: 25_000, interval: 200 });
    expect((await gateway.ask(token, "POST", "/v1/tasks", { text: "x", key: "k" })).status).toBe(202);
    expect((await gateway.ask(token, "GET", "/v1/status")).body.tasks.queued).toBe(1);
  });

  it("says that the database is away also to those whose token somebody else knows", async () => {
    const db = createImpatientDb(openPg({ url: "postgres://127.0.0.1:9/none", tenant: "main" }));
    const bus = await openBus({ fleet: "nobody" });
    onTestFinished(async () => {
      await bus.close();
      await db.close();
    });
    const door = createGatewayDoor({ db, bus, person: { tenant: "main", person: "ann", roles: ["user"] }, maxQueued: 1, home: "main" });
    const away = { status: 503, retryAfterS: 2, message: expect.not.stringContaining("127.0.0.1") };
    await expect(door.submit([{ text: "x" }])).rejects.toMatchObject(away);
    await expect(door.task("00000000-0000-4000-8000-000000000000")).rejects.toMatchObject(away);
    await expect(door.auditLines(null)[Symbol.asyncIterator]().next()).rejects.toMatchObject(away);
  });

  it("shows operators their own workers, and all of them to those of its home", async () => {
    const home = newTenant();
    const gateway = await startGateway(store, { fleet: { tenant: home } });
    const other = newTenant();
    const db = openPg({ url: store, tenant: home });
    for (const [name, tenant] of [
      ["w-shared", null],
      ["w-theirs", other],
    ] as const)
      await db.all("select register_worker(?, gen_random_uuid(), ?, '1', 4, array[]::text[])", name, tenant);
    await db.close();
    const [boss, theirs] = [await newToken(store, home, "olga", "operator"), await newToken(store, other, "otto", "operator")];
    const names = async (token: string) =>
      (await gateway.ask(token, "GET", "/v1/status")).body.workers.map((one: { name: string }) => one.name);
    expect(await names(boss)).toEqual(["w-shared", "w-theirs"]);
    expect(await names(theirs)).toEqual(["w-theirs"]);
    expect((await gateway.ask(theirs, "GET", "/v1/status")).body.tenants).toBeUndefined();
    expect((await gateway.ask(theirs, "POST", "/v1/workers/w-shared/drain")).status).toBe(404);
    expect((await gateway.ask(theirs, "POST", "/v1/workers/w-theirs/drain")).status).toBe(202);
    expect((await gateway.ask(boss, "POST", "/v1/workers/w-shared/drain")).status).toBe(202);
  });
});

/** A request as it stands on the wire, for what fetch does not send. */
function rawStatus(url: string, text: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(port), hostname, () => socket.write(text));
    socket.once("error", reject);
    socket.once("data", (data) => {
      socket.destroy();
      resolve(Number(String(data).split(" ")[1]));
    });
  });
}

describe.skipIf(!hasPostgres)("events of a task", () => {
  it.skipIf(!hasNats).each([
    ["PostgreSQL", ""],
    ["NATS", "nats"],
  ] as const)("come from a worker to a client of another gateway, over %s", async (_name, kind) => {
    const bus = kind === "nats" ? inject("nats") : "";
    const tenant = newTenant();
    const token = await newToken(store, tenant, "ann", "user");
    const [one, two] = [await startGateway(store, { bus }), await startGateway(store, { bus })];
    const { id } = (await one.ask(token, "POST", "/v1/tasks", { text: "Do it", session: "s" })).body;
    const events = await follow(two.url, token, `/v1/tasks/${id}/events`);
    await vi.waitFor(() => expect(events.messages.length).toBe(1), { timeout: 25_000 });
    expect(events.messages[0]).toMatchObject({ type: "state", id, state: "queued" });
    const worker = await openBus({ url: bus, db: { url: store } });
    onTestFinished(() => worker.close());
    worker.tell(SUBJECTS.out(tenant, "s"), { type: "text", text: "Hello\nworld", task: id, n: 1 });
    worker.tell(SUBJECTS.out(tenant, "s"), { type: "text", text: "not mine", task: "other", n: 1 });
    worker.tell(SUBJECTS.out(newTenant(), "s"), { type: "text", text: "not ours", task: id, n: 1 });
    worker.tell(SUBJECTS.out(tenant, "s"), "x".repeat(100_000));
    await vi.waitFor(() => expect(events.messages.length).toBe(3), { timeout: 25_000 });
    expect(events.messages.slice(1)).toEqual([
      { type: "text", text: "Hello\nworld", task: id, n: 1 },
      { type: "gap", events: 1 },
    ]);
    await one.ask(token, "POST", `/v1/tasks/${id}/cancel`);
    await events.over;
    expect(events.messages.at(-1)).toMatchObject({ type: "end", id, state: "cancelled" });
  });

  it("end at once where the task is over, and say that nothing is kept", async () => {
    const token = await newToken(store, newTenant(), "ann", "user");
    const gateway = await startGateway(store);
    const { id } = (await gateway.ask(token, "POST", "/v1/tasks", { text: "Do it" })).body;
    await gateway.ask(token, "POST", `/v1/tasks/${id}/cancel`);
    const events = await follow(gateway.url, token, `/v1/tasks/${id}/events`, { "last-event-id": "7" });
    await events.over;
    expect(events.messages).toMatchObject([
      { type: "state", state: "cancelled" },
      { type: "end", state: "cancelled" },
    ]);
    expect(events.comments).toEqual([expect.stringContaining("Last-Event-ID is not used")]);
  });

  it("of a session are all that happens there, until the client leaves or the gateway ends", async () => {
    const tenant = newTenant();
    const token = await newToken(store, tenant, "ann", "user");
    const gateway = await startGateway(store);
    const events = await follow(gateway.url, token, "/v1/sessions/talk/events");
    await vi.waitFor(() => expect(events.messages).toEqual([{ type: "listening", session: "talk" }]), { timeout: 25_000 });
    const worker = await openBus({ db: { url: store } });
    onTestFinished(() => worker.close());
    for (const [n, type] of ["text", "end", "text"].entries()) worker.tell(SUBJECTS.out(tenant, "talk"), { type, task: `t${n}` });
    await vi.waitFor(
      () =>
        expect(events.messages.slice(1).map(({ type, task }) => [type, task])).toEqual([
          ["text", "t0"],
          ["end", "t1"],
          ["text", "t2"],
        ]),
      { timeout: 25_000 },
    );
    await gateway.close();
    await events.over;
  });

  it("are so many for a person, and no more", async () => {
    const token = await newToken(store, newTenant(), "ann", "user");
    const gateway = await startGateway(store);
    const streams = await Promise.all(Array.from({ length: 64 }, () => follow(gateway.url, token, "/v1/sessions/talk/events")));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    expect((await follow(gateway.url, token, "/v1/sessions/talk/events")).status).toBe(429);
    streams[0]!.close();
    await vi.waitFor(async () => expect((await follow(gateway.url, token, "/v1/sessions/talk/events")).status).toBe(200), {
      timeout: 25_000,
      interval: 100,
    });
  });

  it.each(["revoked_at = now()", "roles = '{auditor}'"])("end when the token no longer opens them: %s", async (change) => {
    const tenant = newTenant();
    const token = await newToken(store, tenant, "ann", "user");
    const gateway = await startGateway(store);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const events = await follow(gateway.url, token, "/v1/sessions/talk/events");
    await vi.waitFor(() => expect(events.messages.length).toBe(1), { timeout: 25_000 });
    const db = openPg({ url: store, tenant, role: "zeph_gateway", max: 1 });
    onTestFinished(() => db.close());
    await db.run(`update tokens set ${change}`);
    vi.advanceTimersByTime(60_000);
    await events.over;
  });

  it("end also when nobody told of the end", async () => {
    const tenant = newTenant();
    const token = await newToken(store, tenant, "ann", "user");
    const gateway = await startGateway(store);
    const { id } = (await gateway.ask(token, "POST", "/v1/tasks", { text: "Do it" })).body;
    const events = await follow(gateway.url, token, `/v1/tasks/${id}/events`);
    await vi.waitFor(() => expect(events.messages.length).toBe(1), { timeout: 25_000 });
    const db = openPg({ url: store, tenant });
    onTestFinished(() => db.close());
    await createTaskQueue(db).cancel({ id }, "without a hint");
    await events.over;
    expect(events.messages.at(-1)).toMatchObject({ type: "end", state: "cancelled" });
  });

  it("are bounded: a client that takes nothing is told how much it missed, and the gateway keeps a megabyte at most", async () => {
    const tenant = newTenant();
    const token = await newToken(store, tenant, "ann", "user");
    const gateway = await startGateway(store);
    const { id } = (await gateway.ask(token, "POST", "/v1/tasks", { text: "Do it", session: "s" })).body;
    const { hostname, port } = new URL(gateway.url);
    const socket = createConnection(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /v1/tasks/${id}/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    const worker = await openBus({ db: { url: store } });
    onTestFinished(() => worker.close());
    const heard: unknown[] = [];
    await worker.hear(SUBJECTS.out(tenant, "s"), (data) => heard.push(data));
    const sent = 400;
    for (let n = 0; n < sent; n++) {
      worker.tell(SUBJECTS.out(tenant, "s"), { type: "text", task: id, n, text: "x".repeat(50_000) });
      if (n % 50 === 49) await vi.waitFor(() => expect(heard.length).toBe(n + 1), { timeout: 25_000 });
    }
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.resume();
    await vi.waitFor(() => expect(text).toContain('"type":"gap"'), { timeout: 25_000, interval: 200 });
    const missed = Number(/"type":"gap","events":(\d+)/.exec(text)![1]);
    expect(missed).toBeGreaterThan(50);
    expect((text.match(/"type":"text"/g) ?? []).length + missed).toBeGreaterThanOrEqual(sent - 1);
  });
});
