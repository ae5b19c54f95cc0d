import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { configJsonSchema, configMarkdown } from "../src/config/document.ts";
import { parseConfig } from "../src/config/load.ts";
import { parsePolicyFile } from "../src/config/policy/policy-file.ts";
import { parseConfigToml } from "../src/config/read.ts";
import { allSettings } from "../src/config/settings.ts";
import { EXIT } from "../src/front/cli/exit.ts";
import { COMMANDS } from "../src/front/cli/program/commands.ts";
import { ABOUT_GATES } from "../src/gates/about/about.ts";
import { apiGaps, apiPage } from "./api-page.ts";
import { configType, toolInputsType } from "./config-type.ts";
import { hooksPage } from "./hooks-page.ts";
import { MAY } from "./imports.ts";
import { manualPage } from "./manual.ts";
import { errorsPage, gatesPage, toolsPage } from "./pages.ts";
import { workspace } from "./workspace.ts";

const root = join(import.meta.dirname, "..");

/** What is generated and kept in the repository. `UPDATE=1 npx vitest run test/docs.test.ts` rewrites it. */
function kept(name: string, text: string): string {
  const file = join(root, name);
  if (process.env.UPDATE) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readFileSync(file, "utf8");
}

test("docs/config.md is what the schema says", () => {
  expect(kept("docs/config.md", configMarkdown())).toBe(configMarkdown());
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

test("docs/gates.md is what src/gates/about/about.ts says", () => {
  const made = gatesPage(page("docs/gates.md"));
  expect(kept("docs/gates.md", made)).toBe(made);
});

test("docs/hooks-clients.md shows what src/hook/clients/ says", () => {
  const made = hooksPage(page("docs/hooks-clients.md"));
  expect(made).toContain("| claude |");
  expect(kept("docs/hooks-clients.md", made)).toBe(made);
});

test("docs/gates.md tells of everybody who decides, in order, and of nobody else", async () => {
  const place = workspace([{ op: "file", path: "work/a", content: "" }]);
  const zeph = await place.runtime();
  const { trace } = await zeph.judge("read", { path: "a" });
  await zeph.close();
  place.remove();
  expect(ABOUT_GATES.map(({ name }) => name)).toEqual(["blocklist", ...trace.map(({ gate }) => gate), "hooks"]);
});

test("docs/gates.md names every setting of the gates, and none that does not exist", () => {
  const named = ABOUT_GATES.flatMap(({ settings }) => settings);
  const known = allSettings().map(({ key }) => key);
  expect(named.filter((key) => !known.includes(key))).toEqual([]);
  const theirs = /^tools\.(policy|authorization|scoped|adversarial_policy|governance|anomaly|utility)\./;
  expect(known.filter((key) => theirs.test(key) && !named.includes(key))).toEqual([]);
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
