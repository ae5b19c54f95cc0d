import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { openStore } from "./open.ts";
import { MIGRATIONS, migrate } from "./sqlite/migrations.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-overflow-"));
const made = [root];
afterAll(() => made.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));
const fresh = () => join(mkdtempSync(join(root, "f-")), "zeph.db");
const owner = { session: "s" };

it("comes to a database that was made before there was one, and leaves what is in it", async () => {
  const file = fresh();
  const old = new DatabaseSync(file);
  migrate(old, file, MIGRATIONS.slice(0, 1));
  old.exec("insert into trust values ('/w', 'h', 1)");
  old.close();
  const store = openStore(file);
  expect(store.trust.get("/w")).toBe("h");
  const id = await store.overflow.put({ owner, text: "x" });
  expect(await store.overflow.get(owner, id)).toMatchObject({ text: "x" });
  await store.close();
});

describe("another writer", () => {
  it("is waited for without the process standing still", async () => {
    const file = fresh();
    const store = openStore(file);
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const putting = store.overflow.put({ owner, text: "x" });
    await expect.poll(() => turns).toBeGreaterThan(5);
    other.exec("commit");
    other.close();
    const id = await putting;
    clearInterval(timer);
    expect(await store.overflow.get(owner, id)).not.toBeNull();
    await store.close();
  });

  it("of another process loses nothing of ours, and we nothing of its", async () => {
    const file = fresh();
    const store = openStore(file);
    const child = spawn(process.execPath, [await otherWriter(), file], { stdio: ["ignore", "ignore", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (chunk) => (complaint += chunk));
    const ended = once(child, "close");
    for (let i = 1; i <= 40; i++) await store.overflow.put({ owner, handle: i, text: `${"y".repeat(50_000)}${i}` });
    expect([(await ended)[0], complaint]).toEqual([0, ""]);
    for (let i = 1; i <= 40; i++) {
      expect((await store.overflow.get(owner, `raw#${i}`))!.text.endsWith(`y${i}`)).toBe(true);
      expect((await store.overflow.get({ session: "other" }, `raw#${i}`))!.text.endsWith(`x${i}`)).toBe(true);
    }
    await store.close();
  });
});

it("looks up by index, never through every text", () => {
  const file = fresh();
  const db = new DatabaseSync(file);
  migrate(db, file);
  const plan = (sql: string) => JSON.stringify(db.prepare(`explain query plan ${sql}`).all());
  for (const where of ["id = 'x' and scope = 's'", "handle = 1 and scope = 's'", "handle = 1", "created_at < 1", "conversation_id = 'c'"])
    expect(plan(`select body from tool_overflow where ${where}`)).not.toContain("SCAN");
  db.close();
});

/** A program that keeps 40 texts in the file it is given. It lies below the project, where its packages are found. */
async function otherWriter(): Promise<string> {
  const cache = join(import.meta.dirname, "../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "zeph-overflow-"));
  made.push(folder);
  const outfile = join(folder, "writer.mjs");
  const contents = `
    import { openStore } from "./open.ts";
    const store = openStore(process.argv[2]);
    for (let i = 1; i <= 40; i++) await store.overflow.put({ owner: { session: "other" }, handle: i, text: "x".repeat(50_000) + i });
    await store.close();`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
