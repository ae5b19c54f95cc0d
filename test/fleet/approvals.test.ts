import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../scripts/fleet-servers.mjs";
import type { Answer, ConfirmAnswer, Question } from "../../src/core/event.ts";
import { fleetCallerId } from "../../src/core/ports/fleet/person.ts";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { SUBJECTS } from "../../src/fleet/bus/subjects.ts";
import { createFleetApprovals } from "../../src/fleet/govern/approvals.ts";
import { createFleetConfirm, type FleetConfirmParts } from "../../src/fleet/govern/confirm.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { createRuntime } from "../../src/index.ts";
import { initStore } from "../../src/store/pg/migrate.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const question = (args: unknown, more: Partial<Question> = {}): Question => ({
  call_id: "c",
  tool: "bash",
  args,
  why: ["No rule allows it."],
  touches: [],
  ...more,
});

describe.skipIf(!hasPostgres)("a question that another person answers", () => {
  let url = "";
  const open: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(() => Promise.all(open.map((db) => db.close())));

  /** A tenant with a worker that asks and a gateway where people answer. */
  function fleet() {
    const tenant = newTenant();
    const connect = (role: "zeph_worker" | "zeph_gateway") => {
      const db = openPg({ url, tenant, role, max: 12 });
      open.push(db);
      return db;
    };
    const worker = connect("zeph_worker");
    const gateway = connect("zeph_gateway");
    const approvals = createFleetApprovals(gateway, null);
    const confirm = (more: Partial<FleetConfirmParts> = {}) =>
      createFleetConfirm({ db: worker, bus: null, session: "s", person: () => "ann", redact: (text) => text, pollMs: 20, ...more });
    const ask = (asked: Question, more: Partial<FleetConfirmParts> = {}, signal = new AbortController().signal) =>
      Promise.resolve(confirm(more)(asked, { signal }));
    const waiting = async (count = 1) => {
      await expect.poll(async () => (await approvals.open()).length, { timeout: 25_000 }).toBe(count);
      return (await approvals.open())[0]!;
    };
    const answer = async (by: string, said: Answer, id?: string, digest?: string) => {
      const found = id === undefined ? await waiting() : (await approvals.find(id))!;
      return approvals.answer(found.id, { answer: said, by, digest: digest ?? found.digest });
    };
    return { tenant, worker, gateway, approvals, confirm, ask, waiting, answer };
  }

  it("is not answered by whoever asked, nor about other arguments, and of two answers one counts", async () => {
    const { approvals, ask, waiting, answer, tenant } = fleet();
    const said = ask(question({ command: "rm -r build" }));
    const { id, askedBy } = await waiting();
    expect(askedBy).toBe("ann");
    expect(await answer("ann", "once", id)).toBe("own");
    expect(await answer("Ann", "once", id)).toBe("own");
    expect(await answer("bob", "once", id, "0".repeat(64))).toBe("other arguments");
    const people = Array.from({ length: 12 }, (_, n) => `bob${n}`);
    const ends = await Promise.all(people.map((by) => answer(by, "once", id)));
    expect(ends.sort()).toEqual([...Array<string>(11).fill("answered"), "counted"]);
    const { answeredBy } = (await approvals.find(id.slice(0, 8)))!;
    expect(await said).toEqual({ answer: "once", by: `${tenant}/${answeredBy}` });
    expect(await answer("bob", "no", id)).toBe("answered");
    expect(await approvals.open()).toEqual([]);
  });

  it("waits for an answer that is under way: it counts, and the second one does not", async () => {
    const { gateway, ask, waiting, answer, tenant } = fleet();
    const said = ask(question({}));
    const { id } = await waiting();
    const admin = openPg({ url, bare: true, max: 1 });
    open.push(admin);
    let late: Promise<string> | null = null;
    await gateway.together(async (rows) => {
      await rows.run("update approvals set answer = 'no', answered_by = 'bob', answered_at = now() where id = ?", id);
      late = answer("cem", "once", id);
      const blocked =
        "select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%from approvals where id%'";
      await expect.poll(async () => (await admin.one(blocked))!.n, { timeout: 25_000 }).toBe(1);
    });
    expect(await late).toBe("answered");
    expect(await said).toEqual({ answer: "no", by: `${tenant}/bob` });
  });

  it("is told over the bus, so nobody waits for the next look", async () => {
    const bus = await openBus({ db: { url } });
    open.push(bus);
    const { ask, gateway, tenant } = fleet();
    const approvals = createFleetApprovals(gateway, bus);
    const asked = new Promise<void>((resolve) => void bus.hear(SUBJECTS.ask(tenant), () => resolve()));
    const said = ask(question({}), { bus, pollMs: 600_000 });
    await asked;
    const [found] = await approvals.open();
    expect(await approvals.answer(found!.id, { answer: "once", by: "bob", digest: found!.digest })).toBe("counted");
    expect(await said).toEqual({ answer: "once", by: `${tenant}/bob` });
  });

  it("is what a real call waits for; the log names who asked and who answered", async () => {
    const { confirm, answer, tenant } = fleet();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-approval-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const audit = join(folder, "audit.jsonl");
    mkdirSync(join(folder, "work"));
    const zeph = await createRuntime({
      cwd: join(folder, "work"),
      config: { audit: { path: audit }, tools: { four_eyes: true } },
      store: "memory",
      confirm: confirm(),
    });
    onTestFinished(() => zeph.close());
    const call = (path: string) => zeph.call("write", { path, content: "x" }, { callerId: fleetCallerId({ tenant, person: "ann" }) });
    const first = call("a.txt");
    await answer("bob", "once");
    expect((await first).ok).toBe(true);
    const second = call("b.txt");
    await answer("cem", "no");
    expect(await second).toMatchObject({ ok: false, decision: { verdict: "deny", by: `${tenant}/cem` } });
    const lines = readFileSync(audit, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ kind }) => kind === "call")).toMatchObject([
      { caller_id: `${tenant}/ann`, approved_by: `${tenant}/bob` },
      { caller_id: `${tenant}/ann`, refused_by: `${tenant}/cem` },
    ]);
  });

  it("is refused by the database itself where the answer is the asker's own", async () => {
    const { gateway, ask, waiting } = fleet();
    const stop = new AbortController();
    const said = ask(question({}), {}, stop.signal);
    const { id } = await waiting();
    const own = gateway.run("update approvals set answer = 'once', answered_by = 'ann', answered_at = now() where id = ?", id);
    await expect(own).rejects.toThrow("approvals_by_another");
    stop.abort();
    expect(await said).toBeNull();
  });

  it("cannot be answered by a worker, whose rights end at asking", async () => {
    const { worker, ask, waiting } = fleet();
    const stop = new AbortController();
    void ask(question({}), {}, stop.signal);
    const { id } = await waiting();
    const statements = [
      `update approvals set answer = 'once', answered_by = 'bob', answered_at = now() where id = '${id}'`,
      `update approvals set asked_by = 'bob', digest = 'x' where id = '${id}'`,
      `insert into approvals (session, asked_by, question, digest, shown, until, answer, answered_by, answered_at) values ('s', 'a', '{}', 'd', 's', now(), 'once', 'b', now())`,
      "delete from approvals",
      `insert into grants (session, approval, kind, asked_by, digest, shown, given_by, until) values ('s', '${id}', 'edits', 'ann', '', '', 'bob', now())`,
      "insert into policies (version, bundle, hash, pushed_by) values (1, '{}', '', 'bob')",
      "select push_policy('{}', '', 'bob', null)",
      "select * from tokens",
      "select * from find_token('x')",
      "update quotas set used = 0",
    ];
    for (const sql of statements) await expect(worker.run(sql), sql).rejects.toThrow("permission denied");
    stop.abort();
  });

  it("is a no after its time", async () => {
    const { ask, approvals, answer, worker } = fleet();
    expect(await ask(question({ n: 1 }), { waitMs: () => 60 })).toEqual({ answer: "no", by: "zeph", reason: "Nobody answered in time." });
    const row = await worker.one("select id from approvals");
    expect(await answer("bob", "once", row!.id)).toBe("over");
    expect(await approvals.open()).toEqual([]);
  });

  it("is found again by the worker that takes the session over, also when the answer came in between", async () => {
    const { ask, waiting, answer, approvals, tenant } = fleet();
    const killed = new AbortController();
    const first = ask(
      question({ n: 1 }, { why: ["/one/s/x is not known."] }),
      { workspace: "/one/s", fence: () => held(1) },
      killed.signal,
    );
    const { id } = await waiting();
    killed.abort();
    await first;
    const second = ask(question({ n: 1 }, { why: ["/two/s/x is not known."] }), { workspace: "/two/s", fence: () => held(2) });
    await answer("bob", "once", id);
    expect(await second).toEqual({ answer: "once", by: `${tenant}/bob` });
    expect(await approvals.open()).toEqual([]);

    const again = new AbortController();
    const third = ask(question({ n: 1 }), { fence: () => held(2) }, again.signal);
    const asked = await waiting();
    expect(asked.id).not.toBe(id);
    again.abort();
    await third;
    await answer("bob", "no", asked.id);
    expect(await ask(question({ n: 1 }), { fence: () => held(3) })).toEqual({ answer: "no", by: `${tenant}/bob` });
  });

  it("is not answered to a worker that lost the session", async () => {
    const { ask, waiting, answer, tenant } = fleet();
    const late = ask(question({}), { fence: () => held(1) });
    await waiting();
    const now = ask(question({}), { fence: () => held(2) });
    expect(await late).toEqual({ unasked: expect.stringContaining("held by another worker") });
    await answer("bob", "once");
    expect(await now).toEqual({ answer: "once", by: `${tenant}/bob` });
    expect(await ask(question({ other: 1 }), { fence: () => held(2), waitMs: () => 1 })).toMatchObject({ answer: "no" });
  });

  it.each<[string, Question, Partial<FleetConfirmParts>]>([
    ["the reasons are others", question({ n: 1 }, { why: ["A stranger wrote it."] }), {}],
    ["the change is another one", question({ n: 1 }, { preview: "+ other" }), {}],
    ["another person asks", question({ n: 1 }), { person: () => "bob" }],
    ["the walls are gone", question({ n: 1 }, { without_walls: "too" }), {}],
  ])("is another one where %s: the earlier answer does not count", async (_, asked, more) => {
    const { ask, waiting, answer, worker } = fleet();
    const killed = new AbortController();
    const first = ask(question({ n: 1 }), {}, killed.signal);
    const { id } = await waiting();
    killed.abort();
    await first;
    await answer("bob", "once", id);
    const stop = new AbortController();
    const second = ask(asked, more, stop.signal);
    const other = await waiting();
    expect(other.id).not.toBe(id);
    stop.abort();
    await second;
    expect(await worker.one("select count(*) as n from approvals")).toEqual({ n: 2 });
  });

  it("asked twice at once takes two answers", async () => {
    const { confirm, waiting, answer } = fleet();
    const one = confirm();
    const context = { signal: new AbortController().signal };
    const both = [one(question({}), context), one(question({}), context)];
    await answer("bob", "once", (await waiting()).id);
    const first = (await Promise.race(both)) as ConfirmAnswer;
    expect(first).toMatchObject({ answer: "once" });
    await answer("cem", "no", (await waiting()).id);
    expect((await Promise.all(both)).map((end) => (end as { answer: string }).answer).sort()).toEqual(["no", "once"]);
  });

  it("answered for the session is not asked again in it, also on another worker", async () => {
    const { ask, answer, tenant, waiting } = fleet();
    const first = ask(question({ n: 1 }), { fence: () => held(1) });
    await answer("bob", "session");
    expect(await first).toEqual({ answer: "session", by: `${tenant}/bob` });
    expect(await ask(question({ n: 1 }), { fence: () => held(2) })).toEqual({ answer: "session", by: `${tenant}/bob` });
    const stop = new AbortController();
    for (const [asked, more] of [
      [question({ n: 2 }), {}],
      [question({ n: 1 }), { session: "t" }],
      [question({ n: 1 }), { person: () => "bob" }],
    ] as const)
      void ask(asked, more, stop.signal);
    await waiting(3);
    stop.abort();
  });

  it("answered with edits covers edits of the session", async () => {
    const { ask, answer, tenant } = fleet();
    const edit = (n: number) => question({ n }, { tool: "edit", all_edits: true });
    const first = ask(edit(1));
    await answer("bob", "edits");
    expect(await first).toEqual({ answer: "edits", by: `${tenant}/bob` });
    expect(await ask(edit(2))).toEqual({ answer: "edits", by: `${tenant}/bob` });
    expect(await ask(question({ n: 2 }, { tool: "edit" }), { waitMs: () => 1 })).toMatchObject({ answer: "no" });
  });

  it("answered with always is a proposal, and counts for the session", async () => {
    const { ask, answer, approvals, tenant } = fleet();
    const first = ask(question({ command: "npm ci" }, { always_rule: "allow bash on npm ci" }));
    await answer("bob", "always");
    expect(await first).toEqual({ answer: "session", by: `${tenant}/bob` });
    expect(await approvals.proposals()).toMatchObject([{ answeredBy: "bob", question: { always_rule: "allow bash on npm ci" } }]);
  });

  it("is stored without its secrets", async () => {
    const { ask, waiting } = fleet();
    const stop = new AbortController();
    void ask(question({ command: "curl -H key" }), { redact: (text) => text.replace("key", "***") }, stop.signal);
    expect((await waiting()).question.args).toEqual({ command: "curl -H ***" });
    stop.abort();
  });

  it("is taken back with its session", async () => {
    const { ask, waiting, worker, answer } = fleet();
    const said = ask(question({}));
    const { id } = await waiting();
    expect(await createFleetApprovals(worker, null).withdraw("s")).toBe(1);
    expect(await said).toEqual({ unasked: expect.stringContaining("taken back") });
    expect(await answer("bob", "once", id)).toBe("over");
  });

  it("is over with its task, also where the worker is gone, and not with another task of the session", async () => {
    const { tenant, gateway, ask, waiting, answer, approvals } = fleet();
    const queue = createTaskQueue(gateway);
    const workers = openWorkerQueue({ url });
    open.push(workers);
    await workers.register({ name: `w-${tenant}`, version: "1", slots: 1, labels: [], tenant, formats: [1], leaseMs: 60_000 });
    const payload = { format: 1 as const, text: "Do it." };
    const [first, second] = await queue.submit([
      { session: "s", payload },
      { session: "s", payload },
    ]);
    const [task] = await workers.take(1, []);
    const killed = new AbortController();
    const said = ask(question({}), { fence: () => task! }, killed.signal);
    const { id } = await waiting();
    killed.abort();
    await said;
    await queue.cancel({ id: second!.id }, "that one");
    expect((await approvals.open()).length).toBe(1);
    await queue.cancel({ id: first!.id }, "and this one");
    expect(await workers.giveBack(task!)).toBe("cancelled");
    expect(await approvals.open()).toEqual([]);
    expect(await answer("bob", "once", id)).toBe("over");
  });

  it("is seen by no other tenant", async () => {
    const { ask, waiting } = fleet();
    const stop = new AbortController();
    void ask(question({}), {}, stop.signal);
    const { id, digest } = await waiting();
    const other = fleet();
    expect(await other.approvals.find(id)).toBeNull();
    expect(await other.approvals.answer(id, { answer: "once", by: "bob", digest })).toBe("unknown");
    stop.abort();
  });
});

