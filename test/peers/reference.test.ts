import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ZephEvent } from "../../src/core/event.ts";
import type { Elicitation } from "../../src/core/ports/elicitation.ts";
import { createRuntime, type Zeph } from "../../src/index.ts";
import { completeMention } from "../../src/runtime/person/complete-mention.ts";
import { available } from "../sandbox/support.ts";
import { havePeers, peersFolder, server } from "./peers.ts";

// The servers that everybody knows, as other people wrote them, behind our walls.

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-reference-")));
const work = join(base, "work");
const memory = join(work, "memory.jsonl");
const settings = join(work, ".zeph", "config.toml");
const events: ZephEvent[] = [];
const asked: Elicitation[] = [];
let zeph: Zeph;

const program = (name: "everything" | "filesystem" | "memory", more: object = {}) => ({
  name,
  command: process.execPath,
  args: [server(name)],
  trust: "trusted" as const,
  allow_read: [peersFolder],
  ...more,
});

const names = (uris: readonly string[]) => uris.map((uri) => uri.split("/").at(-1));

const call = (tool: string, args: object = {}, signal?: AbortSignal) => zeph.call(`mcp__${tool}`, args, signal && { signal });

/** What the model reads of a call that went well. */
async function answer(tool: string, args: object = {}) {
  const outcome = await call(tool, args);
  if (!outcome.ok) throw new Error(`${tool}: ${outcome.error.message} ${outcome.output?.text ?? ""}`);
  return outcome.output;
}
const text = async (tool: string, args: object = {}) => (await answer(tool, args)).text;

/** What it reads of one that did not. */
async function failure(tool: string, args: object = {}) {
  const outcome = await call(tool, args);
  if (outcome.ok) throw new Error(`${tool} went well: ${outcome.output.text}`);
  return { category: outcome.error.category, text: `${outcome.error.message} ${outcome.output?.text ?? ""}` };
}

