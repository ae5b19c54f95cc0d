import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished, vi } from "vitest";
import { connected, place, REVISIONS, serving, TOKEN, textOf } from "./server-support.ts";

const SECRET = "a secret of somebody else";

async function open() {
  const { root, work, settings } = place();
  const inner = join(work, "in");
  const outside = join(root, "outside");
  mkdirSync(inner);
  mkdirSync(outside);
  writeFileSync(join(inner, "mine.txt"), "mine");
  writeFileSync(join(outside, "key"), SECRET);
  const rules = { read: "allow", write: "allow", bash: "allow", grep: "allow", list_directory: "allow" };
  const permissions = Object.fromEntries(Object.entries(rules).map(([tool, action]) => [tool, [{ pattern: "*", action }]]));
  const { url, warnings } = await serving({ cwd: work, workspaces: [work], settings: settings({ permissions }) });
  return { work, inner, outside, url, warnings, query: `?workspace=${encodeURIComponent(inner)}` };
}

/** Everything that would reach the outside through the link. */
const CALLS = [
  { name: "bash", arguments: { command: "pwd -P; cat key; echo owned > written" } },
  { name: "read", arguments: { path: "key" } },
  { name: "write", arguments: { path: "written", content: "owned" } },
  { name: "list_directory", arguments: { path: "." } },
  { name: "grep", arguments: { pattern: "secret" } },
];

async function expectNothing(client: Client, outside: string) {
  for (const call of CALLS) {
    const said = await client.callTool(call).then(
      (result) => ({ failed: result.isError === true, text: textOf(result) }),
      (error: Error) => ({ failed: true, text: error.message }),
    );
    expect([call.name, said.failed, said.text]).toEqual([call.name, true, expect.not.stringContaining(SECRET)]);
  }
  expect(readdirSync(outside)).toEqual(["key"]);
}

it("a folder that became a link before the session's first call is not opened", async () => {
  const { inner, outside, url, query } = await open();
  const client = await connected(url, { query, onceNamed: true });
  renameSync(inner, `${inner}2`);
  symlinkSync(outside, inner);
  await expect(client.callTool(CALLS[0]!)).rejects.toThrow(/no longer the folder it was/);
  await expectNothing(client, outside);
  // One that begins now asks for a folder outside.
  for (const revision of REVISIONS) await expect(connected(url, { query, revision })).rejects.toThrow();
  rmSync(inner);
  renameSync(`${inner}2`, inner);
  expect(textOf(await client.callTool({ name: "bash", arguments: { command: "cat mine.txt" } }))).toContain("mine");
});

it.each(REVISIONS)("a folder that became a link while a session of %s works in it is left alone", async (revision) => {
  const { work, inner, outside, url, query } = await open();
  const client = await connected(url, { query, revision, onceNamed: true });
  const other = await connected(url);
  const bash = (command: string) => client.callTool({ name: "bash", arguments: { command } });
  expect(textOf(await bash("cat mine.txt"))).toContain("mine");
  const swap = await other.callTool({ name: "bash", arguments: { command: `mv in in2 && ln -s ${outside} in && ls` } });
  expect([swap.isError, readdirSync(work)]).toEqual([undefined, ["in", "in2"]]);
  if (revision === "2025-11-25") expect(textOf(await bash("true"))).toMatch(/policy_blocked[\s\S]*no longer the folder it was/);
  await expectNothing(client, outside);
  rmSync(inner);
  renameSync(`${inner}2`, inner);
  expect(textOf(await bash("cat mine.txt"))).toContain("mine");
});

it("another folder of the same name is another folder", async () => {
  const { inner, url, query } = await open();
  const client = await connected(url, { query });
  const bash = (command: string) => client.callTool({ name: "bash", arguments: { command } });
  expect(textOf(await bash("cat mine.txt"))).toContain("mine");
  renameSync(inner, `${inner}2`);
  mkdirSync(inner);
  expect(textOf(await bash("touch here"))).toContain("no longer the folder it was");
  expect(readdirSync(inner)).toEqual([]);
});

it("no session works in /, in the person's home, or where Zeph keeps its own files", async () => {
  const { root, work, settings } = place();
  vi.stubEnv("XDG_STATE_HOME", join(root, "xs"));
  vi.stubEnv("XDG_CONFIG_HOME", join(root, "xc"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const own = ["state", "state/unfinished", "xs", "xs/zeph/deep", "xc", "xc/zeph"].map((name) => join(root, name));
  for (const folder of own) mkdirSync(folder, { recursive: true });
  const { url, warnings } = await serving({ cwd: "/", workspaces: [], settings: settings() });
  expect(warnings.join()).toMatch(/^\/ holds your home and more, .*--workspace/);
  const begin = (folder: string | null, meta: object = {}) => {
    const method = Object.keys(meta).length > 0 ? "tools/list" : "initialize";
    return fetch(folder === null ? url : `${url}?workspace=${encodeURIComponent(folder)}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(method === "tools/list" && { "mcp-protocol-version": "2026-07-28", "mcp-method": method }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" }, _meta: meta },
      }),
    });
  };
  const modern = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  for (const folder of [null, "/", homedir(), root, ...own])
    for (const meta of [{}, modern]) {
      const answer = await begin(folder, meta);
      expect([folder, answer.status, await answer.text()]).toEqual([folder, 403, expect.stringContaining("no session may work")]);
    }
  expect((await begin(work)).status).toBe(200);
});

it("the walls around a command of a session are compared with the folder that was judged", async () => {
  const { url, query } = await open();
  const client = await connected(url, { query });
  const line = await client.callTool({ name: "bash", arguments: { command: "tr '\\0' ' ' < /proc/1/cmdline" } });
  // Zeph's own builder compares each place, zeph-run all that bubblewrap mounted; where neither can be used, a line of shell looks.
  expect(textOf(line)).toMatch(/ build | MOUNTS:\d+|the workspace is no longer the folder it was/);
});
