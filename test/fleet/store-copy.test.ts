import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { openStore } from "../../src/store/open.ts";
import { copyStore } from "../../src/store/pg/copy/copy-store.ts";
import { openSharedStore } from "../../src/store/pg/open-shared.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite/migrations.ts";
import { box } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const folder = mkdtempSync(join(tmpdir(), "zeph-copy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Something in every table. */
async function fill(store: Store): Promise<void> {
  const odd = "\ud800 half, a NUL \0, 🧪 e\u0301 עברית";
  const { id } = await store.conversations.create("/w", "About zebras");
  await store.conversations.append(id, [
    { role: "user", text: "where is the zebra?" },
    { role: "assistant", model: "m", parts: [{ type: "text", text: odd }] },
    { role: "tool", id: "1", text: odd },
    { role: "user", text: `okapi ${"in the grass ".repeat(60_000)}` },
  ]);
  await store.conversations.mark(id, { untrusted: true, skill: { name: "s", trust: "provisional" } });
  await store.conversations.startWindow(id, { start: 1, elidedUntil: 1, counted: { tokens: 9, position: 2 } });
  const { id: many } = await store.conversations.create("/w", "Many");
  await store.conversations.append(
    many,
    Array.from({ length: 2500 }, (_, n) => ({ role: "user" as const, text: `giraffe ${n}` })),
  );
  await store.overflow.put({ owner: { conversation: id }, text: odd, handle: 3 });
  await store.overflow.put({ owner: { session: "s" }, text: "x".repeat(1_200_000) });
  await store.summaries.add({ conversation: id, until: 1, text: "s", opening: "o", method: "manual" });
  await store.goals.create({ workspace: "/w", text: "old", tasks: [{ n: 1, title: "t", needs: [], status: "done", note: "n" }] });
  await store.goals.create({ workspace: "/w", text: "new", tasks: [{ n: 1, title: "t", needs: [], status: "open" }] });
  const { id: task } = await store.schedule.add({
    workspace: "/w",
    task: "t",
    when: "w",
    cron: "* * * * *",
    nextAt: 5,
    untrusted: true,
    bound: { name: "b", trust: "untrusted" },
  });
  await store.schedule.ended(task, { at: 4, ok: true, conversation: id });
  await store.trajectories.add({ workspace: "/w", callId: "c1", steps: [["read", odd]], ended: "error" });
  await store.reputation.add("m", { good: 2, bad: 1 });
  const saved = { day: "2026-11-18", kind: "npm test", confidence: "full", uses: 2, rawChars: 900, chars: 90 } as const;
  for (const rule of ["npm-test", null]) await store.savings.add({ ...saved, rule });
  await store.pins.put("files", [{ tool: "read", hash: "h", definition: "{}" }]);
  const { id: memory } = await store.memories.save({ content: "the lemur sleeps", workspace: "/w", untrusted: true, conversation: id });
  await store.memories.save({ content: "everywhere", workspace: null, untrusted: false });
  await store.memories.addVector(memory, "e", Float32Array.of(1, 0.5));
  const question = {
    callId: "q1",
    workspace: "/w",
    question: { call_id: "q1", tool: "write", args: { odd }, why: [], touches: [], conversation: id },
    args: { odd },
    asked: [],
    sight: "",
    caller: { phase: "executor", trust: "trusted" },
    untrusted: false,
  } as const;
  await store.openQuestions.add(question);
  await store.openQuestions.add({ ...question, callId: "q2", repeats: true });
  await store.openQuestions.answer("q2", { answer: "no" });
  await store.trust.set("/w", "h");
}

/** Everything that a store tells, by its own words. */
async function told(store: Store): Promise<object> {
  const conversations = await store.conversations.list({ limit: 9 });
  const find = async (text: string, vector?: Float32Array) =>
    (await store.memories.search({ text, workspace: "/w", limit: 5, ...(vector && { vector: { embedder: "e", of: vector } }) })).hits
      .map((hit) => (hit.kind === "memory" ? hit.memory.content : `${hit.conversation} ${hit.position}`))
      .sort();
  return {
    conversations,
    messages: await Promise.all(conversations.map(({ id }) => store.conversations.messages(id, { after: 0, limit: 1e6 }))),
    summaries: await Promise.all(conversations.map(({ id }) => store.summaries.of(id))),
    overflow: [await store.overflow.find("raw#3"), await store.overflow.newest()],
    goals: await store.goals.list("/w", 9),
    schedule: await store.schedule.list(),
    trajectories: await store.trajectories.bad("/w", 0, 9),
    savings: await store.savings.list({ since: "" }),
    listed: await store.overflow.list({ limit: 9 }),
    reputation: await store.reputation.get("m"),
    pins: await store.pins.of("files"),
    memories: await store.memories.list({ limit: 9 }),
    found: [
      await find("zebra"),
      await find("okapi"),
      await find("lemur"),
      await find("giraffe 77"),
      await find("x", Float32Array.of(1, 0.5)),
    ],
    questions: [await store.openQuestions.list(), await store.openQuestions.repeated("/w")],
  };
}

const hashOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

describe.skipIf(!hasPostgres)("a copy of a SQLite file", () => {
  let url = "";
  let admin: Pg;
  beforeAll(async () => {
    url = await makeSchema();
    admin = openPg({ url, bare: true });
  });
  afterAll(() => admin.close());

  it("tells the same as the file, which is not changed, and what is about the machine stays there", async () => {
    const tenant = newTenant();
    const file = join(folder, "whole.db");
    const own = openStore(file);
    await fill(own);
    const before = await told(own);
    await own.close();
    const hash = hashOf(file);
    const progress: string[] = [];
    const copied = await copyStore({
      from: file,
      url,
      tenant,
      onProgress: ({ table, done, total }) => progress.push(`${table} ${done}/${total}`),
    });
    expect(copied.filter(({ leftOut }) => leftOut > 0)).toEqual([]);
    expect(copied.filter((one) => one.copied === 0)).toEqual([]);
    expect(copied.find(({ table }) => table === "messages")!.copied).toBe(2504);
    expect(progress).toContain("messages 2000/2504");
    expect(hashOf(file)).toBe(hash);
    const shared = openSharedStore({ url, tenant, local: "memory" });
    expect(await told(shared)).toEqual(before);
    expect(shared.trust.get("/w")).toBeNull();
    // It goes on where the file stood.
    const { id } = (await shared.conversations.list({ limit: 9 })).find(({ title }) => title === "Many")!;
    expect(
      await shared.conversations.append(id, [{ role: "user", text: "more" }], { after: 2500, counted: { tokens: 1, position: 1 } }),
    ).toBe(2501);
    await shared.close();
  });

  it("is refused where the tenant has anything, so that it can be tried again and nothing is doubled", async () => {
    const tenant = newTenant();
    const file = join(folder, "twice.db");
    const own = openStore(file);
    await own.reputation.add("m", { good: 1, bad: 0 });
    await own.conversations.create("/w", "t");
    await own.close();
    const attempts = await Promise.allSettled([1, 2, 3].map(() => copyStore({ from: file, url, tenant })));
    expect(attempts.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    await expect(copyStore({ from: file, url, tenant })).rejects.toThrow(`The tenant ${tenant} has rows at`);
    expect((await admin.one("select count(*) as number from conversations where tenant = ?", tenant))!.number).toBe(1);
    const elsewhere = newTenant();
    expect((await copyStore({ from: file, url, tenant: elsewhere }))[0]).toEqual({ table: "conversations", copied: 1, leftOut: 0 });
  });

  it("is all or nothing", async () => {
    const tenant = newTenant();
    const file = join(folder, "broken.db");
    const own = openStore(file);
    await fill(own);
    await own.close();
    await admin.run("create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no memories'; end $$");
    await admin.run("create trigger refuse before insert on memory_vectors for each row execute function refuse()");
    await expect(copyStore({ from: file, url, tenant })).rejects.toThrow("no memories");
    await admin.run("drop trigger refuse on memory_vectors");
    expect((await admin.one("select count(*) as number from messages where tenant = ?", tenant))!.number).toBe(0);
    expect((await copyStore({ from: file, url, tenant })).every(({ copied }) => copied > 0)).toBe(true);
  });

  it.each(MIGRATIONS.map((_, at) => at + 1))("can be made of a file of schema %d", async (version) => {
    const tenant = newTenant();
    const file = join(folder, `version-${version}.db`);
    const old = new DatabaseSync(file);
    migrate(old, file, MIGRATIONS.slice(0, version));
    old.exec("insert into conversations (id, workspace, title, created_at, updated_at, last_position) values ('c', '/w', 't', 1, 2, 1)");
    old.exec(`insert into messages (conversation_id, position, body, created_at) values ('c', 1, '{"role":"user","text":"a zebra"}', 1)`);
    if (version > 1)
      old.exec(
        "insert into tool_overflow (id, scope, body, size, created_at) values ('3f1f2f0e-0000-4000-8000-000000000000', 'session s', x'61', 1, 1)",
      );
    if (version > 4)
      old.exec(
        "insert into trajectories (id, workspace, call_id, steps, last, ended, created_at) values ('t', '/w', 'c', '[]', 'l', 'ok', 1)",
      );
    old.close();
    const hash = hashOf(file);
    const copied = await copyStore({ from: file, url, tenant });
    expect(hashOf(file)).toBe(hash);
    expect(copied.find(({ table }) => table === "trajectories")).toEqual({
      table: "trajectories",
      copied: version > 4 ? 1 : 0,
      leftOut: 0,
    });
    const shared = openSharedStore({ url, tenant, local: "memory" });
    expect(await shared.conversations.get("c")).toMatchObject({ length: 1, windowStart: 0, seen: { untrusted: false } });
    expect((await shared.memories.search({ text: "zebra", workspace: "/w", limit: 5 })).hits).toHaveLength(1);
    expect((await shared.overflow.newest())?.text).toBe(version > 1 ? "a" : undefined);
    await shared.close();
  });

  it("leaves out what cannot be read, with what belongs to it, and says how many", async () => {
    const tenant = newTenant();
    const file = join(folder, "damaged.db");
    const own = openStore(file);
    const { id: gone } = await own.conversations.create("/w", "gone");
    const { id: kept } = await own.conversations.create("/w", "kept");
    for (const id of [gone, kept]) await own.conversations.append(id, [{ role: "user", text: "hello" }]);
    await own.memories.save({ content: "kept", workspace: "/w", untrusted: false, conversation: gone });
    await own.memories.save({ content: "damaged", workspace: "/w", untrusted: false });
    await own.close();
    const db = new DatabaseSync(file);
    db.exec("update conversations set created_at = 'yesterday' where title = 'gone'");
    db.exec("update memories set content = x'ff' where content = 'damaged'");
    db.exec("update messages set body = '{' where conversation_id = (select id from conversations where title = 'kept')");
    db.close();
    const copied = Object.fromEntries((await copyStore({ from: file, url, tenant })).map(({ table, ...rest }) => [table, rest]));
    expect(copied).toMatchObject({
      conversations: { copied: 1, leftOut: 1 },
      messages: { copied: 1, leftOut: 1 },
      memories: { copied: 1, leftOut: 1 },
    });
  });

  it.each([
    [
      "another program's",
      (db: DatabaseSyncInstance) => db.exec("create table t (x); pragma user_version = 3"),
      "another program's database",
    ],
    [
      "a newer Zeph's",
      (db: DatabaseSyncInstance) => db.exec(`pragma application_id = ${0x5a657068}; pragma user_version = 999`),
      "by a newer Zeph",
    ],
  ])("of %s file is refused", async (what, make, words) => {
    const file = join(folder, `${what.length}.db`);
    const db = new DatabaseSync(file);
    make(db);
    db.close();
    await expect(copyStore({ from: file, url, tenant: newTenant() })).rejects.toThrow(words);
    await expect(copyStore({ from: join(folder, "none.db"), url, tenant: newTenant() })).rejects.toThrow("cannot be opened");
  });

  it("is made with zeph store copy, which says what was copied", async () => {
    const tenant = newTenant();
    const file = join(folder, "command.db");
    const own = openStore(file);
    await own.conversations.create("/w", "t");
    await own.close();
    const args = ["store", "copy", url, "--from", file, "--tenant", tenant];
    const { code, stdout, stderr } = await box().run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("  conversations    1 row\n");
    expect(await box().run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("two stores are not mixed") });
    const other = await box().run([...args.slice(0, -1), newTenant(), "--json"]);
    expect(JSON.parse(other.stdout).tables).toContainEqual({ table: "conversations", copied: 1, leftOut: 0 });
  });
});
