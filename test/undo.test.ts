import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Question } from "../src/index.ts";
import { agentIn, all, asks, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());
const at = (name: string) => join(place.work, name);
const NEVER = new AbortController().signal;

let n = 0;
const full = () => ({ autonomy: "full", audit: { path: join(place.state, `undo-${++n}`, "audit.jsonl") } });
const notes = (config: ReturnType<typeof full>) =>
  readFileSync(config.audit.path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .flatMap(({ kind, note }) => (kind === "note" ? [note] : []));

beforeEach(() => {
  rmSync(place.work, { recursive: true });
  mkdirSync(place.work);
  writeFileSync(at("a.txt"), "one\n");
  chmodSync(at("a.txt"), 0o640);
  writeFileSync(at("b.txt"), "two\n");
  writeFileSync(at("c.txt"), "three\n");
});

describe("undoing the last turn", () => {
  it("restores what it changed and deleted, removes what it made, and tells the log and the model", async () => {
    const config = full();
    const model = modelSaying(
      [asks("write", { path: "a.txt", content: "ONE\n" }), asks("write", { path: "made.txt", content: "new\n" })],
      [asks("edit", { path: "a.txt", old_string: "ONE", new_string: "1" }), asks("delete_path", { path: "b.txt" })],
      [asks("move_path", { source: "c.txt", destination: "d.txt" }), asks("bash", { command: "echo more > by-command.txt" })],
      [says("done")],
      [says("ok")],
    );
    const agent = await agentIn(place, model, { config });
    expect(await agent.undo()).toBeNull();
    await all(agent.send("go"));
    expect([readFileSync(at("a.txt"), "utf8"), existsSync(at("b.txt")), existsSync(at("by-command.txt"))]).toEqual(["1\n", false, true]);
    const undone = await agent.undo();
    expect(undone).toEqual({
      turn: expect.any(String),
      restored: expect.arrayContaining([at("a.txt"), at("b.txt"), at("c.txt")]),
      removed: expect.arrayContaining([at("made.txt"), at("d.txt"), at("by-command.txt")]),
      left: [],
    });
    expect(["a.txt", "b.txt", "c.txt"].map((name) => readFileSync(at(name), "utf8"))).toEqual(["one\n", "two\n", "three\n"]);
    expect(statSync(at("a.txt")).mode & 0o777).toBe(0o640);
    expect(["made.txt", "d.txt", "by-command.txt"].map((name) => existsSync(at(name)))).toEqual([false, false, false]);
    expect(await agent.undo()).toBeNull();
    expect(notes(config)).toEqual(
      expect.arrayContaining([
        `the person undoes the file changes of the turn ${undone!.turn}`,
        expect.stringContaining("are undone: restored: "),
      ]),
    );
    await all(agent.send("and?"));
    const told = model.given.at(-1)!.messages.filter((message) => message.role === "user");
    expect(told.map(({ text }) => text.slice(0, 8))).toEqual(["go", "[undone]", "and?"]);
    expect(told[1]!.text).toContain("removed: made.txt");
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("leaves alone what somebody else changed since, what is a link now, and what was not kept", async () => {
    mkdirSync(at("folder"));
    writeFileSync(at("folder/inside.txt"), "x");
    mkdirSync(at("sub"));
    writeFileSync(at("sub/e.txt"), "e\n");
    const model = modelSaying(
      [
        asks("write", { path: "a.txt", content: "ONE\n" }),
        asks("write", { path: "b.txt", content: "TWO\n" }),
        asks("write", { path: "c.txt", content: "THREE\n" }),
        asks("move_path", { source: "folder", destination: "moved" }),
      ],
      [says("done")],
    );
    const agent = await agentIn(place, model, { config: full() });
    await all(agent.send("go"));
    writeFileSync(at("a.txt"), "mine\n");
    rmSync(at("b.txt"));
    symlinkSync(at("sub/e.txt"), at("b.txt"));
    const undone = await agent.undo();
    expect(undone!.restored).toEqual([at("c.txt")]);
    expect(undone!.removed).toEqual([]);
    expect(Object.fromEntries(undone!.left.map(({ path, why }) => [path, why]))).toMatchObject({
      [at("a.txt")]: "it was changed since",
      [at("b.txt")]: "it was changed since",
      [at("folder")]: expect.stringContaining("a folder is not kept"),
      [at("moved")]: expect.stringContaining("folder"),
    });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("mine\n");
    expect(readFileSync(at("sub/e.txt"), "utf8")).toBe("e\n");
    expect(readFileSync(at("moved/inside.txt"), "utf8")).toBe("x");
    await agent.close();
  });

  it("leaves a file alone that somebody changed between two calls of the turn", async () => {
    const model = modelSaying(
      [asks("write", { path: "a.txt", content: "ONE\n" })],
      async function* () {
        writeFileSync(at("a.txt"), "mine\n");
        yield asks("read", { path: "a.txt" });
      },
      [asks("write", { path: "a.txt", content: "mine and more\n" })],
      [says("done")],
    );
    const agent = await agentIn(place, model, { config: full() });
    await all(agent.send("go"));
    expect(await agent.undo()).toMatchObject({
      restored: [],
      left: [{ path: at("a.txt"), why: expect.stringContaining("during the turn") }],
    });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("mine and more\n");
    await agent.close();
  });

  it("is a change of our own: the next edit is made, and nobody is asked about another program", async () => {
    const config = full();
    const model = modelSaying(
      [asks("read", { path: "a.txt" })],
      [asks("edit", { path: "a.txt", old_string: "one", new_string: "1" })],
      [says("done")],
      [asks("edit", { path: "a.txt", old_string: "one", new_string: "uno" })],
      [says("done")],
    );
    const questions: Question[] = [];
    const agent = await agentIn(place, model, {
      config,
      confirm: (question) => {
        questions.push(question);
        return "once";
      },
    });
    await all(agent.send("go"));
    expect((await agent.undo())!.restored).toEqual([at("a.txt")]);
    await all(agent.send("again"));
    expect(questions).toEqual([]);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("uno\n");
    writeFileSync(at("a.txt"), "one\n");
  });

  it("goes back turn by turn, also when the conversation is resumed, with /undo", async () => {
    const config = full();
    const store = join(place.state, `undo-${n}.db`);
    const model = modelSaying(
      [asks("write", { path: "a.txt", content: "ONE\n" })],
      [says("done")],
      [asks("write", { path: "b.txt", content: "TWO\n" })],
      [says("done")],
      [says("nothing changed")],
    );
    const first = await agentIn(place, model, { config, store });
    for (const text of ["one", "two", "three"]) await all(first.send(text));
    await first.close();
    const agent = await agentIn(place, modelSaying(), { config, store, conversation: "last" });
    const undo = agent.commands().find(({ name }) => name === "/undo")!;
    expect((await undo.run("", NEVER)).text).toMatch(/^restored: b\.txt\n/);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("ONE\n");
    expect((await undo.run("", NEVER)).text).toMatch(/^restored: a\.txt\n/);
    await expect(undo.run("", NEVER)).rejects.toThrow("There is nothing to undo");
    expect([readFileSync(at("a.txt"), "utf8"), readFileSync(at("b.txt"), "utf8")]).toEqual(["one\n", "two\n"]);
    await agent.close();
  });
});
