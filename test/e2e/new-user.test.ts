import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, scripted } from "./scripted.ts";
import { type ChatLook, hasTmux, openTmux, PLAIN, SCREEN } from "./tmux.ts";
import { type Box, box } from "./zeph.ts";

const LOOKS: [string, ChatLook][] = [
  ["on the screen", SCREEN],
  ["line by line", PLAIN],
];

const WRONG = "export const sum = (numbers) => numbers.reduce((a, b) => a - b, 0);\n";
const RIGHT = WRONG.replace("a - b", "a + b");
const TEST = `import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.js";\n\ntest("adds", () => assert.strictEqual(sum([1, 2]), 3));\n`;

const git = ({ cwd, env }: Box, ...args: string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" });

/** A repository with one commit, and a model that follows a script. */
function repository(files: Readonly<Record<string, string>>, turns: Parameters<typeof scripted>[1], look: ChatLook): Box {
  const here = scripted(box(), turns, look.settings);
  for (const [name, text] of Object.entries({ ".gitignore": "turns.json\n", "package.json": '{"type":"module"}\n', ...files }))
    here.write(name, text);
  git(here, "init", "-q");
  git(here, "add", ".");
  git(here, "-c", "user.name=A", "-c", "user.email=a@b.example", "commit", "-qm", "first");
  return here;
}

const isGreen = ({ cwd, env }: Box): boolean => spawnSync(process.execPath, ["--test"], { cwd, env }).status === 0;

describe.skipIf(!hasTmux)("a new user, without a page of documentation", () => {
  it.each(LOOKS)("has a failing test fixed %s: says so, answers what is asked, and finds it green", async (_, look) => {
    const turns = [
      [says("I run the tests."), calls("bash", { command: "node --test" })],
      [says("It subtracts."), calls("read", { path: "sum.js" })],
      [calls("edit", { path: "sum.js", old_string: "a - b", new_string: "a + b" })],
      [calls("bash", { command: "node --test" })],
      [says("The test is green: sum added the wrong way round.")],
    ];
    const here = repository({ "sum.js": WRONG, "sum.test.js": TEST }, turns, look);
    expect(isGreen(here)).toBe(false);
    const window = openTmux(here, look);
    await window.ready();
    window.say("fix the failing test");
    const asked = await window.agreeUntil("The test is green");
    // Nothing was changed behind the person's back.
    expect(asked).toBeGreaterThan(0);
    await window.ready();
    await window.leave();
    expect(readFileSync(join(here.cwd, "sum.js"), "utf8")).toBe(RIGHT);
    expect(isGreen(here)).toBe(true);
  });

  it.each(LOOKS)("has a diff reviewed %s: reads the review, and nothing of the folder changes", async (_, look) => {
    const turns = [
      [says("I look at the diff."), calls("bash", { command: "git diff" })],
      [says("Review of sum.js: line 1 now subtracts, so sum([1, 2]) is -3. Put the plus back.")],
    ];
    const here = repository({ "sum.js": RIGHT }, turns, look);
    here.write("sum.js", WRONG);
    const before = git(here, "status", "--porcelain");
    const window = openTmux(here, look);
    await window.ready();
    window.say("review my diff");
    await window.agreeUntil("Put the plus back.");
    await window.ready();
    await window.leave();
    expect(git(here, "status", "--porcelain")).toBe(before);
    expect(readFileSync(join(here.cwd, "sum.js"), "utf8")).toBe(WRONG);
  });
});
