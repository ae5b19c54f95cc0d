import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { createAnchors } from "../audit/anchors.ts";
import { createConversations } from "../conversations.ts";
import { openStore } from "../open.ts";
import { explainSqlite, StoreError } from "./error.ts";
import { MIGRATIONS, migrate } from "./migrations.ts";
import { bindable, openSqlite } from "./sqlite.ts";
import { rows } from "./transaction.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-sqlite-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const fresh = () => join(mkdtempSync(join(root, "f-")), "zeph.db");

it.each([new Date(0), () => 1, new ArrayBuffer(1), undefined, {}, "a\0b"])("refuses to store %s", (value) =>
  expect(() => bindable(value)).toThrow(TypeError),
);

describe("opening", () => {
  it.skipIf(process.platform === "win32")("makes the folder and the file private, and leaves an existing folder as it is", async () => {
    const folder = join(root, "open");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const file = join(folder, "deep", "er", "zeph.db");
    const store = openStore(file);
    await store.trust.set("x", "y");
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect([folder, join(folder, "deep"), join(folder, "deep", "er"), file, `${file}-wal`].map(mode)).toEqual([
      0o755, 0o700, 0o700, 0o600, 0o600,
    ]);
    await store.close();
  });

  it("uses WAL, foreign keys and synchronous = normal", () => {
    const db = openSqlite(fresh());
    const pragmas = ["journal_mode", "foreign_keys", "synchronous", "user_version"].map((name) => db.statement(`pragma ${name}`).get());
    expect(pragmas).toEqual([{ journal_mode: "wal" }, { foreign_keys: 1 }, { synchronous: 1 }, { user_version: MIGRATIONS.length }]);
    db.close();
  });

  it("does not import Kysely before a query is built with it", async () => {
    const store = new URL("..", import.meta.url);
    const names = readdirSync(store, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
    );
    const sources = names.map((name) => readFileSync(new URL(name, store), "utf8"));
    expect(sources.filter((text) => text.includes('"kysely"')).length).toBeGreaterThan(1);
    expect(sources.filter((text) => /^import (?!type)[^;]*"kysely"/m.test(text))).toEqual([]);
  });
});

describe("a database that cannot be used is left as it is, and the error says what to do:", () => {
  const refused = (file: string): StoreError => {
    const before = existsSync(file) ? readFileSync(file) : null;
    try {
      openStore(file);
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      if (before) expect(readFileSync(file).equals(before)).toBe(true);
      return error as StoreError;
    }
    throw new Error("It was opened.");
  };

  it("no database at all", () => {
    const file = fresh();
    writeFileSync(file, "These are my notes, and they are long enough to have a header. ".repeat(40));
    expect(refused(file).message).toBe(
      `${file} is not a SQLite database. Move it aside and start again, or rescue what it holds with: sqlite3 '${file}' .recover`,
    );
  });

  it("a newer schema", () => {
    const file = fresh();
    const db = new DatabaseSync(file);
    migrate(db, file, [...MIGRATIONS, "create table later (x)"]);
    db.close();
    expect(refused(file).message).toContain(
      `written by a newer Zeph (schema ${MIGRATIONS.length + 1}, this one knows ${MIGRATIONS.length})`,
    );
  });

  it("another program's database", () => {
    const file = fresh();
    const db = new DatabaseSync(file);
    db.exec("create table theirs (x)");
    db.close();
    expect(refused(file).message).toContain("another program's database");
  });

  it("a folder", () => {
    const file = fresh();
    mkdirSync(file);
    expect(() => openStore(file)).toThrow(StoreError);
  });

  it("a parent that is a file", () => {
    const parent = fresh();
    writeFileSync(parent, "");
    expect(() => openStore(join(parent, "zeph.db"))).toThrow(/cannot be opened or made \((ENOTDIR|EEXIST)\)/);
  });

  it("a damaged page", async () => {
    const file = fresh();
    const store = openStore(file);
    const { id } = await store.conversations.create("/w", "t");
    await store.conversations.append(
      id,
      Array.from({ length: 200 }, () => ({ role: "user", text: "x".repeat(500) })),
    );
    await store.close();
    const db = new DatabaseSync(file);
    db.exec("pragma wal_checkpoint(truncate)");
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0xee, 4096);
    writeFileSync(file, bytes);
    const damaged = () => {
      const again = openStore(file);
      return again.conversations.messages(id, { after: 0, limit: 1000 }).finally(() => again.close());
    };
    await expect((async () => damaged())()).rejects.toThrow(new RegExp(`^${file} is damaged\\. Move it aside`));
    expect(statSync(file).size).toBe(bytes.length);
  });

  it("one that another connection keeps to itself", async () => {
    const file = fresh();
    const db = openSqlite(file, 50);
    const other = new DatabaseSync(file);
    const locked = new RegExp(`^${file} is locked by another program`);
    other.exec("begin immediate");
    expect(() => createAnchors(db).set("/a", { count: 1, hash: "x", size: 1 })).toThrow(locked);
    await expect(createConversations(db).create("/w", "t")).rejects.toThrow(locked);
    other.exec("rollback");
    other.close();
    expect(explainSqlite(file, Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR" }))).toMatchObject({
      name: "StoreError",
      message: expect.stringMatching(locked),
    });
    db.close();
  });
});

it("waits only a moment to write an anchor, and as long as ever for the rest", () => {
  const file = fresh();
  const db = openSqlite(file);
  const other = new DatabaseSync(file);
  other.exec("begin immediate");
  const begun = performance.now();
  expect(() => createAnchors(db).set("/a", { count: 1, hash: "x", size: 1 })).toThrow("locked");
  expect(performance.now() - begun).toBeLessThan(4500);
  expect(db.statement("pragma busy_timeout").get()).toEqual({ timeout: 5000 });
  other.close();
  db.close();
});

it("keeps others from writing between a unit's first read and its write", async () => {
  const file = fresh();
  const db = openSqlite(file);
  const other = openSqlite(file, 20);
  const { id } = await createConversations(db).create("/w", "t");
  await db.write(function* (build) {
    yield* rows(build.selectFrom("conversations").selectAll());
    expect(() => other.statement("delete from conversations").run()).toThrow("locked");
    yield* rows(build.updateTable("conversations").set({ title: "new" }).where("id", "=", id));
  });
  expect((await createConversations(other).get(id))?.title).toBe("new");
  db.close();
  other.close();
});

describe("migrations", () => {
  it("are rolled back whole when one fails", () => {
    const file = fresh();
    const db = new DatabaseSync(file);
    expect(() => migrate(db, file, ["create table half (x)", "create table half (x)"])).toThrow("already exists");
    expect(db.prepare("select name from sqlite_master").all()).toEqual([]);
    expect(db.prepare("pragma user_version").get()).toEqual({ user_version: 0 });
    migrate(db, file, ["create table half (x)"]);
    migrate(db, file, ["create table half (x)", "create table other (x)"]);
    expect(db.prepare("select name from sqlite_master").all()).toEqual([{ name: "half" }, { name: "other" }]);
    db.close();
  });
});
