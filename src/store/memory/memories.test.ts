import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { found } from "../../../test/contracts/store/memories.ts";
import { cpuMs } from "../../../test/cpu.ts";
import type { Message } from "../../core/ports/model.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "../open.ts";
import { MIGRATIONS, migrate } from "../sqlite/migrations.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-memories-"));
const made = [root];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
const fresh = () => join(mkdtempSync(join(root, "f-")), "zeph.db");
const user = (text: string): Message => ({ role: "user", text });

/** A store, and the file under it with no rules of ours. */
async function both(work: (store: Store, raw: DatabaseSyncInstance) => Promise<void>): Promise<void> {
  const file = fresh();
  const store = openStore(file);
  const raw = new DatabaseSync(file, { defensive: false });
  try {
    await work(store, raw);
  } finally {
    raw.close();
    await store.close();
  }
}
const save = (store: Store, content: string) => store.memories.save({ content, workspace: "/w", untrusted: false });
const search = (store: Store, text: string) => store.memories.search({ text, workspace: "/w", limit: 10 });

describe("a database of before", () => {
  it("gets an index of what was said in it, whatever else stands in its rows", async () => {
    const file = fresh();
    const db = new DatabaseSync(file);
    migrate(db, file, MIGRATIONS.slice(0, 3));
    db.exec(`insert into conversations (id, workspace, title, created_at, updated_at, last_position) values ('c', '/w', 't', 1, 1, 9)`);
    const insert = db.prepare("insert into messages (conversation_id, position, body, created_at) values ('c', ?, ?, 1)");
    const bodies = [
      JSON.stringify(user("zebra one")),
      JSON.stringify({ role: "assistant", model: "m", parts: [{ type: "text", text: "zebra two" }] }),
      ...STRANGE,
      Buffer.from('{"role":"user","text":"zebra blob"}'),
    ];
    for (const [n, body] of bodies.entries()) insert.run(n + 1, body);
    db.close();
    const store = openStore(file);
    expect((await found(store.memories, "zebra", "/w")).sort()).toEqual(["zebra one", "zebra two"]);
    await store.close();
  });

  const STRANGE = [
    '{"role":"user","text":"zebra cut',
    "zebra",
    "",
    "null",
    "[1]",
    '"zebra"',
    '{"role":"user"}',
    '{"role":"user","text":{"zebra":1}}',
    '{"role":"user","text":"zebra","from":"loop"}',
    '{"role":"assistant","parts":"zebra"}',
    '{"role":"assistant","parts":["zebra",null,[{"type":"text","text":"zebra"}],{"type":"thinking","text":"zebra"}]}',
    '{"role":"assistant","parts":{"a":1}}',
    '{"role":"assistant"}',
    `{"role":"user","text":${"[".repeat(3000)}${"]".repeat(3000)}}`,
    '{"role":"tool","text":"zebra"}',
    '{"id":"1","role":"tool","text":"zebra"}',
    '{"role":"other","text":"zebra"}',
  ];

  it.each(STRANGE)("takes a new row with the body %#, and finds no word of it", (body) =>
    both(async (store, raw) => {
      const { id } = await store.conversations.create("/w", "t");
      const insert = raw.prepare("insert into messages (conversation_id, position, body, created_at) values (?, 1, ?, 1)");
      insert.run(id, body);
      expect((await search(store, "zebra")).hits).toEqual([]);
      raw.prepare("update messages set body = ?").run(JSON.stringify(user("lion")));
      expect((await search(store, "lion")).hits).toHaveLength(1);
      raw.prepare("update messages set body = ?").run(body);
      expect((await search(store, "lion")).hits).toEqual([]);
    }),
  );
});

it("finds the right rows after the file was vacuumed", () =>
  both(async (store, raw) => {
    const talks = [];
    for (const word of ["lion", "zebra", "gnu"]) {
      const { id } = await store.conversations.create("/w", word);
      await store.conversations.append(id, [user(word), { role: "tool", id: "1", text: "x" }, user(`${word} again`)]);
      await save(store, `saved ${word}`);
      talks.push(id);
    }
    await store.conversations.delete(talks[0]!);
    raw.exec("vacuum");
    expect((await found(store.memories, "zebra", "/w")).sort()).toEqual(["saved zebra", "zebra", "zebra again"]);
    expect(await found(store.memories, "lion", "/w")).toEqual(["saved lion"]);
  }));