describe.skipIf(!havePeers || !available)("the reference servers", () => {
  beforeAll(async () => {
    process.env.PEERS_SECRET = "not for servers";
    mkdirSync(work);
    writeFileSync(join(base, "outside.txt"), "not yours\n");
    writeFileSync(join(work, "inside.txt"), "yours\n");
    mkdirSync(join(work, ".zeph"));
    writeFileSync(settings, "");
    symlinkSync(join(base, "outside.txt"), join(work, "link.txt"));
    zeph = await createRuntime({
      cwd: work,
      store: "memory",
      config: {
        audit: { path: join(base, "audit.jsonl") },
        autonomy: "full",
        mcp: {
          servers: [
            program("everything", { env: { SEEN: "by the server" } }),
            // Its own limit is the whole machine. What keeps it here are the roots that it asks us for, and the walls.
            program("filesystem", { args: [server("filesystem"), "/"] }),
            program("memory", { env: { MEMORY_FILE_PATH: memory } }),
            program("memory", { name: "elsewhere", env: { MEMORY_FILE_PATH: join(base, "memory.jsonl") } }),
          ],
        },
      },
      elicit: async (question) => {
        asked.push(question);
        return { action: "accept", content: question.kind === "form" ? { name: "Ada", check: true, integer: 7 } : {} };
      },
      onEvent: (event) => void events.push(event),
    });
  });
  afterAll(async () => {
    delete process.env.PEERS_SECRET;
    await zeph?.close();
    rmSync(base, { recursive: true, force: true });
  });

  it("are connected, behind walls, without a network, and their tools are offered", () => {
    const states = zeph.mcp.states().map(({ name, state, server, protocol, walls, tools }) => ({
      name,
      state,
      server,
      protocol,
      walls: [walls?.backend, walls?.network],
      offered: tools.filter((tool) => tool.state === "offered").length,
    }));
    const walled = { state: "connected", protocol: "2025-11-25", walls: ["bubblewrap", "closed"] };
    expect(states).toEqual([
      { ...walled, name: "everything", server: "mcp-servers/everything 2.0.0", offered: expect.any(Number) },
      { ...walled, name: "filesystem", server: "secure-filesystem-server 0.2.0", offered: 14 },
      { ...walled, name: "memory", server: "memory-server 0.6.3", offered: 9 },
      { ...walled, name: "elsewhere", server: "memory-server 0.6.3", offered: 9 },
    ]);
    expect(states[0]!.offered).toBeGreaterThan(13);
    const names = zeph.tools().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["mcp__everything__echo", "mcp__filesystem__read_text_file", "mcp__memory__read_graph"]));
  });

  describe("everything", () => {
    it("answers in text", async () => {
      expect(await text("everything__echo", { message: "hi" })).toBe("Echo: hi");
      expect(await text("everything__get-sum", { a: 2, b: 3 })).toBe("The sum of 2 and 3 is 5.");
    });

    it("answers with structure", async () => {
      const { raw } = await answer("everything__get-structured-content", { location: "Chicago" });
      expect(raw).toEqual({ temperature: 36, conditions: "Light rain / drizzle", humidity: 82 });
    });

    it("answers with images, links and resources", async () => {
      expect(await text("everything__get-tiny-image")).toMatch(/\n\[image 1: image\/png, 20 x 20, \d+ k?B\]\n/);
      const links = await text("everything__get-resource-links", { count: 2 });
      expect(links).toContain("Text Resource 2 <demo://resource/dynamic/text/2> (text/plain)");
      expect(await text("everything__get-resource-reference", { resourceType: "Text", resourceId: 1 })).toContain(
        "<demo://resource/dynamic/text/1>\n",
      );
    });

    it("is not even asked when the arguments do not fit", async () => {
      expect(await failure("everything__get-sum", { a: "x" })).toMatchObject({ category: "invalid_parameters" });
    });

    it("sees the environment that it was given, and none of ours", async () => {
      const env = JSON.parse(await text("everything__get-env"));
      expect(env).toMatchObject({ SEEN: "by the server" });
      expect(Object.keys(env)).not.toContain("PEERS_SECRET");
      expect(env.HOME).not.toBe(process.env.HOME);
    });

    it("writes its prompts, and suggests values for their arguments, the second by the first", async () => {
      const { offers } = zeph.mcp;
      const { signal } = new AbortController();
      expect(offers.prompts("everything").map(({ name }) => name)).toEqual([
        "simple-prompt",
        "args-prompt",
        "completable-prompt",
        "resource-prompt",
      ]);
      expect(await offers.prompt("everything", "args-prompt", { city: "Paris" }, signal)).toEqual({
        text: "What's weather in Paris?",
        isCut: false,
      });
      const embedded = await offers.prompt("everything", "resource-prompt", { resourceType: "Text", resourceId: "1" }, signal);
      expect(embedded.text).toContain("<demo://resource/dynamic/text/1>\nResource 1");
      const suggest = (name: string, value: string, before = {}) =>
        offers.suggest("everything", { prompt: "completable-prompt" }, { name, value, before });
      expect(await suggest("department", "E")).toEqual(["Engineering"]);
      expect(await suggest("name", "", { department: "Engineering" })).toEqual(["Alice", "Bob", "Charlie"]);
      expect(await suggest("name", "", { department: "Sales" })).toEqual(["David", "Eve", "Frank"]);
    });

    it("lists its resources and templates, and a model reads them through the door", async () => {
      const { offers } = zeph.mcp;
      expect(zeph.mcp.states()[0]).toMatchObject({ prompts: 4, resources: 7, templates: 2 });
      expect(await text("everything__list_resources", { matching: "dynamic/text" })).toContain("demo://resource/dynamic/text/{resourceId}");
      expect(await text("everything__read_resource", { uri: "demo://resource/dynamic/text/7" })).toContain(
        "Resource 7: This is a plaintext",
      );
      expect(await text("everything__read_resource", { uri: "demo://resource/dynamic/blob/7" })).toMatch(
        /^\[resource <demo:.*not shown\]$/,
      );
      expect(await failure("everything__read_resource", { uri: "demo://nowhere" })).toMatchObject({
        text: expect.stringContaining("not found"),
      });
      const value = { name: "resourceId", value: "5", before: {} };
      expect(await offers.suggest("everything", { template: "demo://resource/dynamic/text/{resourceId}" }, value)).toEqual(["5"]);
      expect(names(await completeMention(zeph.mcp, "@everything:demo://resource/static/document/f"))).toEqual(["features.md"]);
    });

    it("is told where we work", async () => {
      expect(await text("everything__get-roots-list")).toContain(`URI: file://${work}\n`);
    });

    it("tells how far it is", async () => {
      const before = events.length;
      expect(await text("everything__trigger-long-running-operation", { duration: 0.6, steps: 3 })).toContain("completed");
      const told = events.slice(before).flatMap((event) => (event.type === "progress" ? [event.progress] : []));
      expect(told[0]).toMatchObject({ done: 1, total: 3 });
    });

    it("stops waiting when the person does, and answers the next call", async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 300);
      const begun = performance.now();
      const outcome = await call("everything__trigger-long-running-operation", { duration: 60, steps: 60 }, stop.signal);
      expect(outcome).toMatchObject({ ok: false, error: { category: "cancelled" } });
      expect(performance.now() - begun).toBeLessThan(50_000);
      expect(await text("everything__echo", { message: "still here" })).toBe("Echo: still here");
    });

    it("asks the person, and gets what they said", async () => {
      const said = await text("everything__trigger-elicitation-request");
      expect(said).toContain('"name": "Ada"');
      expect(said).toContain('"integer": 7');
      const form = asked.find(({ kind }) => kind === "form");
      expect(form).toMatchObject({ from: "everything", message: "Please provide inputs for the following fields:" });
    });

    it("asks the person to open a page, and nothing is opened", async () => {
      const url = "https://example.com/agree";
      const said = await text("everything__trigger-url-elicitation", { url, message: "Look here" });
      expect(said).toContain("accept");
      expect(asked.find(({ kind }) => kind === "visit")).toEqual({ kind: "visit", from: "everything", message: "Look here", url });
    });

    it("reaches no network, not even this machine's", async () => {
      let reached = 0;
      const here = createServer((_, res) => {
        reached += 1;
        res.end("hello");
      });
      await new Promise<void>((done) => here.listen(0, "127.0.0.1", done));
      const data = `http://127.0.0.1:${(here.address() as AddressInfo).port}/`;
      await failure("everything__gzip-file-as-resource", { name: "x.gz", data, outputType: "resource" });
      here.close();
      expect(reached).toBe(0);
    });
  });

  describe("filesystem", () => {
    it("works in the workspace", async () => {
      expect(await text("filesystem__list_allowed_directories")).toBe(`Allowed directories:\n${work}`);
      expect(await text("filesystem__read_text_file", { path: join(work, "inside.txt") })).toBe("yours\n");
      await text("filesystem__write_file", { path: join(work, "new.txt"), content: "new" });
      expect(readFileSync(join(work, "new.txt"), "utf8")).toBe("new");
    });

    it.each(["outside.txt", "work/link.txt", "work/../outside.txt"])("reads nothing elsewhere: %s", async (path) => {
      const { text } = await failure("filesystem__read_text_file", { path: `${base}/${path}` });
      expect(text).not.toContain("not yours");
    });

    it("writes nothing elsewhere", async () => {
      await failure("filesystem__write_file", { path: join(base, "new.txt"), content: "new" });
      expect(existsSync(join(base, "new.txt"))).toBe(false);
    });

    it("writes nothing that commands may not write either", async () => {
      await failure("filesystem__write_file", { path: settings, content: "autonomy = 'full'" });
      expect(readFileSync(settings, "utf8")).toBe("");
    });
  });

  describe("memory", () => {
    const entities = [{ name: "Zeph", entityType: "runtime", observations: ["has walls"] }];

    it("keeps what it learns in a file of the workspace", async () => {
      await text("memory__create_entities", { entities });
      expect(readFileSync(memory, "utf8")).toContain("has walls");
      expect((await answer("memory__search_nodes", { query: "walls" })).raw).toEqual({ entities, relations: [] });
    });

    it("keeps it over a restart", async () => {
      await zeph.mcp.remove("memory");
      expect(zeph.tools().some(({ name }) => name.startsWith("mcp__memory__"))).toBe(false);
      const { trust, ...rest } = program("memory", { env: { MEMORY_FILE_PATH: memory } });
      const config = { headers: {}, timeout_secs: 60, network: false, allow_write: [], env: { MEMORY_FILE_PATH: memory } };
      const { state } = await zeph.mcp.add({ ...config, ...rest, trust: trust as "trusted" });
      expect(state).toBe("connected");
      expect(await text("memory__read_graph")).toContain("has walls");
    });

    it("has no file outside of it", async () => {
      // What it is not let write it may not know of: the folder is one of its own there.
      await call("elsewhere__create_entities", { entities });
      expect(existsSync(join(base, "memory.jsonl"))).toBe(false);
    });
  });

  it("leave a line in the audit log for each call", async () => {
    const lines = readFileSync(join(base, "audit.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const tools = new Set(lines.map(({ tool }) => tool));
    expect([...tools]).toEqual(
      expect.arrayContaining(["mcp__everything__echo", "mcp__filesystem__write_file", "mcp__memory__create_entities"]),
    );
  });
});
