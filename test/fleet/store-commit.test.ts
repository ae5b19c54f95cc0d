import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { openSharedStore } from "../../src/store/pg/open-shared.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

/** A write to each table, and whether it waits for the server's disk. */
const WRITES: readonly (readonly [table: string, waits: "on" | "off", (store: Store, id: string) => Promise<unknown>])[] = [
  ["messages", "on", ({ conversations }, id) => conversations.append(id, [{ role: "user", text: "a" }])],
  ["tool_overflow", "off", ({ overflow }, conversation) => overflow.put({ owner: { conversation }, text: "x" })],
  ["summaries", "on", ({ summaries }, conversation) => summaries.add({ conversation, until: 1, text: "s", opening: "", method: "manual" })],
  ["trajectories", "off", ({ trajectories }) => trajectories.add({ workspace: "/w", callId: "c", steps: [["read"]], ended: "error" })],
  ["goals", "on", ({ goals }) => goals.create({ workspace: "/w", text: "g", tasks: [] })],
  [
    "savings",
    "off",
    ({ savings }) => savings.add({ day: "2026-11-18", kind: "ls", rule: null, confidence: "full", uses: 1, rawChars: 2, chars: 1 }),
  ],
  ["reputation", "off", ({ reputation }) => reputation.add("m", { good: 1, bad: 0 })],
  ["memories", "on", ({ memories }) => memories.save({ content: "m", workspace: "/w", untrusted: false })],
];

describe.skipIf(!hasPostgres)("a write to a shared store", () => {
  let url = "";
  let admin: Pg;
  const user = `u_${randomBytes(6).toString("hex")}`;
  beforeAll(async () => {
    url = await makeSchema();
    admin = openPg({ url, bare: true, max: 1 });
    // The server of the tests waits for nothing; this user's connections do.
    await admin.run(`create role ${user} login password 'p' in role zeph_worker`);
    await admin.run(`alter role ${user} set synchronous_commit = on`);
    // At the end of a transaction each table tells how it is committed.
    await admin.run("create table commits (n bigint generated always as identity, name text, setting text)");
    await admin.run("grant insert on commits to zeph_worker");
    await admin.run(
      "create function tell() returns trigger language plpgsql as $$ begin insert into commits (name, setting) values (tg_table_name, current_setting('synchronous_commit')); return null; end $$",
    );
    for (const [table] of WRITES)
      await admin.run(
        `create constraint trigger tell after insert on ${table} deferrable initially deferred for each row execute function tell()`,
      );
  });
  afterAll(async () => {
    await admin.run(`drop owned by ${user}`);
    await admin.run(`drop role ${user}`);
    await admin.close();
  });

  it("waits for the disk, unless it is one that a crash of the server may take", async () => {
    const at = Object.assign(new URL(url), { username: user, password: "p" }).href;
    const store = openSharedStore({ url: at, tenant: newTenant(), local: "memory", max: 1 });
    const { id } = await store.conversations.create("/w", "t");
    for (const [, , write] of WRITES) await write(store, id);
    await store.close();
    const told = await admin.all<{ name: string; setting: string }>("select name, setting from commits order by n");
    expect(told.map(({ name, setting }) => [name, setting])).toEqual(WRITES.map(([table, waits]) => [table, waits]));
  });
});
