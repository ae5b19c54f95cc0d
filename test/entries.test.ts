import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { ENTRIES } from "../scripts/entries.mjs";
import { importsAtOnce, reachOf } from "../scripts/import-graph.mjs";
import { openAudit, readAuditTail, verifyAuditLog } from "../src/entry/audit.ts";
import { createPolicy } from "../src/entry/policy.ts";
import { findWalls, runWalled } from "../src/entry/sandbox.ts";
import { findSecrets, redactSecrets } from "../src/entry/secrets.ts";
import {
  type AgentOptions,
  CommandError,
  ConfigError,
  ConversationError,
  createAgent,
  createRuntime,
  defineTool,
  ModelError,
  type RuntimeOptions,
  ToolError,
  ToolsetError,
} from "../src/index.ts";
import { readSources } from "./imports.ts";
import { workspace } from "./workspace.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zeph-entries-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("An entry", () => {
  const graph = new Map(readSources(".").map(({ file, text }) => [file, importsAtOnce(file, text)]));
  const packagesOf = (module: string) => [...reachOf(`src/${module}.ts`, graph)].filter((name) => !/^(?:src\/|node:)/.test(name));

  it.each(["tool", "secrets", "policy", "sandbox", "audit", "testing"])("loads no package before it is used: zeph/%s", (name) =>
    expect(packagesOf(ENTRIES[name]!)).toEqual([]),
  );
  it("of the whole package loads neither SQLite, pages, providers nor MCP before it is used", () =>
    expect(packagesOf("index").sort()).toEqual(["re2js", "smol-toml", "unbash", "zod"]));
  it("has the same names in package.json, and package.json has no others", () => {
    const { exports, sideEffects } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: object; sideEffects: boolean };
    const code = Object.keys(exports).filter((name) => !name.endsWith(".json"));
    expect(code).toEqual(Object.keys(ENTRIES).map((name) => (name === "index" ? "." : `./${name}`)));
    expect(sideEffects).toBe(false);
  });
});

describe("An option that does not exist", () => {
  it("is refused with the nearest one, and nothing is opened", async () => {
    await expect(createRuntime({ confrim: () => "no" } as RuntimeOptions)).rejects.toThrow(
      /createRuntime has no option "confrim"\. Did you mean "confirm"/,
    );
    await expect(createAgent({ modle: "x" } as AgentOptions)).rejects.toThrow(/createAgent has no option "modle"/);
    await expect(createRuntime([] as RuntimeOptions)).rejects.toThrow(/takes an object/);
    await expect(runWalled("true", { netwrok: "open" } as object)).rejects.toThrow(/runWalled has no option "netwrok"/);
    await expect(openAudit({ path: join(folder, "a"), stroe: "x" } as never)).rejects.toThrow(/openAudit has no option "stroe"/);
    await expect(createPolicy({ rules: [], defaultEfect: "allow" } as never)).rejects.toThrow(/createPolicy has no option "defaultEfect"/);
  });
  it("of a tool is refused, too", () =>
    expect(() => defineTool({ ...tool, touch: () => [] } as never)).toThrow(/defineTool has no option "touch"\. Did you mean "touches"\?/));
});

const tool = {
  name: "count",
  description: "Counts.",
  effect: "reads",
  input: z.strictObject({ path: z.string() }),
  touches: ({ path }: { path: string }) => [{ kind: "path", access: "read", path }] as const,
  run: async () => ({ text: "3" }),
} as const;

describe("A runtime", () => {
  it("is closed at the end of its block, and calls a tool of the program by the tool itself", async () => {
    const place = workspace([{ op: "file", path: "work/a", content: "x" }]);
    const count = defineTool(tool);
    let kept: Awaited<ReturnType<typeof createRuntime>>;
    {
      await using zeph = await place.runtime({ toolsets: [{ id: "mine", list: () => [count] }] });
      kept = zeph;
      expect(await zeph.call(count, { path: "a" })).toMatchObject({ ok: true, output: { text: "3" } });
      expect(await zeph.callAny("count", { path: "a" })).toMatchObject({ ok: true });
    }
    expect(await kept.call(count, { path: "a" })).toMatchObject({ ok: false, error: { message: "This runtime was closed." } });
    place.remove();
  });
  it("says what is wrong with a configuration in a ConfigError", () =>
    expect(createRuntime({ config: { tools: { enabled: 3 } } as object })).rejects.toBeInstanceOf(ConfigError));
});

describe("An error of the package", () => {
  it("keeps its message, its kind and its advice in JSON", () => {
    const error = new ToolError("permanent_failure", "No deploys left.", { advice: "Try tomorrow." });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name: "ToolError",
      category: "permanent_failure",
      message: "No deploys left.",
      advice: "Try tomorrow.",
    });
    expect(JSON.parse(JSON.stringify(new ToolError("timeout", "Late.")))).toMatchObject({
      advice: expect.stringContaining("took too long"),
    });
    for (const other of [
      new ModelError("no_key", "No key."),
      new ToolsetError("No id."),
      new ConversationError("None."),
      new CommandError("No."),
    ])
      expect(JSON.parse(JSON.stringify(other))).toMatchObject({ name: other.name, message: other.message });
    const config = new ConfigError([{ file: "a.toml", line: 3, message: "no such setting." }]);
    expect(JSON.parse(JSON.stringify(config))).toMatchObject({ name: "ConfigError", message: config.message, problems: config.problems });
  });
});

