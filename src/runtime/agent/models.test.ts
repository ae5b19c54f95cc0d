import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig, parseConfig } from "../../config/load.ts";
import type { ConfigError } from "../../config/problem.ts";
import { ModelError } from "../../core/model-error.ts";
import { ollamaUrl } from "../../models/ollama.ts";
import { findModel, openModel } from "./models.ts";

const llmOf = (llm: object) => parseConfig({ llm }).llm;
const provider = (more: object) => ({ name: "one", type: "anthropic", model: "m", ...more });
const KEYS = { ANTHROPIC_API_KEY: "sk-a", OPENAI_API_KEY: "sk-o", MINE: "sk-m" };
const keys = (given: Record<string, string>) => (name: string) => given[name];
const nowhere = { OLLAMA_HOST: "127.0.0.1:1" };

const problems = (llm: object): string[] => {
  try {
    llmOf(llm);
    return [];
  } catch (error) {
    return (error as ConfigError).problems.map(({ key, message }) => `${key}: ${message}`);
  }
};

describe("the configuration", () => {
  it("has no provider and no choice by default", () => expect(llmOf({})).toEqual({ default: "", embedding_provider: "", providers: [] }));
  it("fills in what is left out", () =>
    expect(llmOf({ providers: [provider({})] }).providers[0]).toEqual({
      name: "one",
      type: "anthropic",
      model: "m",
      reasoning: false,
      tool_use: true,
      api: "responses",
      timeout_secs: 300,
    }));
  it.each<[string, object, RegExp]>([
    ["two of one name", { providers: [provider({}), provider({})] }, /llm\.providers\[?\.?1\]?\.name.*two providers/],
    ["an unknown choice", { default: "two", providers: [provider({})] }, /llm\.default.*The providers are one/],
    ["a key", { providers: [provider({ api_key: "sk-secret" })] }, /api_key.*keys\.toml/],
    ["a key in place of its name", { providers: [provider({ api_key_env: "sk-secret" })] }, /api_key_env.*name of a variable/],
    ["an unknown type", { providers: [provider({ type: "magic" })] }, /type/],
    ["no model", { providers: [{ name: "one", type: "openai" }] }, /model/],
    ["an odd name", { providers: [provider({ name: "a b" })] }, /name/],
    ["an odd address", { providers: [provider({ base_url: "ftp://x" })] }, /base_url/],
    ["a compatible one without address", { providers: [provider({ type: "compatible" })] }, /base_url.*address/],
    ["tokens for thinking without thinking", { providers: [provider({ thinking_tokens: 2000 })] }, /thinking_tokens/],
    ["an API of another provider", { providers: [provider({ api: "chat" })] }, /api/],
    ["a setting nobody knows", { providers: [provider({ modle: "x" })] }, /modle.*model/],
    ["a negative price", { providers: [provider({ price: { input: -1, output: 1 } })] }, /price/],
  ])("refuses %s", (_what, llm, why) => {
    const found = problems(llm);
    expect(found.join("\n")).toMatch(why);
    expect(found.join("\n")).not.toContain("sk-secret");
  });
});

it("is not for a project nobody vouched for", () => {
  const folder = mkdtempSync(join(tmpdir(), "models-"));
  try {
    mkdirSync(join(folder, ".zeph"));
    writeFileSync(
      join(folder, ".zeph", "config.toml"),
      '[llm]\ndefault = "x"\n[[llm.providers]]\nname = "x"\ntype = "anthropic"\nmodel = "m"\nbase_url = "http://example.invalid"\n',
    );
    const { config, warnings } = loadConfig({ cwd: folder, home: join(folder, "home"), env: {}, trusted: () => false });
    expect(config.llm).toEqual({ default: "", embedding_provider: "", providers: [] });
    expect(warnings.join()).toMatch(/llm\.default.*llm\.providers/s);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("opening a model", () => {
  const llm = llmOf({
    default: "two",
    providers: [
      provider({ price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } }),
      provider({ name: "two", type: "openai", model: "gpt-x", context_tokens: 5000 }),
      provider({ name: "three", type: "compatible", base_url: "http://127.0.0.1:1/v1", api_key_env: "MINE" }),
      provider({ name: "four", type: "ollama", model: "qwen3" }),
    ],
  });
  const open = (name?: string, given: Record<string, string> = KEYS) =>
    openModel({ llm, keys: keys(given), env: nowhere, ...(name !== undefined && { name }) });

  it("takes the named one, else the chosen one, else the first", async () => {
    expect((await open("one")).id).toBe("one/m");
    expect((await open()).id).toBe("two/gpt-x");
    expect((await openModel({ llm: { ...llm, default: "" }, keys: keys(KEYS) })).id).toBe("one/m");
  });
  it("knows how much fits and what it costs", async () => {
    expect(await open("one")).toMatchObject({ contextTokens: 200_000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } });
    expect((await open("two")).contextTokens).toBe(5000);
    expect((await open("four")).contextTokens).toBe(32_768);
  });
  it("says which there are when one is not there", async () => {
    await expect(open("tow")).rejects.toThrow('There is no provider "tow". The providers are one, two, three, four. Did you mean "two"?');
    await expect(openModel({ llm: llmOf({}), keys: keys(KEYS) })).rejects.toThrow(/No provider is configured.*\[\[llm\.providers\]\]/);
    await expect(openModel({ llm: llmOf({ default: "x" }), keys: keys(KEYS) })).rejects.toThrow(/"x": none is configured/);
  });
  it.each([
    ["one", "ANTHROPIC_API_KEY"],
    ["two", "OPENAI_API_KEY"],
    ["three", "MINE"],
  ])("says where the key of %s is looked for", async (name, variable) => {
    const error = await open(name, {}).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error.fault).toBe("no_key");
    expect(error.message).toContain(variable);
  });
  it("refuses a key that cannot be sent, without showing it", async () => {
    const error = await open("one", { ANTHROPIC_API_KEY: "sk-\u00e4-secret" }).catch((thrown) => thrown);
    expect(error.fault).toBe("wrong_key");
    expect(error.message).not.toContain("secret");
  });
  it("warns of a key that would go unencrypted, once", async () => {
    const told: string[] = [];
    const far = llmOf({ providers: [provider({ base_url: "http://example.invalid/v1" })] });
    await openModel({ llm: far, keys: keys(KEYS), warn: (message) => told.push(message) });
    expect(told).toEqual([expect.stringMatching(/example\.invalid without encryption/)]);
  });
});

