import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../src/store/open.ts";
import { box } from "./e2e/zeph.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

describe("an agent", () => {
  const place = () => {
    const made = workspace();
    onTestFinished(() => made.remove());
    return made;
  };

  it("finds in one conversation what it saved in another, and no secret of it", async () => {
    const here = place();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const model = modelSaying(
      [asks("memory_save", { content: `The zebra build needs make -j2. Token ${secret}` })],
      [says("Saved, the okapi is done.")],
      [asks("memory_search", { query: "zebra okapi" })],
      [says("Found.")],
    );
    const store = `${here.state}/zeph.db`;
    for (const text of ["Remember it", "What do you know?"]) {
      const agent = await agentIn(here, model, { store });
      await all(agent.send(text));
      await agent.close();
    }
    const answer = model.given.at(-1)!.messages.at(-1) as { text: string };
    expect(answer.text).toMatch(/, saved: The zebra build needs make -j2\. Token /);
    expect(answer.text).toMatch(/, assistant in "Remember it": Saved, the okapi is done\./);
    const kept = openStore(store);
    expect(JSON.stringify(await kept.memories.list({ limit: 5 }))).not.toContain(secret);
    await kept.close();
  });
});

describe("zeph memory", () => {
  it("saves, lists, finds, shows and forgets", async () => {
    const here = box();
    here.write("other/x", "");
    expect(await here.run(["memory"])).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is remembered for this folder") });
    const saved = await here.runProcess(["memory", "save", "Releases", "need a tag"]);
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Saved for this folder as [0-9a-f]{8}\.\n$/) });
    await here.run(["memory", "save", "-", "--everywhere"], { input: "Tea \u001b[31m,\nnot coffee\n" });
    await here.run(["--cwd", "other", "memory", "save", "Elsewhere"]);
    const { stdout } = await here.runProcess(["memory"]);
    expect(stdout).toMatch(
      /^[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}everywhere: Tea \\u001b\[31m, not coffee\n[0-9a-f]{8} {2}.* {2}Releases need a tag\n$/,
    );
    const listed = JSON.parse((await here.run(["memory", "list", "--all", "--json"])).stdout);
    expect(listed.map(({ content, workspace }: any) => [content, workspace])).toEqual([
      ["Elsewhere", `${here.cwd}/other`],
      ["Tea \u001b[31m,\nnot coffee", null],
      ["Releases need a tag", here.cwd],
    ]);
    expect((await here.run(["memory", "search", "release"])).stdout).toMatch(/^[0-9a-f]{8} {2}.* {2}Releases need a tag\n$/);
    expect(JSON.parse((await here.run(["memory", "search", "tags", "--json"])).stdout)).toMatchObject({
      hits: [{ kind: "memory", content: "Releases need a tag", untrusted: false }],
      damaged: 0,
    });
    const { id } = listed[2];
    expect((await here.run(["memory", "show", id.slice(0, 6)])).stdout).toMatch(`${id}\nsaved `);
    expect(await here.run(["memory", "forget", id.slice(0, 8).toUpperCase()])).toMatchObject({ code: 0, stdout: "Forgotten: 1 memory.\n" });
    expect(await here.run(["memory", "search", "release"])).toMatchObject({ stdout: "Nothing was found.\n" });
    expect(await here.run(["memory", "forget", "--all"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes") });
    expect(await here.run(["--cwd", "other", "memory", "forget", "--workspace", "--yes"])).toMatchObject({
      stdout: "Forgotten: 1 memory.\n",
    });
    expect(await here.run(["memory", "forget", "--all", "--yes", "--json"])).toMatchObject({ stdout: '{"forgotten":1}\n' });
  });

  it.each([
    [["memory", "lst"], 'Did you mean "list"?'],
    [["memory", "constructor"], "is not a command of memory"],
    [["memory", "list", "x"], "takes no words"],
    [["memory", "search"], "Say what to look for"],
    [["memory", "show"], "Say which one"],
    [["memory", "show", "abc"], "at least six characters"],
    [["memory", "show", "abcdef"], "There is no memory abcdef"],
    [["memory", "forget"], "Say which one"],
    [["memory", "forget", "abcdef", "--all"], "Say one of them"],
    [["memory", "save", " "], "Say what to remember"],
    [["memory", "--limit", "0"], "from 1 to"],
  ])("exits 2 for wrong usage: %j", async (args, message) => {
    const { code, stdout, stderr } = await box().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("refuses what is far too long, in words", async () => {
    const { code, stderr } = await box().run(["memory", "save", "-"], { input: "x".repeat(100_000) });
    expect(code).toBe(5);
    expect(stderr).toContain("Save a summary of it");
  });
});
