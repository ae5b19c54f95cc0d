import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Zeph, ZephEvent } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const GOOD = fileURLToPath(new URL("./client-good.mjs", import.meta.url));

let place: Workspace;
let zeph: Zeph;
let events: ZephEvent[];
beforeEach(() => {
  place = workspace();
  events = [];
});
afterEach(async () => {
  await zeph.close();
  place.remove();
});

/** A server as somebody writes it into their file; outside /usr it has to be shown what it is made of. */
const server = (name: string, more = "") =>
  `[[mcp.servers]]\nname = "${name}"\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(GOOD)}]\nallow_read = [${JSON.stringify(repository)}, ${JSON.stringify(process.execPath)}]\n${more}\n`;

const file = () => join(place.T, "config.toml");
const write = (...servers: string[]) =>
  writeFileSync(file(), `audit.path = ${JSON.stringify(join(place.state, "audit.jsonl"))}\n\n${servers.join("\n")}`);
const begin = async (...servers: string[]) => {
  write(...servers);
  zeph = await place.runtime({ config: file(), confirm: () => "once", onEvent: (event: ZephEvent) => events.push(event) });
};
const offered = () => [...new Set(zeph.tools().flatMap(({ name }) => /^mcp__(\w+?)__/.exec(name)?.[1] ?? []))];
const states = () => Object.fromEntries(zeph.mcp.states().map(({ name, state }) => [name, state]));

describe("servers in a configuration that is read again", () => {
  it("come and go with their entries; those whose entry is as it was go on", async () => {
    await begin(server("one"), server("two"));
    expect(offered()).toEqual(["one", "two"]);
    expect(await zeph.call("mcp__one__add", { a: 1, b: 2 })).toMatchObject({ ok: true, output: { text: '{"sum":3}' } });
    write(server("one"), server("three"));
    expect(await zeph.governance.reload()).toMatchObject({ changed: ["mcp.servers"], later: [] });
    await expect.poll(offered).toEqual(["one", "three"]);
    expect(states()).toEqual({ one: "connected", three: "connected" });
    expect(await zeph.call("mcp__two__add", { a: 1, b: 2 })).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    expect(await zeph.call("mcp__three__add", { a: 2, b: 2 })).toMatchObject({ ok: true, output: { text: '{"sum":4}' } });
  });

  it("are believed as far as their entry says now", async () => {
    await begin(server("one"));
    expect(await zeph.judge("mcp__one__add", { a: 1, b: 2 })).toMatchObject({ verdict: "ask", gate: "trust" });
    write(server("one", 'trust = "untrusted"'));
    await zeph.governance.reload();
    await expect.poll(async () => (await zeph.judge("mcp__one__add", { a: 1, b: 2 }).catch(() => null))?.verdict).toBe("deny");
  });

  it("stay as they are when something in the file is wrong", async () => {
    await begin(server("one"));
    writeFileSync(file(), `${server("two")}\nautonomy = "sometimes"\n`);
    expect((await zeph.governance.reload()).problem).toBeDefined();
    expect(offered()).toEqual(["one"]);
  });
});
