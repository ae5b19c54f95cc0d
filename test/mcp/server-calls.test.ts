import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connected, place, REVISIONS, serving, textOf } from "./server-support.ts";

describe.each(REVISIONS)("a client of %s", (revision) => {
  it("reads through the gates, and is recorded under its session", async () => {
    const { work, settings, audit } = place();
    writeFileSync(join(work, "a.txt"), "one\ntwo\n");
    const { url } = await serving({ cwd: work, settings: settings() });
    const client = await connected(url, { revision, query: "?session=mine" });
    expect(textOf(await client.callTool({ name: "read", arguments: { path: "a.txt" } }))).toContain("two");
    const outside = await client.callTool({ name: "read", arguments: { path: "/etc/hostname" } });
    expect([outside.isError, textOf(outside)]).toEqual([true, expect.stringContaining("category: policy_blocked")]);
    const [line] = audit().filter(({ tool }) => tool === "read");
    expect(line).toMatchObject({ phase: "executor" });
    if (revision === "2026-07-28") expect(line).toMatchObject({ caller_id: "mine" });
    else expect(line!.caller_id).toMatch(/^[0-9a-f-]{36}$/);
    // All calls of a session are one turn.
    expect(new Set(audit().flatMap(({ turn_id }) => turn_id ?? [])).size).toBeLessThanOrEqual(1);
  });

  it("is told that calls sent together run side by side, and they do, also those that change something", async () => {
    const { work, settings } = place();
    const { url } = await serving({ cwd: work, settings: settings({ permissions: { bash: [{ pattern: "*", action: "allow" }] } }) });
    const client = await connected(url, { revision });
    expect(client.getInstructions()).toContain("Calls sent together run side by side");
    const bash = async (command: string) => textOf(await client.callTool({ name: "bash", arguments: { command, timeout: 20 } }));
    // The first would end by its time limit if the second waited for it.
    const first = bash("until [ -e go ]; do sleep 0.05; done; echo went");
    expect(await bash("touch go; echo said")).toBe("said");
    expect(await first).toBe("went");
  });

  it("is told that a thought alone runs nothing, and it is recorded nowhere", async () => {
    const { work, settings, audit } = place();
    const { url } = await serving({ cwd: work, settings: settings() });
    const client = await connected(url, { revision });
    const alone = await client.callTool({ name: "read", arguments: { _tafc_think: "a secret plan" } });
    expect([alone.isError, textOf(alone)]).toEqual([true, "read was given a thought and no arguments. Nothing was run."]);
    await client.callTool({ name: "read", arguments: { path: "a.txt", _tafc_think: "a secret plan" } });
    expect(audit().filter(({ tool }) => tool === "read")).toHaveLength(1);
    expect(JSON.stringify(audit())).not.toContain("secret");
  });

  it("hears when the rules hide a tool, and when they show it again", async () => {
    const { root, work } = place();
    const config = join(root, "config.toml");
    const rules = (text: string) =>
      writeFileSync(config, `[audit]\npath = "${root}/audit.jsonl"\n[store]\npath = "${root}/zeph.db"\n${text}`);
    rules("");
    const { url } = await serving({ cwd: work, settings: { config } });
    let heard = 0;
    const client = await connected(url, {
      revision,
      prepare: (client) =>
        client.setNotificationHandler("notifications/tools/list_changed", () => {
          heard++;
        }),
    });
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain("delete_path");
    if (revision === "2026-07-28") await client.listen({ toolsListChanged: true });
    rules('[tools.permissions]\ndelete_path = [{ pattern = "*", action = "deny" }]\n');
    await expect.poll(() => heard).toBe(1);
    expect(await names()).not.toContain("delete_path");
    rules("");
    await expect.poll(() => heard).toBe(2);
    expect(await names()).toContain("delete_path");
  });

  it("stops a command by taking its request back", async () => {
    const { work, settings, audit } = place();
    const { url } = await serving({ cwd: work, settings: settings() });
    const client = await connected(url, { revision });
    const stop = new AbortController();
    const call = client.callTool({ name: "bash", arguments: { command: "touch began; sleep 30; touch ended" } }, { signal: stop.signal });
    call.catch(() => {});
    await expect.poll(() => existsSync(join(work, "began"))).toBe(true);
    stop.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => JSON.stringify(audit())).toContain("cancelled");
    expect(existsSync(join(work, "ended"))).toBe(false);
  });
});

it("a tool's hints follow from what it can do", async () => {
  const { work, settings } = place();
  const { url } = await serving({ cwd: work, settings: settings() });
  const { tools } = await (await connected(url)).listTools();
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints).toMatchObject({
    read: { readOnlyHint: true, openWorldHint: false },
    grep: { readOnlyHint: true },
    fetch: { readOnlyHint: true, openWorldHint: true },
    write: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    edit: { readOnlyHint: false, destructiveHint: true },
    create_directory: { destructiveHint: false, idempotentHint: true },
    delete_path: { destructiveHint: true },
    bash: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    memory_save: { readOnlyHint: false, destructiveHint: false },
  });
  expect(tools.every(({ title, description, inputSchema }) => title && description && inputSchema.type === "object")).toBe(true);
  for (const name of ["update_plan", "compress_context", "invoke_skill", "search_tools"]) expect(hints).not.toHaveProperty(name);
});

it("a session ends in time, whatever is under way", async () => {
  const { work, settings } = place();
  const { url, close } = await serving({ cwd: work, settings: settings() });
  const clients = await Promise.all(REVISIONS.map((revision) => connected(url, { revision })));
  const calls = clients.map((client, n) =>
    client.callTool({ name: "bash", arguments: { command: `touch began${n}; sleep 30; touch ended` } }).catch(() => "gone"),
  );
  await expect.poll(() => existsSync(join(work, "began0")) && existsSync(join(work, "began1"))).toBe(true);
  const began = performance.now();
  await close();
  expect(performance.now() - began).toBeLessThan(20_000);
  await clients[0]!.close();
  await clients[1]!.close();
  await Promise.all(calls);
  expect(existsSync(join(work, "ended"))).toBe(false);
});
