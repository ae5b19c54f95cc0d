import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSharedStore } from "../../src/store/pg/open-shared.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { found } from "../contracts/store/memories.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("search in a database of many tenants", () => {
  let url = "";
  const closing: (() => Promise<void>)[] = [];
  const opened = <T extends { close(): Promise<void> }>(one: T): T => {
    closing.push(() => one.close());
    return one;
  };
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const storeOf = (tenant: string) => opened(openSharedStore({ url, tenant, local: "memory", max: 2 }));
  const say = async (tenant: string, ...texts: readonly string[]) => {
    const { conversations, memories } = storeOf(tenant);
    const { id } = await conversations.create("/w", "t");
    await conversations.append(
      id,
      texts.map((text) => ({ role: "user", text })),
    );
    for (const text of texts) await memories.save({ content: `saved: ${text}`, workspace: "/w", untrusted: false });
    return { id, memories };
  };

  it("finds what the tenant has said and saved, and nothing of others in a workspace of the same name", async () => {
    const [a, b] = [await say(newTenant(), "the zebra of a"), await say(newTenant(), "the zebra of b")];
    expect((await found(a.memories, "zebra", "/w")).sort()).toEqual(["saved: the zebra of a", "the zebra of a"]);
    expect((await found(b.memories, "zebra", "/w")).sort()).toEqual(["saved: the zebra of b", "the zebra of b"]);
  });

  it("gives nobody the numbers of another's rows, also not of rows that pretend to be theirs", async () => {
    const [mine, other] = [newTenant(), newTenant()];
    await say(mine, "the zebra is mine");
    const { id } = await say(other, "the zebra is another's");
    const asOther = opened(openPg({ url, tenant: other, max: 1 }));
    // Words that lie about their place.
    const lie = `@${createHash("md5").update(`${mine} /w`).digest("hex")}`;
    expect(await asOther.run("update said set words = words || array_to_tsvector(array[?::text]) where conversation_id = ?", lie, id)).toBe(
      1,
    );
    const ranked = (db: Pg) => db.all<{ key: number }>("select key from rank_said('zebra', '/w', 1000, 10, null)");
    const asMine = opened(openPg({ url, tenant: mine, max: 1 }));
    const own = (await asMine.one<{ n: number }>("select n from said"))!.n;
    expect((await ranked(asMine)).map(({ key }) => key)).toEqual([own]);
    await expect(asMine.run("update said set tenant = ?", other)).rejects.toThrow("row-level security");
  });

  it("uses the index of words, which row security alone would not let it", async () => {
    const tenant = newTenant();
    const { memories } = await say(tenant, ...Array.from({ length: 300 }, (_, n) => `zebra number${n}`));
    const admin = opened(openPg({ url, bare: true, max: 1 }));
    const scans = async () => {
      const rows = await admin.all<{ name: string; scans: number }>(
        "select indexrelname as name, idx_scan as scans from pg_stat_user_indexes where schemaname = current_schema() and indexrelname in ('said_words', 'memories_words')",
      );
      return Object.fromEntries(rows.map(({ name, scans }) => [name, scans]));
    };
    const before = await scans();
    expect(await found(memories, "number77", "/w")).toHaveLength(2);
    await expect.poll(async () => (await scans()).said_words! > before.said_words!).toBe(true);
    await expect.poll(async () => (await scans()).memories_words! > before.memories_words!).toBe(true);
  });
});
