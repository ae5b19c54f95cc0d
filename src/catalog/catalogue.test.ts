import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../core/ports/model.ts";
import { NEVER } from "../core/tool.ts";
import { type CatalogueParts, createCatalogue } from "./catalogue.ts";
import { tafcConfig, toolFilterConfig } from "./config.ts";
import { createDependencies } from "./dependencies.ts";
import { createWordRanking } from "./word-ranking.ts";

const spec = (name: string, description = `Deals with all matters of ${name} there are.`): ToolSpec => ({
  name,
  description,
  parameters: {
    type: "object",
    properties: { [`${name}_id`]: { type: "string" }, mode: { enum: ["a", "b", "c"] } },
    required: [`${name}_id`],
  },
});
const NAMES = ["read", "search_tools", "issue", "mail", "weather", "deploy", "test", "build", "memory_save"];
const ON = { enabled: true, top_k: 1 };

interface Wish extends Partial<Omit<CatalogueParts, "filter" | "tafc" | "dependencies">> {
  filter?: object;
  tafc?: object;
  rules?: Record<string, { requires?: string[]; prefers?: string[] }>;
  list?: ToolSpec[];
}
function open({ filter = {}, tafc = {}, rules, list = NAMES.map((name) => spec(name)), ...more }: Wish = {}) {
  const warnings: string[] = [];
  const logged: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const parsed = toolFilterConfig().parse({ ...filter });
  const full = Object.fromEntries(Object.entries(rules ?? {}).map(([tool, one]) => [tool, { requires: [], prefers: [], ...one }]));
  const dependencies = rules
    ? createDependencies({
        config: { boost_per_dep: 0.15, max_total_boost: 0.2, rules: full },
        alwaysOn: new Set(parsed.always_on),
        tools: () => list.map(({ name }) => name),
        warn,
      })
    : null;
  const catalogue = createCatalogue({
    tools: () => list,
    filter: parsed,
    tafc: tafcConfig().parse({ ...tafc }),
    ranking: createWordRanking(),
    dependencies,
    warn,
    log: (message) => void logged.push(message),
    ...more,
  });
  const say = (query: string, conversation = "c", model: { fenced?: true } = {}) =>
    catalogue.forTurn({ query, conversation, model }, NEVER);
  const names = () => catalogue.tools().map(({ name }) => name);
  const why = (name: string) => catalogue.reasons().get(name);
  return { catalogue, dependencies: dependencies!, say, names, why, warnings, logged, list };
}

describe("with everything off", () => {
  it("all tools are offered in the order of the registry, but for the one that finds the others", async () => {
    const { say, names, why } = open();
    await say("hello");
    expect(names()).toEqual(NAMES.filter((name) => name !== "search_tools"));
    expect(why("read")).toEqual({ offered: true, because: "full_set" });
    expect(why("search_tools")).toEqual({ offered: false, because: "no_use", why: "every tool is offered" });
  });
  it("new ones come last, and what goes away is left out", async () => {
    const { say, names, list } = open();
    await say("hello");
    list.unshift(spec("brand_new"));
    expect(names().at(-1)).toBe("brand_new");
    list.splice(
      list.findIndex(({ name }) => name === "mail"),
      1,
    );
    expect(names()).not.toContain("mail");
    list.push(spec("mail"));
    expect(names().at(-1)).toBe("mail");
  });
  it("a tool is offered once it is of use, and then stays", async () => {
    let skills = 0;
    const { say, names, why, logged } = open({ noUse: (tool) => (tool === "mail" && skills === 0 ? "there is no mailbox" : null) });
    await say("mail");
    expect(names()).not.toContain("mail");
    expect(why("mail")).toEqual({ offered: false, because: "no_use", why: "there is no mailbox" });
    expect(logged).toContain("mail is not offered: there is no mailbox.");
    skills = 1;
    expect(names().at(-1)).toBe("mail");
    skills = 0;
    expect(names().at(-1)).toBe("mail");
  });
});

