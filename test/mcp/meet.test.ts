import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Zeph } from "../../src/index.ts";
import { agentIn, all, done, modelSaying, says } from "../talking.ts";
import { type Workspace, workspace } from "../workspace.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const GOOD = fileURLToPath(new URL("./client-good.mjs", import.meta.url));

let place: Workspace;
const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  place = workspace();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  place.remove();
});

/** Leaves a word that it was started, and then says nothing for ever that anybody would understand. */
const silent = () => {
  const file = join(place.work, "silent.mjs");
  writeFileSync(file, `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(started())}, ""); console.log("Listening on 3000"); setInterval(() => {}, 1000);`);
  return { name: "silent", command: process.execPath, args: [file], timeout_secs: 1, allow_read: [process.execPath] };
};
const started = () => join(place.work, "started");
const good = { name: "good", command: process.execPath, args: [GOOD], allow_read: [repository, process.execPath] };
const config = (...servers: object[]) => ({ audit: { path: join(place.state, "audit.jsonl") }, mcp: { servers } });

const runtime = async (options: object): Promise<Zeph> => {
  const zeph = await place.runtime({ confirm: () => "once", ...options });
  open.push(zeph);
  return zeph;
};

describe("a server of which nothing is known yet", { timeout: 60_000 }, () => {
  it("is met before the runtime is there", async () => {
    const zeph = await runtime({ config: config(good) });
    expect(zeph.tools().map(({ name }) => name)).toContain("mcp__good__add");
  });

  it("is not started for others' sake when that is to come later", async () => {
    const zeph = await runtime({ config: config(silent()), servers: "later" });
    expect(await zeph.call("list_directory", { path: "." })).toMatchObject({ ok: true });
    expect(existsSync(started())).toBe(false);
    expect(zeph.mcp.states()).toMatchObject([{ name: "silent", state: "idle" }]);
    await zeph.mcp.meet();
    expect(existsSync(started())).toBe(true);
    const why = 'it did not answer within 1 s; it wrote what is not the protocol: "Listening on 3000"';
    expect(zeph.mcp.states()).toMatchObject([{ name: "silent", state: "failed", why }]);
  });

  it("is met when one of its tools is called, or asked about", async () => {
    const zeph = await runtime({ config: config(good, silent()), servers: "later" });
    expect(await zeph.judge("mcp__good__add", { a: 1, b: 2 })).toMatchObject({ verdict: "ask" });
    expect(await zeph.call("mcp__good__add", { a: 1, b: 2 })).toMatchObject({ ok: true });
    expect(await zeph.call("mcp__nobody__add", {})).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    expect(existsSync(started())).toBe(false);
    expect(await zeph.call("mcp__silent__any", {})).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    expect(existsSync(started())).toBe(true);
  });

  it("brings its tools in time for the first turn of a model", async () => {
    const model = modelSaying([says("hello")]);
    const agent = await agentIn(place, model, { config: config(good) });
    open.push(agent);
    expect(done(await all(agent.send("hi")))).toMatchObject({ why: "answered" });
    expect(model.given[0]!.tools.map(({ name }) => name)).toContain("mcp__good__add");
  });
});
