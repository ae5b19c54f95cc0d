import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-lab-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (name: string, ...words: string[]) =>
  spawn(process.execPath, [join(root, `lab/model/${name}.mjs`), ...words], { cwd: folder });

async function run(name: string, words: string[], input = "") {
  const child = start(name, ...words);
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (text += chunk));
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, text };
}

test("a task is the same in each layout, and not solved yet", async () => {
  const trees: string[] = [];
  for (const name of ["one", "two"]) {
    expect((await run("lay", ["k", join(folder, name)])).code).toBe(0);
    trees.push(execFileSync("git", ["rev-parse", "HEAD"], { cwd: join(folder, name), encoding: "utf8" }));
    expect(await run("check", ["k", join(folder, name)])).toMatchObject({ code: 1, text: expect.stringContaining("not solved") });
  }
  expect(trees[0]).toBe(trees[1]);
});

test("a game of the bare loop is answered, checked and counted", async () => {
  const game = join(folder, "k-bare");
  const play = start("play", "k", "bare", game);
  const ended = once(play, "close");
  const look = await run("answer", [game, "--peek"]);
  expect(look.text).toContain("many requests were answered with 503");
  const next = await run("answer", [game], "I look.\n@@$ wc -l < logs/app.log\n@@$ false\n");
  expect(next.text).toMatch(/=== request 2: .*\n--- result .*\n32394\n[\s\S]*exit code 1/);
  await run("answer", [game], "It was stock-c.");
  await ended;

  const verdict = JSON.parse(readFileSync(join(game, "verdict.json"), "utf8"));
  expect(verdict).toMatchObject({ task: "k", way: "bare", code: 0, solved: false, requests: 2, calls: 2, errors: 0 });
  expect(verdict.missing).toContain("the answer has 4.8.0");
  expect(verdict.missing).not.toContain("the answer has stock-c");
  expect(verdict.input).toBe(verdict.fixed + verdict.messages);
  // System prompt and tools are new in the first request and cached in the second.
  expect(Math.abs(verdict.priced - verdict.messagesPriced - (verdict.fixed / 2) * 1.35)).toBeLessThanOrEqual(1);

  const shown = await run("transcript", [game]);
  expect(shown.text).toContain("$ wc -l < logs/app.log");
  expect(shown.text).not.toContain(folder);
  // Six processes one after the other, four of which load a tokenizer.
}, 60_000);