describe("the filter", () => {
  it("always offers compress_context, whatever always_on lists: a full context needs a way out", async () => {
    const { say, names, list, why } = open({ filter: { ...ON, always_on: ["read"] } });
    list.push(spec("compress_context"));
    await say("matters of the weather and of issues");
    expect(names()).toContain("compress_context");
    expect(why("compress_context")).toEqual({ offered: true, because: "always_on" });
  });
  it("offers what fits, what is always on, and the tool that finds the rest", async () => {
    const { say, names, why, logged } = open({ filter: ON });
    await say("matters of the weather and of issues");
    expect(names()).toEqual(["search_tools", "issue", "weather", "memory_save"]);
    expect(why("weather")).toEqual({ offered: true, because: "named" });
    expect(why("issue")).toEqual({ offered: true, because: "rank" });
    expect(why("memory_save")).toEqual({ offered: true, because: "always_on" });
    expect(why("mail")).toEqual({ offered: false, because: "rank" });
    expect(logged).toEqual(["Not offered by rank: read, mail, deploy, test, build."]);
  });
  it("is off for a model without tool use, and where nothing can rank", async () => {
    const fenced = open({ filter: ON, tafc: { enabled: true, complexity_threshold: 0 } });
    await fenced.say("weather", "c", { fenced: true });
    expect(fenced.names()).toHaveLength(8);
    expect(JSON.stringify(fenced.catalogue.tools())).not.toContain("_tafc_think");
    const broken = open({ filter: ON, ranking: { rank: () => Promise.reject(new Error("broken")) } });
    await broken.say("weather");
    expect(broken.names()).toHaveLength(8);
    expect(broken.warnings).toEqual([expect.stringContaining("broken")]);
  });
  it("keeps what was used and what was found, from the next request on", async () => {
    const { say, names, why, catalogue } = open({ filter: ON });
    await say("matters of the weather and of issues");
    catalogue.used("deploy");
    catalogue.used("no_such_tool");
    expect(names().slice(4)).toEqual(["deploy"]);
    expect(why("deploy")).toEqual({ offered: true, because: "used" });
    const { found, offered } = await catalogue.search("mail or weather", 5, NEVER);
    expect(found.map(({ name }) => name)).toEqual(["mail"]);
    expect(offered).toEqual(["weather"]);
    expect(names().slice(4)).toEqual(["deploy", "mail"]);
    expect(why("mail")).toEqual({ offered: true, because: "found" });
  });
  it("finds so many and not itself, and nothing of no use", async () => {
    const { say, catalogue } = open({ filter: { ...ON, top_k: 1 }, noUse: (tool) => (tool === "mail" ? "none" : null) });
    await say("weather");
    expect((await catalogue.search("all matters", 3, NEVER)).found).toHaveLength(3);
    const all = await catalogue.search("all matters of search_tools, mail", 20, NEVER);
    expect(all.found.map(({ name }) => name)).not.toContain("search_tools");
    expect(all.found.map(({ name }) => name)).not.toContain("mail");
  });
  it("begins anew with another conversation, and by restart", async () => {
    const { say, names, catalogue } = open({ filter: ON });
    await say("matters of the weather and of issues");
    await say("matters of mail and read", "other");
    expect(names()).toEqual(["read", "search_tools", "issue", "mail", "memory_save"]);
    catalogue.restart();
    await say("matters of the weather and of issues");
    expect(names()).toEqual(["search_tools", "issue", "weather", "memory_save"]);
  });
  it("shows a tool that changed as it is now, in its place", async () => {
    const { say, catalogue, list } = open();
    await say("hello");
    const before = catalogue.tools();
    list[2] = { ...structuredClone(list[2]!) };
    expect(JSON.stringify(catalogue.tools())).toBe(JSON.stringify(before));
    expect(catalogue.tools()[1]).toBe(before[1]);
    list[2] = { ...list[2]!, description: "Something else." };
    expect(catalogue.tools().map(({ description }) => description)[1]).toBe("Something else.");
    expect(catalogue.tools()).toHaveLength(before.length);
  });
});

describe("dependencies", () => {
  const rules = { deploy: { requires: ["test", "build"] }, test: { requires: ["build"] } };
  it("hide a tool until what it requires has succeeded", async () => {
    const { say, names, why, dependencies, logged } = open({ rules });
    await say("hello");
    expect(names()).toEqual(["read", "issue", "mail", "weather", "build", "memory_save"]);
    expect(why("deploy")).toEqual({ offered: false, because: "requires", unmet: ["test", "build"] });
    expect(logged).toContain("deploy is not offered: requires test, build.");
    dependencies.succeeded("build");
    expect(names().slice(6)).toEqual(["test"]);
    expect(why("test")).toEqual({ offered: true, because: "dependency_met" });
    dependencies.succeeded("test");
    expect(names().slice(6)).toEqual(["test", "deploy"]);
  });
  it("do not bind what was named or is always on, and stay off for what is shown", async () => {
    const { say, names } = open({ rules: { ...rules, memory_save: { requires: ["build"] } } });
    await say("do DEPLOY it");
    expect(names()).toContain("deploy");
    expect(names()).toContain("memory_save");
    await say("go on");
    expect(names()).toContain("deploy");
    expect(names()).not.toContain("test");
  });
  it("bring along what a chosen tool waits for, however it ranks", async () => {
    const { say, names, why } = open({ rules, filter: { ...ON, top_k: 1 } });
    await say("all about deploying");
    expect(why("deploy")).toEqual({ offered: false, because: "requires", unmet: ["test", "build"] });
    expect(names()).toEqual(["search_tools", "build", "memory_save"]);
    expect(why("build")).toEqual({ offered: true, because: "required" });
  });
  it("are off for a turn in which nothing could begin, with a warning", async () => {
    const locked = { deploy: { requires: ["gone"] }, test: { requires: ["gone"] }, late: { requires: ["gone"] } };
    const { say, names, warnings, dependencies, list } = open({
      rules: locked,
      list: ["deploy", "test", "memory_save"].map((name) => spec(name)),
    });
    dependencies.check();
    warnings.length = 0;
    await say("hello");
    expect(names()).toEqual(["deploy", "test", "memory_save"]);
    expect(warnings).toEqual([expect.stringMatching(/off for this turn/)]);
    // Next turn something is there to begin with.
    list.push(spec("late"));
    await say("go on");
    expect(names()).toEqual(["deploy", "test", "memory_save"]);
    expect(warnings).toHaveLength(1);
  });
  it("lift a tool before the cut", async () => {
    const list = [
      spec("one", "Handles cats and dogs at home."),
      spec("two", "Handles cats and dogs at home."),
      spec("three", "Other things entirely here."),
    ];
    const { say, names, why, dependencies } = open({ list, rules: { two: { prefers: ["three"] } }, filter: { ...ON, top_k: 1 } });
    await say("cats");
    expect(names()).toEqual(["one"]);
    dependencies.succeeded("three");
    await say("cats", "other");
    expect(names()).toEqual(["two"]);
    expect(why("two")).toEqual({ offered: true, because: "boost" });
  });
  it("say of a found tool what it waits for", async () => {
    const { say, catalogue, names } = open({ rules, filter: { ...ON, top_k: 1 } });
    await say("weather");
    const { found } = await catalogue.search("deploy", 1, NEVER);
    expect(found).toMatchObject([{ name: "deploy", unmet: ["test", "build"] }]);
    expect(names()).toContain("build");
    expect(names()).not.toContain("deploy");
  });
});