describe("a damaged row", () => {
  it.each([
    ["bytes for a text", "update memories set content = x'00ff' where id = ?"],
    ["a number for a text", "update memories set content = cast(content as blob) where id = ?"],
    ["a time that is none", "update memories set created_at = 'then' where id = ?"],
    ["a time no date can show", "update memories set created_at = 1e300 where id = ?"],
    ["an endless time", "update memories set created_at = 9e999 where id = ?"],
    ["a time before all", "update memories set created_at = -8640000000000001 where id = ?"],
    ["a time larger than any number", "update memories set created_at = 9223372036854775807 where id = ?"],
    ["a workspace of bytes, for everywhere", "update memories set content = zeroblob(10), workspace = null where id = ?"],
    ["100 MB", "update memories set content = 'zebra ' || hex(zeroblob(50000000)) where id = ?"],
  ])("with %s is left out and counted; the rest is found", (_what, damage) =>
    both(async (store, raw) => {
      const { id } = await save(store, "zebra broken");
      await save(store, "zebra whole");
      await store.memories.addVector(id, "e", Float32Array.of(1, 0));
      // Without the triggers, so that the words still lead to it.
      raw.exec("drop trigger memory_words_update");
      raw.prepare(damage).run(id);
      const begun = cpuMs();
      expect(await search(store, "zebra")).toMatchObject({ hits: [{ memory: { content: "zebra whole" } }], damaged: 1 });
      const near = { embedder: "e", of: Float32Array.of(1, 0) };
      expect(await store.memories.search({ text: "zebra", workspace: "/w", limit: 5, vector: near })).toMatchObject({ damaged: 1 });
      expect((await store.memories.list({ limit: 5 })).map(({ content }) => content)).toEqual(["zebra whole"]);
      expect(await store.memories.get(id)).toBeNull();
      expect(await store.memories.withoutVector("other", 5)).toHaveLength(1);
      expect(cpuMs() - begun).toBeLessThan(4000);
      expect(await store.memories.forget({ id })).toBe(1);
      expect(await store.memories.count()).toBe(1);
    }),
  );

  it("with a mark larger than any number is not trusted", () =>
    both(async (store, raw) => {
      const { id } = await save(store, "zebra");
      raw.exec("update memories set untrusted = 9223372036854775807");
      expect(await store.memories.get(id)).toMatchObject({ untrusted: true });
    }));

  it.each([
    "created_at = 1e300",
    "created_at = 9223372036854775807",
    "created_at = 'then'",
    "role = 'system'",
    "conversation_id = conversation_id, role = x'00'",
  ])("of what was said is left out and counted: %s", (damage) =>
    both(async (store, raw) => {
      const { id } = await store.conversations.create("/w", "t");
      await store.conversations.append(id, [user("zebra broken"), user("zebra whole")]);
      raw.exec(`update said set ${damage} where position = 1`);
      expect(await search(store, "zebra")).toMatchObject({ hits: [{ excerpt: "zebra whole" }], damaged: 1 });
    }),
  );

  it.each([
    "text = x'00ff'",
    "text = zeroblob(100000000)",
    "text = cast(zeroblob(5000000) as text)",
    "opening = x'00'",
    "until_position = 'abc'",
    "until_position = 1.5",
    "until_position = 9223372036854775807",
    "created_at = 1e300",
    "created_at = 9223372036854775807",
    "id = x'00'",
  ])("of a summary is left out: %s", (damage) =>
    both(async (store, raw) => {
      const { id } = await store.conversations.create("/w", "t");
      for (const text of ["broken", "whole"])
        await store.summaries.add({ conversation: id, until: 4, text, opening: "go on", method: "manual" });
      raw.exec(`update summaries set ${damage} where n = 1`);
      expect((await store.summaries.of(id)).map(({ text }) => text)).toEqual(["whole"]);
    }),
  );

  it("that is text in no encoding is shown as far as it goes", () =>
    both(async (store, raw) => {
      const { id } = await save(store, "zebra");
      raw.prepare("update memories set content = cast(x'7a65627261ff20ed' as text) where id = ?").run(id);
      expect((await search(store, "zebra")).damaged).toBe(0);
      expect((await store.memories.get(id))!.content).toContain("zebra");
    }));

  it.each([
    ["of a wrong length", "x'0000'"],
    ["that is text", "'vector'"],
    ["of no numbers", "x'0000c07f0000c07f'"],
  ])("vector %s is left out and counted", (_what, blob) =>
    both(async (store, raw) => {
      for (const content of ["broken", "whole"])
        await store.memories.addVector((await save(store, content)).id, "e", Float32Array.of(1, 0));
      raw.exec(`update memory_vectors set vector = ${blob} where memory = 1`);
      const near = { embedder: "e", of: Float32Array.of(1, 0) };
      expect(await store.memories.search({ text: "x", workspace: "/w", limit: 5, vector: near })).toMatchObject({
        hits: [{ memory: { content: "whole" } }],
        damaged: 1,
      });
    }),
  );

  it("task of a goal waits for everything before it", () =>
    both(async (store, raw) => {
      const task = { title: "t", needs: [], status: "open" } as const;
      const { id } = await store.goals.create({ workspace: "/w", text: "g", tasks: [1, 2, 3].map((n) => ({ n, ...task })) });
      raw.exec("update goal_tasks set needs = '[1' where n = 3");
      expect((await store.goals.get(id))!.tasks[2]!.needs).toEqual([1, 2]);
    }));
});

