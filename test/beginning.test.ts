import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { confirmWith } from "../src/question/flags.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { type Workspace, workspace } from "./workspace.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function repository(): Workspace & { git(...args: string[]): void } {
  const place = workspace([]);
  closing.push(place.remove);
  mkdirSync(place.work, { recursive: true });
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  const git = (...args: string[]) => void execFileSync("git", [...who, ...args], { cwd: place.work, stdio: "ignore" });
  git("init", "-qb", "main");
  writeFileSync(join(place.work, "a.txt"), "one\n");
  git("add", ".");
  git("commit", "-qm", "first");
  return { ...place, git };
}

type Options = Parameters<typeof agentIn>[2];
async function open(place: Workspace, model: ReturnType<typeof modelSaying>, options: Options = {}) {
  const agent = await agentIn(place, model, options);
  closing.push(agent.close);
  return agent;
}
const facts = (system: string) => system.slice(system.indexOf("When this conversation began"));
const ofLoop = (prompt: { readonly messages: readonly unknown[] }) =>
  (prompt.messages as { role: string; from?: string; text: string }[]).filter(({ from }) => from === "loop").map(({ text }) => text);

describe("what a model is told of the day and the place", () => {
  it("is the date, the branch, what is unstaged, the walls and who answers", async () => {
    const place = repository();
    writeFileSync(join(place.work, "a.txt"), "two\n");
    const model = modelSaying([says("done")]);
    await all((await open(place, model)).send("go"));
    const told = facts(model.given[0]!.system);
    const now = new Date();
    expect(told).toContain(`Date: ${now.getFullYear()}-`);
    expect(told).toContain("Git branch: main\nGit, unstaged only: 1 file changed\n");
    expect(told).toMatch(/^Commands: (?:behind walls: only the workspace can be changed|no walls)/m);
    expect(told).toContain("Questions: nobody is here; what needs a yes is refused");
  });

  it("claims no clean tree: what is staged or not tracked is not looked at", async () => {
    const place = repository();
    writeFileSync(join(place.work, "a.txt"), "two\n");
    place.git("add", ".");
    writeFileSync(join(place.work, "new.txt"), "new\n");
    const model = modelSaying([says("done")]);
    await all((await open(place, model)).send("go"));
    const told = facts(model.given[0]!.system);
    expect(told).toContain("\nGit, unstaged only: 0 files changed\n");
    expect(told).not.toMatch(/clean|no (?:unstaged )?changes/);
  });

  it("stays as it was; what changes is told in a message, once", async () => {
    const place = repository();
    const model = modelSaying([says("one")], [says("two")], [says("three")]);
    const agent = await open(place, model);
    await all(agent.send("go"));
    place.git("checkout", "-qb", "other");
    writeFileSync(join(place.work, "a.txt"), "two\n");
    await all(agent.send("on"));
    await all(agent.send("on"));
    const [first, second, third] = model.given;
    expect(second!.system).toBe(first!.system);
    expect(third!.system).toBe(first!.system);
    expect(ofLoop(first!)).toEqual([]);
    expect(ofLoop(second!)).toEqual(["[changed since the conversation began]\nGit branch: other"]);
    expect(ofLoop(third!)).toEqual(ofLoop(second!));
    place.git("checkout", "-q", "main");
    await all(agent.send("on"));
    expect(ofLoop(model.given[3]!).at(-1)).toBe("[changed since the conversation began]\nGit branch: main");
  });

  it("is the same to the byte when another process goes on with the conversation", async () => {
    const place = repository();
    const store = join(place.state, "zeph.db");
    const first = modelSaying([says("one")]);
    const begun = await open(place, first, { store });
    await all(begun.send("go"));
    const conversation = begun.conversation!;
    await begun.close();
    writeFileSync(join(place.work, "a.txt"), "two\n");
    const second = modelSaying([says("two")]);
    const { confirm } = confirmWith({ yes: true, withoutWalls: false });
    const again = await open(place, second, { store, conversation, confirm: confirm! });
    await all(again.send("on"));
    expect(second.given[0]!.system).toBe(first.given[0]!.system);
    expect(second.given[0]!.messages[0]).toEqual(first.given[0]!.messages[0]);
    expect(ofLoop(second.given[0]!)).toEqual([
      "[changed since the conversation began]\nQuestions: nobody is here; what may be asked is answered with yes",
    ]);
  });
});

describe("the tools of the beginning", () => {
  it("are ten; another one is named, runs when it is called by its name, and is shown from then on, at the end", async () => {
    const place = repository();
    const model = modelSaying(
      [asks("create_directory", { path: "made" })],
      [asks("glob", { path: ".", pattern: "*.txt" })],
      [says("done")],
    );
    const agent = await open(place, model, {
      config: { tools: { permissions: { create_directory: [{ pattern: "*", action: "allow" }] } } },
    });
    const events = await all(agent.send("go"));
    const [first, second, third] = model.given.map(({ tools }) => tools.map(({ name }) => name));
    expect(first).toHaveLength(10);
    expect(facts(model.given[0]!.system)).toMatch(/^Further tools: .*\bcreate_directory\b.*\bfetch\b/m);
    expect(events.find((event) => event.type === "tool_end")).toMatchObject({ outcome: { ok: true } });
    expect(second).toEqual([...first!, "create_directory"]);
    expect(third).toEqual(second);
    expect(JSON.stringify(model.given[2]!.tools.slice(0, 10))).toBe(JSON.stringify(model.given[0]!.tools));
  });

  it("are those of the setting, in its order, with the one that finds the others; an empty list shows all", async () => {
    const place = repository();
    const names = async (start_tools: string[]) => {
      const model = modelSaying([says("done")]);
      await all((await open(place, model, { config: { agent: { start_tools } } })).send("go"));
      return model.given[0]!.tools.map(({ name }) => name);
    };
    expect(await names(["grep", "no_such_tool", "read"])).toEqual(["grep", "read", "search_tools"]);
    const every = await names([]);
    expect(every.length).toBeGreaterThan(18);
    expect(every).not.toContain("search_tools");
  });

  it("are found again, in their order, when another process goes on", async () => {
    const place = repository();
    const store = join(place.state, "zeph.db");
    const first = modelSaying([asks("create_directory", { path: "a.txt/b" })], [asks("search_code", { query: "one" })], [says("one")]);
    const begun = await open(place, first, { store });
    await all(begun.send("go"));
    const conversation = begun.conversation!;
    await begun.close();
    const second = modelSaying([says("two")]);
    await all((await open(place, second, { store, conversation })).send("on"));
    expect(second.given[0]!.tools).toEqual(first.given[2]!.tools);
    expect(second.given[0]!.tools.slice(10).map(({ name }) => name)).toEqual(["create_directory", "search_code"]);
  });
});