describe.skipIf(!hasPostgres)("a question while the database is away", () => {
  it("stays, and so does whoever waits for its answer", async () => {
    const server = await startPostgres();
    try {
      const url = `${server.url}?schema=away`;
      await initStore(url);
      const [worker, gateway] = [openPg({ url, max: 2 }), openPg({ url, role: "zeph_gateway", max: 2 })];
      const confirm = createFleetConfirm({ db: worker, bus: null, session: "s", person: () => "ann", redact: (text) => text, pollMs: 50 });
      const said = Promise.resolve(confirm(question({}), { signal: new AbortController().signal }));
      const approvals = createFleetApprovals(gateway, null);
      await expect.poll(async () => (await approvals.open()).length, { timeout: 25_000 }).toBe(1);
      await server.crash();
      await expect(approvals.open()).rejects.toThrow();
      await server.start();
      await expect.poll(async () => (await approvals.open().catch(() => [])).length, { timeout: 25_000 }).toBe(1);
      const { id, digest } = (await approvals.open())[0]!;
      expect(await approvals.answer(id, { answer: "once", by: "bob", digest })).toBe("counted");
      expect(await said).toEqual({ answer: "once", by: "main/bob" });
      await Promise.all([worker.close(), gateway.close()]);
    } finally {
      await server.stop();
    }
  });
});

const held = (epoch: number) => ({ session: "s", epoch });
