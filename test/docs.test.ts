import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { configJsonSchema } from "../src/config/document.ts";
import { parseConfig } from "../src/config/load.ts";
import { parsePolicyFile } from "../src/config/policy/policy-file.ts";
import { parseConfigToml } from "../src/config/read.ts";
import { allSettings } from "../src/config/settings.ts";
import type { Caller } from "../src/core/session.ts";
import { EXIT } from "../src/front/cli/exit.ts";
import { COMMANDS } from "../src/front/cli/program/commands.ts";
import { PROVIDER_TYPES } from "../src/models/defaults.ts";
import { apiGaps, apiPage } from "./api-page.ts";
import { configPage } from "./config-page.ts";
import { configType, toolInputsType } from "./config-type.ts";
import { gateSettings } from "./gate-settings.ts";
import { hooksPage } from "./hooks-page.ts";
import { MAY } from "./imports.ts";
import { manualPage } from "./manual.ts";
import { errorsPage, toolsPage } from "./pages.ts";
import { workspace } from "./workspace.ts";

const root = join(import.meta.dirname, "..");

/** What is generated and kept in the repository. `UPDATE=1 npx vitest run test/docs.test.ts` rewrites it, in the form that `npm run lint` wants: docs/api.md quotes some of these files. */
function kept(name: string, text: string): string {
  const file = join(root, name);
  if (process.env.UPDATE) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (/\.(?:ts|json)$/.test(name))
      execFileSync(process.execPath, ["node_modules/.bin/biome", "format", "--write", name], { cwd: root, stdio: "pipe" });
  }
  return readFileSync(file, "utf8");
}

test("docs/config.md is what the schema says", () => {
  expect(kept("docs/config.md", configPage())).toBe(configPage());
});

test("config.schema.json is what the schema says", () => {
  // Short lists on one line, as the formatter wants them; the layout is not compared.
  const text = JSON.stringify(configJsonSchema(), null, 2).replace(/\[\s+([^[\]{}]+?)\s+\]/g, (lines: string, list: string) =>
    list.length > 110 ? lines : `[${list.replace(/\s+/g, " ")}]`,
  );
  expect(JSON.parse(kept("config.schema.json", `${text}\n`))).toEqual(JSON.parse(text));
});

test("src/core/inputs/config-input.ts is what the schema says", () => {
  const made = configType(configJsonSchema());
  expect(isSameType("src/core/inputs/config-input.ts", made)).toBe(true);
});

test("docs/tools.md and src/core/inputs/tool-inputs.ts are what the tools say, and leave none out", async () => {
  const place = workspace();
  const zeph = await place.runtime();
  const tools = zeph.governance.tools();
  const made = toolsPage(tools);
  await zeph.close();
  place.remove();
  const inputs = toolInputsType(tools);
  expect(isSameType("src/core/inputs/tool-inputs.ts", inputs)).toBe(true);
  expect(kept("docs/tools.md", made)).toBe(made);
  const native =
    "read_overflow memory_search memory_save load_skill invoke_skill scheduler compress_context search_code background search_tools";
  for (const name of native.split(" ")) expect(made).toContain(`\n## \`${name}\`\n`);
});

test("man/zeph.1 is what the table of commands says", () => {
  expect(kept("man/zeph.1", manualPage())).toBe(manualPage());
});

test("docs/errors.md is what the error table says", () => {
  expect(kept("docs/errors.md", errorsPage())).toBe(errorsPage());
});

test("docs/api.md is what the exported types say", () => {
  const made = apiPage(root);
  expect(kept("docs/api.md", made)).toBe(made);
});

test("every type that the API leads to can be imported, and every name has a comment", () => {
  expect(apiGaps(root)).toEqual({ unexported: [], uncommented: [] });
});

test("docs/hooks-clients.md shows what src/hook/clients/ says", () => {
  const made = hooksPage(page("docs/hooks-clients.md"));
  expect(made).toContain("| claude |");
  expect(kept("docs/hooks-clients.md", made)).toBe(made);
});

/** The sections of docs/gates.md that are about one gate: each heading with its text. */
const gateSections = (): [name: string, text: string][] => {
  const [gates] = page("docs/gates.md").split("\n## What it costs");
  const sections = gates!.split("\n## ").slice(1);
  return sections.map((text) => [text.split("\n", 1)[0]!, text]);
};