describe("thinking", () => {
  it("is added for complex tools only, where it is on", async () => {
    const { say, catalogue } = open({
      tafc: { enabled: true, complexity_threshold: 0.1 },
      list: [spec("a"), { ...spec("b"), parameters: {} }],
    });
    await say("x");
    const [a, b] = catalogue.tools() as any[];
    expect(Object.keys(a.parameters.properties)[0]).toBe("_tafc_think");
    expect(b.parameters).toEqual({});
  });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant("say" as const), words: fc.subarray([...NAMES, "matters", "hello", "late0", "late3"]) }),
  fc.record({ kind: fc.constant("use" as const), tool: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant("search" as const), words: fc.subarray([...NAMES, "late1", "late2"]) }),
  fc.record({ kind: fc.constant("succeed" as const), tool: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant("add" as const), at: fc.nat(20) }),
);
const anyRules = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.record({ requires: fc.subarray(NAMES, { maxLength: 3 }), prefers: fc.subarray(NAMES, { maxLength: 2 }) }),
  { maxKeys: 4 },
);

it("while nothing goes away each list begins with the one before it, to the byte, and the gate's word is the catalogue's", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.integer({ min: 0, max: 3 }),
      fc.boolean(),
      fc.option(anyRules, { nil: undefined }),
      fc.array(step, { minLength: 2, maxLength: 12 }),
      async (enabled, top_k, thinks, rules, steps) => {
        const { say, catalogue, dependencies, list } = open({
          filter: { enabled, top_k },
          tafc: { enabled: thinks, complexity_threshold: 0.05 },
          ...(rules && { rules }),
        });
        await say("begin");
        let before = JSON.stringify(catalogue.tools());
        let added = 0;
        for (const one of steps) {
          if (one.kind === "say") await say(one.words.join(" "));
          else if (one.kind === "use") catalogue.used(one.tool);
          else if (one.kind === "search") await catalogue.search(one.words.join(" ") || "x", 2, NEVER);
          else if (one.kind === "succeed") dependencies?.succeeded(one.tool);
          else list.splice(one.at, 0, spec(`late${added++}`));
          const now = JSON.stringify(catalogue.tools());
          expect(now.startsWith(before.slice(0, -1))).toBe(true);
          before = now;
          const reasons = [...catalogue.reasons()];
          const offered = reasons.filter(([, reason]) => reason.offered).map(([name]) => name);
          expect(offered.sort()).toEqual(
            catalogue
              .tools()
              .map(({ name }) => name)
              .sort(),
          );
          const refused = reasons.map(([name]) => [name, dependencies?.unmet(name, { conversationId: "c" }) ?? []]);
          expect(refused).toEqual(reasons.map(([name, reason]) => [name, reason.because === "requires" ? reason.unmet : []]));
        }
      },
    ),
    { numRuns: 50 },
  );
});

describe("another name of a tool", () => {
  const aliases = new Map([
    ["ship", "deploy"],
    ["nothing", "gone"],
  ]);
  it("names it, and so it need not wait", async () => {
    const { say, why, dependencies } = open({ aliases, rules: { deploy: { requires: ["test"] } } });
    await say("shipping");
    expect(why("deploy")).toMatchObject({ offered: false, because: "requires" });
    await say("now SHIP nothing");
    expect(why("deploy")).toEqual({ offered: true, because: "named" });
    expect(dependencies.unmet("deploy", { conversationId: "c" })).toEqual([]);
  });
  it("finds it", async () => {
    const { catalogue, say } = open({ aliases, filter: { ...ON, top_k: 1 } });
    await say("weather");
    const { found } = await catalogue.search("ship", 5, NEVER);
    expect(found.map(({ name }) => name)).toEqual(["deploy"]);
  });
});