describe("a damaged index", () => {
  const broken = [
    "delete from #_data where id > 10",
    "update #_data set block = x'ff00ff' where id > 10",
    "delete from #_data",
    "update #_data set block = zeroblob(9)",
  ];

  it.each(broken)("is made anew by whoever meets it: %s", (damage) =>
    both(async (store, raw) => {
      const { id } = await store.conversations.create("/w", "t");
      await store.conversations.append(id, [user("zebra said")]);
      await save(store, "zebra saved");
      for (const index of ["memory_words", "said_words"]) raw.exec(damage.replaceAll("#", index));
      const other = await store.conversations.create("/w", "t2");
      await store.conversations.append(other.id, [user("zebra said later")]);
      await save(store, "zebra saved later");
      const texts = await found(store.memories, "zebra", "/w");
      expect(texts).toContain("zebra saved later");
      expect(texts).toContain("zebra said later");
      await store.conversations.delete(id);
      await store.conversations.delete(other.id);
      expect(await store.memories.forget("all")).toBe(2);
    }),
  );

  it("that cannot be made anew does not end a search, which says so", () =>
    both(async (store, raw) => {
      const { id } = await store.conversations.create("/w", "t");
      await store.conversations.append(id, [user("where is the Zebra now?")]);
      await save(store, "zebra saved");
      for (const index of ["memory_words", "said_words"]) raw.exec(`drop table ${index}`);
      const result = await search(store, "zebra");
      expect(result.hits.map((hit) => (hit.kind === "memory" ? hit.memory.content : hit.excerpt))).toEqual([
        "zebra saved",
        "where is the Zebra now?",
      ]);
      expect(result).toMatchObject({ notes: [expect.stringContaining("damaged and could not be repaired")] });
    }));
});

it("leaves no word of what is forgotten in its indexes", () =>
  both(async (store, raw) => {
    const { id } = await store.conversations.create("/w", "t");
    await store.conversations.append(id, [user("okapisaid")]);
    await save(store, "okapisaved");
    await save(store, "stays");
    await store.conversations.delete(id);
    await store.memories.forget({ id: (await store.memories.list({ limit: 5 })).find(({ content }) => content === "okapisaved")!.id });
    for (const index of ["memory_words", "said_words"]) {
      const blocks = raw.prepare(`select block from ${index}_data`).all() as { block: Uint8Array }[];
      expect(blocks.map(({ block }) => Buffer.from(block).toString("latin1")).join()).not.toContain("okapi");
      raw.exec(`insert into ${index} (${index}, rank) values ('integrity-check', 1)`);
    }
  }));