describe("Rules without a runtime", () => {
  const rules = [
    { effect: "deny" as const, tool: "bash", args_match: "curl" },
    { effect: "allow" as const, tool: "bash" },
  ];
  it("decide by the first that matches, else by the default, which denies", async () => {
    const policy = await createPolicy({ rules, cwd: folder });
    expect(policy.judge("bash", { command: "curl x" })).toMatchObject({ verdict: "deny", rule: expect.stringContaining("rule[0]") });
    expect(policy.judge("bash", { command: "ls" })).toMatchObject({ verdict: "allow" });
    expect(policy.judge("read", { path: "a" })).toMatchObject({ verdict: "deny", why: "default: deny (no matching rules)" });
    expect((await createPolicy({ rules, cwd: folder, defaultEffect: "allow" })).judge("read", { path: "a" }).verdict).toBe("allow");
  });
  it("follow links as the file tools do", async () => {
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs", "a.md"), "");
    const policy = await createPolicy({ cwd: folder, rules: [{ effect: "allow", tool: "read", paths: ["docs/**"] }] });
    expect(policy.judge("read", { path: "docs/../docs/a.md" }).verdict).toBe("allow");
    expect(policy.judge("read", { path: "docs/../../a.md" }).verdict).toBe("deny");
  });
  it("are refused when one makes no sense, as a list and as text", async () => {
    await expect(createPolicy({ rules: [{ effect: "deny", tool: "bash", args_match: "(" }] })).rejects.toThrow(ConfigError);
    await expect(createPolicy({ rules: [{ efect: "deny", tool: "bash" } as object] })).rejects.toThrow(ConfigError);
    await expect(createPolicy({ rules: '[[rules]]\neffect = "alow"\ntool = "bash"' })).rejects.toThrow(ConfigError);
  });
  it("deny what no call may hold, and say so", async () => {
    const policy = await createPolicy({ rules, defaultEffect: "allow" });
    for (const path of ["a\0b", "\ud800"])
      expect(policy.judge("read", { path })).toMatchObject({ verdict: "deny", rule: "input", why: expect.stringMatching(/^path holds /) });
  });
  it("throw for a tool that does not exist and for arguments that do not fit", async () => {
    const policy = await createPolicy({ rules, tools: [defineTool(tool)] });
    expect(() => policy.judge("raed", {})).toThrow(/no tool named "raed"/);
    expect(() => policy.judge("count", {})).toThrow(ToolError);
    expect(policy.judge("count", { path: "a" }).touches).toEqual([{ kind: "path", access: "read", path: "a" }]);
  });
});

describe("A command behind walls", () => {
  it("runs nowhere else: where there are no walls it is refused", async () => {
    const { backend } = await findWalls({ cwd: folder });
    const mark = join(folder, "ran");
    const run = runWalled(`echo in > ran; echo out > '${folder}-outside'; echo said; echo wrong >&2; exit 4`, { cwd: folder });
    if (backend === "none") {
      await expect(run).rejects.toMatchObject({ category: "policy_blocked" });
      expect(() => readFileSync(mark)).toThrow();
      return;
    }
    expect(await run).toMatchObject({ exitCode: 4, stdout: "said\n", truncated: false, walls: { backend, network: "closed" } });
    expect(readFileSync(mark, "utf8")).toBe("in\n");
    expect(() => readFileSync(`${folder}-outside`)).toThrow();
  });
  it("is given what it reads, and its output is kept up to a length", async () => {
    const { backend } = await findWalls({ cwd: folder });
    if (backend === "none") return;
    expect(await runWalled("cat", { cwd: folder, stdin: "abcdef", outputChars: 4 })).toMatchObject({ stdout: "abcd", truncated: true });
  });
});

describe("A log without a runtime", () => {
  it("is sound until somebody changes it, and its store misses a tail that was cut off", async () => {
    const [path, store] = [join(folder, "log", "audit.jsonl"), join(folder, "store.db")];
    const log = await openAudit({ path, store });
    for (const call_id of ["1", "2", "3"]) log.append({ kind: "call", ts: "2026-01-01T00:00:00.000Z", call_id });
    await log.close();
    expect(await verifyAuditLog({ path, store })).toMatchObject([{ intact: true, anchored: true, lines: 3 }]);
    expect((await readAuditTail({ path, store }, 1)).lines).toEqual([expect.stringContaining('"call_id":"3"')]);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    writeFileSync(path, `${lines.slice(0, 2).join("\n")}\n`);
    expect(await verifyAuditLog({ path, store })).toMatchObject([{ intact: false, problems: [{ kind: "tail" }] }]);
    // Nobody remembers the tail.
    expect(await verifyAuditLog({ path })).toMatchObject([{ intact: true, anchored: false, lines: 2 }]);
    writeFileSync(path, `${lines[1]}\n${lines[0]}\n`);
    expect(await verifyAuditLog({ path })).toMatchObject([{ intact: false }]);
  });
});

it("Secrets that a program names are taken out of a text, whatever they look like", () => {
  expect(findSecrets("the word is sesame")).toEqual([]);
  expect(redactSecrets("the word is sesame", { known: ["sesame", ""] })).toBe("the word is [redacted:access-token]");
});