test("docs/gates.md has a row and a section for each gate, in the order they are asked", async () => {
  const place = workspace([{ op: "file", path: "work/a", content: "" }]);
  const zeph = await place.runtime();
  const { trace } = await zeph.judge("read", { path: "a" });
  await zeph.close();
  place.remove();
  const gates = ["blocklist", ...trace.map(({ gate }) => gate), "hooks"];
  expect(gateSections().map(([name]) => name)).toEqual(gates);
  expect([...page("docs/gates.md").matchAll(/^\| \[`(\w+)`\]\(#\1\) /gm)].map(([, name]) => name)).toEqual(gates);
});

test("docs/gates.md names every setting of the gates, and none that does not exist", async () => {
  const cells = [...page("docs/gates.md").matchAll(/^\| \[`\w+`\].*?\|.*?\| (.*?) \|/gm)].map(([, cell]) => cell!);
  const named = cells.flatMap((cell) => cell.split("; ")).flatMap(settingsIn);
  const known = allSettings().map(({ key }) => key);
  expect(named.filter((key) => !known.includes(key))).toEqual([]);
  // The hook reads it, behind all gates.
  const ofTheHook = "clients.answer_prompts";
  expect((await gateSettings()).filter((key) => key !== ofTheHook && !named.includes(key))).toEqual([]);
});

/** "`table`: `a`, `b`" names two settings of one table; without a table the names are whole. */
function settingsIn(text: string): string[] {
  const [, table, names] = /^(?:`([\w.]+)`: )?(.*)$/.exec(text)!;
  return [...names!.matchAll(/`([\w.]+)`/g)].map(([, name]) => (table ? `${table}.${name}` : name!));
}

const EXAMPLE =
  /^(?:After `\w+ (?<before>\{.*?\})`(?: by [^`]+)?, )?`(?<tool>\w+) (?<args>\{.*\})`(?: by (?<by>.*))? → \*\*(?<kind>\w+)\*\*, by `+ ?(?<rule>.*?) ?`+:\n\n> (?<why>.*)\n(?:\nThe model reads: `(?<told>.*)`)?/m;

const CALLERS: Record<string, Caller> = {
  "a model": { phase: "executor", conversationId: "c" },
  "the agent claude": { client: { name: "claude", session: "s", walls: "none", unruled: "left to it" } },
  "a provisional caller": { trust: "provisional" },
  'an untrusted caller named "visitor"': { trust: "untrusted", callerId: "visitor" },
};

describe("An example in docs/gates.md", () => {
  const place = workspace(
    ["a.txt", "keys/server.pem", "infra/main.tf"].map((path) => ({ op: "file", path: `work/${path}`, content: "a" })),
  );
  afterAll(() => place.remove());
  const readSettings = (text: string) => parseConfigToml("config.toml", /```toml\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
  it("has settings that can be read", () => {
    for (const [, text] of gateSections()) parseConfig(readSettings(text));
  });
  // "Given" needs more than settings, such as the answer of a model: the tests of those gates cover it.
  const judged = gateSections().filter(([, text]) => !text.includes("\nGiven "));
  it.each(judged)("is decided as the page says: %s", async (gate, text) => {
    const config = { ...readSettings(text), audit: { path: `${place.state}/${gate}.jsonl` } };
    const { before, tool, args, by, kind, rule, why, told } = EXAMPLE.exec(text)!.groups!;
    const caller = by === undefined ? undefined : CALLERS[by]!;
    const zeph = await place.runtime({ config });
    if (before) expect(await zeph.callAny(tool!, JSON.parse(before), caller)).toMatchObject({ ok: true });
    const { trace } = await zeph.judge(tool!, JSON.parse(args!), caller);
    const outcome = await zeph.callAny(tool!, JSON.parse(args!), caller);
    await zeph.close();
    const asWritten = (reason: string) => reason.replaceAll(place.work, "~/project");
    const verdict = trace.find((one) => one.gate === gate)!;
    if (verdict.kind === "pass") throw new Error(`${gate} let it pass.`);
    expect({ ...verdict, why: asWritten(verdict.why) }).toMatchObject({ kind, rule, why, ...(told !== undefined && { told }) });
    expect(outcome).toMatchObject({ ok: false, decision: { gate } });
    if (!outcome.ok) expect(asWritten(outcome.error.message)).toBe(told ?? why);
  });
});

test("docs/models.md has a row for each type of provider", () => {
  const table = page("docs/models.md").split("| Type |")[1]!.split("\n\n")[0]!;
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, type]) => type)).toEqual(PROVIDER_TYPES);
});

test("docs/policy.md shows rules that can be read", () => {
  const blocks = [...page("docs/policy.md").matchAll(/```toml\n([\s\S]*?)```/g)].map(([, text]) => text!);
  expect(blocks.length).toBeGreaterThan(2);
  for (const text of blocks)
    if (text.startsWith("[[rules]]")) expect(parsePolicyFile("policy.toml", text).rules).not.toEqual([]);
    else expect(() => parseConfig(parseConfigToml("config.toml", text))).not.toThrow();
});

test("docs/audit.md names every field of a line, and nothing else", () => {
  const source = page("src/core/ports/audit.ts");
  const entry = /export interface AuditEntry \{([\s\S]*?)\n\}/.exec(source)![1]!;
  const fields = [...entry.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name!);
  const table = page("docs/audit.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const named = table.flatMap((line) => [...line.split("|")[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(named.sort()).toEqual([...fields.filter((name) => name !== "note"), "prev"].sort());
});

test("the table of folders in ARCHITECTURE.md is the one that is checked", () => {
  const rows = [...page("ARCHITECTURE.md").matchAll(/^\| `([\w/-]+?)(?:\/|\.ts)` \| .* \| (.*) \|$/gm)];
  const written = Object.fromEntries(
    rows.map(([, folder, may]) => [folder, may === "everything" ? may : may === "nothing" ? [] : may!.split(", ")]),
  );
  expect(written).toEqual(MAY);
});

test("every invariant of ARCHITECTURE.md is a test in its words", () => {
  const table = page("ARCHITECTURE.md").split("## Invariants")[1]!.split("## Folders")[0]!;
  const sentences = [...table.matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, sentence]) => sentence!.trim())
    .filter((cell) => cell !== "Invariant" && !cell.startsWith("-"));
  const tests = [...page("test/invariants.test.ts").matchAll(/^describe\("([^"]+)"/gm)].map(([, name]) => name);
  expect(sentences).toEqual(tests);
});

test("links between the pages lead somewhere", () => {
  const pages = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
    "CHANGELOG.md",
    ...readdirSync(join(root, "docs"))
      .filter((name) => !name.endsWith(".png"))
      .map((name) => `docs/${name}`),
    ...readdirSync(join(root, "lab"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("README.md"))
      .map((name) => `lab/${name}`),
  ];
  const broken = pages.flatMap((name) =>
    [...page(name).matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .filter(([, to]) => !existsSync(join(root, dirname(name), to!)))
      .map(([, to]) => `${name} → ${to}`),
  );
  expect(broken).toEqual([]);
});

test("docs/README.md leads to every page of the folder", () => {
  const linked = [...page("docs/README.md").matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(pages.filter((name) => !linked.includes(name))).toEqual([]);
});

test("README.md names the two commands to begin with, and no command runs a stranger's package", () => {
  const [, begin] = /```sh\n(.*?)```/s.exec(page("README.md")) ?? [];
  expect(begin).toMatch(/^npm ci && npx --no-install zeph demo\b.*\nnpm test\b/m);
  const pages = ["README.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const fences = pages.flatMap((name) => [...page(name).matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text!));
  expect(fences.filter((text) => /\bnpx zeph\b/.test(text))).toEqual([]);
});

test("every command of zeph that the pages name exists", () => {
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) => name.endsWith(".md"));
  const named = pages.flatMap((name) => [...page(name).matchAll(/`zeph ([a-z]+)/g)].map(([, command]) => command!));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((command) => !Object.hasOwn(COMMANDS, command))).toEqual([]);
});

/** The formatter has its own mind about lines and brackets: what it has put in order is left so. */
function isSameType(name: string, made: string): boolean {
  const squeezed = (text: string) => text.replace(/[\s;|()]+/g, "");
  const isSame = existsSync(join(root, name)) && squeezed(page(name)) === squeezed(made);
  return isSame || squeezed(kept(name, made)) === squeezed(made);
}

test("docs/agent.md names every event, every end of a turn and every exit code of a run", () => {
  const agent = page("docs/agent.md");
  const events = [...page("src/core/event-json.ts").matchAll(/^ {4}case "(\w+)":/gm)].map(([, name]) => `\`${name}\``);
  const endings = [...page("src/front/cli/exit.ts").matchAll(/^ {2}(\w+): EXIT\.\w+,$/gm)].map(([, name]) => `\`${name}\``);
  expect([events.length, endings.length].every((count) => count > 8)).toBe(true);
  const told = /^\| `done` \|.*$/m.exec(agent)![0];
  expect(events.filter((name) => !agent.includes(name))).toEqual([]);
  expect(endings.filter((name) => !told.includes(name))).toEqual([]);
  const { failed: _ofOneCall, ...ofRuns } = EXIT;
  expect(Object.values(ofRuns).filter((code) => !agent.includes(`\n| ${code} | `))).toEqual([]);
});

test("a text that says which keys make a model names all of them", () => {
  const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"];
  const texts = ["README.md", "docs/agent.md", "docs/models.md", "src/front/cli/program/help.ts", "src/front/cli/chat/slash.ts"];
  for (const name of texts) {
    const around = /ANTHROPIC_API_KEY[^.;]*?OPENAI_API_KEY[^.;]*/.exec(page(name));
    expect(
      keys.filter((key) => !around?.[0].includes(key)),
      name,
    ).toEqual([]);
  }
});

const page = (name: string) => readFileSync(join(root, name), "utf8");