it("leaves nothing of what is forgotten in its files", async () => {
  const file = fresh();
  const store = openStore(file);
  const { id } = await store.conversations.create("/w", "t");
  await store.conversations.append(id, [user(`okapisaid ${"okapilong ".repeat(2000)}`), user("lionstays")]);
  await store.summaries.add({ conversation: id, until: 1, text: "okapisummary", opening: "", method: "manual" });
  const other = await store.conversations.create("/w", "t");
  await store.conversations.append(other.id, [user("lionstays")]);
  for (let n = 0; n < 50; n++) await save(store, `okapisaved ${n} ${"x".repeat(300)}`);
  await store.conversations.delete(id);
  expect(holds(file, "okapisaid")).toBe(false);
  await store.memories.forget("all");
  expect(holds(file, "lionstays")).toBe(true);
  expect(holds(file, "okapi")).toBe(false);
  await store.close();
});
const holds = (file: string, text: string) => [file, `${file}-wal`].some((name) => readFileSync(name, "latin1").includes(text));

it("finds only the beginning of a message that is a book", () =>
  both(async (store) => {
    const { id } = await store.conversations.create("/w", "t");
    await store.conversations.append(id, [user(`zebra ${"word ".repeat(2_000_000)}lion`)]);
    expect(await found(store.memories, "zebra", "/w")).toHaveLength(1);
    expect(await found(store.memories, "lion", "/w")).toEqual([]);
  }));

it("says so, and goes on with words, when there are too many vectors to hold", () =>
  both(async (store, raw) => {
    await store.memories.addVector((await save(store, "zebra")).id, "e", Float32Array.of(1));
    raw.exec("pragma foreign_keys = off");
    raw.exec(
      "insert into memory_vectors (memory, embedder, dims, vector) with recursive n (i) as (select 2 union all select i + 1 from n where i < 200001) select i, 'e', 1, zeroblob(4) from n",
    );
    const near = { embedder: "e", of: Float32Array.of(1) };
    expect(await store.memories.search({ text: "zebra", workspace: "/w", limit: 5, vector: near })).toMatchObject({
      hits: [{ memory: { content: "zebra" } }],
      notes: ["searched by words only: there are 200001 vectors, more than are held in memory"],
    });
  }));

it("gives each due task to one of several processes", async () => {
  const file = fresh();
  const store = openStore(file);
  const count = 60;
  for (let n = 0; n < count; n++)
    await store.schedule.add({ workspace: "/w", task: String(n), when: "now", cron: null, nextAt: n, untrusted: false, bound: null });
  const script = await taker();
  const outputs = await Promise.all([1, 2, 3].map(() => output(script, file)));
  const taken = outputs.flatMap((text) => text.trim().split("\n").filter(Boolean).map(Number));
  expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
  await store.close();
});

/** A program that takes all that is due in the file it is given. It lies below the project, where its packages are found. */
async function taker(): Promise<string> {
  const cache = join(import.meta.dirname, "../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "zeph-schedule-"));
  made.push(folder);
  const outfile = join(folder, "taker.mjs");
  const contents = `
    import { openStore } from "../open.ts";
    const store = openStore(process.argv[2]);
    // Slow to decide, so that two of them are at it at once.
    const next = () => (Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5), null);
    for (let task; (task = await store.schedule.take("/w", 1000, next)); ) console.log(task.task);
    await store.close();`;
  const options = { bundle: true, format: "esm", platform: "node", packages: "external", logLevel: "warning" } as const;
  await build({ stdin: { contents, resolveDir: import.meta.dirname }, outfile, ...options });
  return outfile;
}
function output(...program: readonly string[]): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
    });
    child.once("error", failed);
    child.once("close", (code) => (code === 0 ? done(text) : failed(new Error(`exit ${code}`))));
  });
}