describe("a script", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "models-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  it("is a provider like any other", async () => {
    const file = join(folder, "turns.json");
    writeFileSync(file, '[[{"type":"text","text":"hi"}]]');
    const model = await openModel({ llm: llmOf({ providers: [provider({ type: "script", model: file })] }), keys: keys({}) });
    expect(model).toMatchObject({ id: `one/${file}`, contextTokens: 128_000 });
  });
});

describe("finding a model when none is configured", () => {
  const find = (given: Record<string, string>, env: Record<string, string> = nowhere) =>
    findModel({ llm: llmOf({}), keys: keys(given), env });
  const serve = async (handler: Parameters<typeof createServer>[1] & object) => {
    const server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      stop: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  };

  it("takes Anthropic's key, then OpenAI's", async () => {
    expect((await find(KEYS))?.id).toMatch(/^anthropic\/claude-/);
    expect((await find({ OPENAI_API_KEY: "x" }))?.id).toMatch(/^openai\/gpt-/);
  });
  it("takes the newest model of a local Ollama, then nothing", async () => {
    const server = await serve(({ url }, response) => {
      const models = [
        { name: "old:1b", modified_at: "2025-01-01T00:00:00Z" },
        { name: "new:8b", modified_at: "2026-01-01T00:00:00Z" },
        { name: "nomic-embed-text", modified_at: "2026-02-01T00:00:00Z" },
      ];
      response.end(url === "/api/tags" ? JSON.stringify({ models }) : "{}");
    });
    // A server is waited for half a second only, which a busy machine may need to answer.
    await expect.poll(async () => (await find({}, { OLLAMA_HOST: server.host }))?.id).toBe("ollama/new:8b");
    server.stop();
    expect(await find({})).toBeNull();
  });
  it.each<[string, (response: any) => void]>([
    ["says nothing", () => {}],
    ["says nonsense", (response) => response.end("nonsense")],
    ["has no model", (response) => response.end('{"models":[]}')],
    ["has odd ones", (response) => response.end('{"models":[null,{"name":7}]}')],
    ["refuses", (response) => response.writeHead(500).end()],
    ["never stops", (response) => setInterval(() => response.destroyed || response.write("x".repeat(100_000)), 5).unref()],
  ])("finds none where a server %s, and soon", async (_what, say) => {
    const server = await serve((_request, response) => say(response));
    const started = performance.now();
    expect(await find({}, { OLLAMA_HOST: server.host })).toBeNull();
    expect(performance.now() - started).toBeLessThan(15_000);
    server.stop();
  });
  it("takes what is configured before anything it could find", async () => {
    const llm = llmOf({ providers: [provider({ name: "mine", type: "ollama" })] });
    expect((await findModel({ llm, keys: keys(KEYS), env: nowhere }))?.id).toBe("mine/m");
    await expect(findModel({ llm: llmOf({ default: "gone" }), keys: keys(KEYS), env: nowhere })).rejects.toThrow(/gone/);
  });
});

describe("where Ollama listens", () => {
  it.each([
    [undefined, "http://127.0.0.1:11434/v1"],
    ["", "http://127.0.0.1:11434/v1"],
    ["10.0.0.5", "http://10.0.0.5:11434/v1"],
    ["10.0.0.5:99", "http://10.0.0.5:99/v1"],
    [":99", "http://127.0.0.1:99/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:99", "http://127.0.0.1:99/v1"],
    ["[::]:99", "http://[::1]:99/v1"],
    ["https://ollama.example/", "https://ollama.example/v1"],
    ["http://box:99/base/", "http://box:99/base/v1"],
    ["not an address", "http://127.0.0.1:11434/v1"],
  ])("%s", (host, url) => expect(ollamaUrl(host)).toBe(url));
});
