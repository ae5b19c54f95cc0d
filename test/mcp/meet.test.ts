import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Zeph } from "../../src/index.ts";
import { agentIn, all, done, modelSaying, says } from "../talking.ts";
import { type Workspace, workspace } from "../workspace.ts";
import { serverConfig } from "./client-support.ts";

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
  writeFileSync(
    file,
    `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(started())}, ""); console.log("Listening on 3000"); setInterval(() => {}, 1000);`,
  );
  return { name: "silent", command: process.execPath, args: [file], timeout_secs: 8, allow_read: [process.execPath] };
};
const started = () => join(place.work, "started");
const good = { name: "good", command: process.execPath, args: [GOOD], allow_read: [repository, process.execPath] };
const config = (...servers: object[]) => ({ audit: { path: join(place.state, "audit.jsonl") }, mcp: { servers } });

const runtime = async (options: object): Promise<Zeph> => {
  const zeph = await place.runtime({ confirm: () => "once", ...options });
  open.push(zeph);
  return zeph;
};

describe("a server of which nothing is known yet", () => {
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
    const why = 'it did not answer within 8 s; it wrote what is not the protocol: "Listening on 3000"';
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

describe("a server that is added while a runtime is at work", () => {
  const tells = (name: string) => {
    const file = join(place.work, "tells.mjs");
    writeFileSync(file, 'import fs from "node:fs"; fs.writeFileSync(process.argv[2], process.env.K ?? "nothing");');
    return serverConfig({
      name,
      command: process.execPath,
      args: [file, join(place.work, name)],
      env: { K: "${ZEPH_TEST_KEY}" },
      timeout_secs: 20,
      allow_read: [process.execPath],
    });
  };

  it("gets a key of the person's only when it is the person who adds it", async () => {
    process.env.ZEPH_TEST_KEY = "the-key-of-the-person";
    try {
      const file = join(place.T, "config.toml");
      writeFileSync(file, `audit.path = ${JSON.stringify(join(place.state, "audit.jsonl"))}\n`);
      const zeph = await runtime({ config: file });
      await zeph.mcp.add(tells("strange"));
      await zeph.mcp.addOwn(tells("own"));
    } finally {
      delete process.env.ZEPH_TEST_KEY;
    }
    expect(readFileSync(join(place.work, "strange"), "utf8")).toBe("${ZEPH_TEST_KEY}");
    expect(readFileSync(join(place.work, "own"), "utf8")).toBe("the-key-of-the-person");
  });
});

describe("an address that refuses", () => {
  const refusing = async () => {
    const server = createServer((_request, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end());
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    open.push({ close: () => new Promise((done) => void server.close(() => done())) });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };

  it("wants a login, or refuses the header that was given", async () => {
    const url = await refusing();
    const headers = { Authorization: "Bearer wrong-token-0123456789" };
    const zeph = await runtime({ config: config({ name: "login", url }, { name: "header", url, headers }) });
    expect(zeph.mcp.states()).toMatchObject([
      { name: "login", state: "needs login" },
      { name: "header", state: "failed", why: expect.stringContaining("401") },
    ]);
    expect(JSON.stringify(zeph.mcp.states())).not.toContain("wrong-token");
  });
});
