import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { connected, place, REVISIONS, serving, textOf } from "../mcp/server-support.ts";

const SESSIONS = Number(process.env.SESSIONS ?? 20);
const CALLS = Number(process.env.CALLS ?? 20);

/** Each session has a folder of its own, and everything in it says whose it is. */
it(`${SESSIONS} sessions with ${CALLS} calls each: everybody gets their own`, async () => {
  const { work, settings, audit } = place();
  const folders = Array.from({ length: SESSIONS }, (_, n) => join(work, `w${n}`));
  for (const [n, folder] of folders.entries()) {
    mkdirSync(folder);
    writeFileSync(join(folder, "mine.txt"), `this is ${n}.`);
    writeFileSync(join(folder, "long.txt"), Array.from({ length: 400 }, (_, line) => `line ${line} of session ${n}.`).join("\n"));
  }
  const tools = {
    permissions: { write: [{ pattern: "*", action: "allow" }] },
    overflow: { threshold: 2000 },
    result_cache: { enabled: false },
  };
  const { url, sessions } = await serving({ cwd: work, workspaces: [work], settings: settings(tools) });
  const began = performance.now();
  const before = process.memoryUsage().rss;
  const clients = await inGroups(folders, 10, (folder, n) =>
    connected(url, { revision: REVISIONS[n % 2]!, query: `?workspace=${encodeURIComponent(folder)}&session=s${n}` }),
  );
  await inGroups(clients, 10, (client) => client.listTools());
  const opened = performance.now();
  const after = process.memoryUsage().rss;
  const wrong: string[] = [];
  await Promise.all(clients.map((client, n) => atWork(client, n, wrong)));
  const ended = performance.now();
  expect(wrong).toEqual([]);
  expect(sessions()).toBe(SESSIONS);
  for (const [n, folder] of folders.entries()) expect(readFileSync(join(folder, "note.txt"), "utf8")).toContain(`note of ${n},`);
  const callers = new Set(audit().flatMap(({ caller_id, tool }) => (tool === "read" ? [caller_id] : [])));
  expect(callers.size).toBe(SESSIONS);
  if (process.env.SESSIONS)
    process.stderr.write(
      `${SESSIONS} sessions opened in ${Math.round(opened - began)} ms, ${((after - before) / 1e6 / SESSIONS).toFixed(1)} MB each; ${SESSIONS * CALLS} calls in ${Math.round(ended - opened)} ms; ${wrong.length} mixed up\n`,
    );
});

async function atWork(client: Client, n: number, wrong: string[]): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    return { text: textOf(result), overflow: (result._meta?.["zeph/call"] as { overflow?: string } | undefined)?.overflow };
  };
  const check = (isRight: boolean, what: string) => {
    if (!isRight) wrong.push(`session ${n}: ${what}`);
  };
  for (let at = 0; at < CALLS; at += 5) {
    check((await call("read", { path: "mine.txt" })).text.includes(`this is ${n}.`), "another's file");
    await call("write", { path: "note.txt", content: `note of ${n}, ${at}.` });
    check((await call("read", { path: "note.txt" })).text.includes(`note of ${n}, ${at}.`), "another's note");
    const { text, overflow = "" } = await call("read", { path: "long.txt" });
    check(overflow !== "" && text.includes(`of session ${n}.`), "nothing was kept");
    const kept = await call("read_overflow", { id: overflow, pattern: "line 200 " });
    check(kept.text.includes(`line 200 of session ${n}.`), `another's text: ${kept.text.slice(0, 200)}`);
  }
}

async function inGroups<T, R>(items: readonly T[], size: number, work: (item: T, n: number) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += size)
    done.push(...(await Promise.all(items.slice(from, from + size).map((item, n) => work(item, from + n)))));
  return done;
}
