import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLeftovers } from "../files/leftovers.ts";
import { createPathRules, type PathRules } from "../files/paths.ts";
import { createPreimageKeeper } from "./keeper.ts";
import { createPreimageStore } from "./preimage-store.ts";
import { createTurnUndo } from "./undo-turn.ts";

/** A file that a call of the turn changed, and rules in whose place a test acts between a look and what follows it. */
async function changed() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-undo-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const work = join(base, "work");
  for (const folder of ["work/d", "outside"]) mkdirSync(join(base, folder), { recursive: true });
  const file = join(work, "d/a.txt");
  for (const path of [file, join(base, "outside/a.txt")]) writeFileSync(path, "one");
  const rules = createPathRules(work, { allowed_paths: [], deny_read: [], allow_read: [] }, "/home/somebody");
  const store = createPreimageStore(join(base, "state"));
  const by = { turn: "t", call: "c" };
  const keep = (given: PathRules) => createPreimageKeeper(given, store).keep([{ kind: "path", access: "write", path: "d/a.txt" }], by);
  const keeper = createPreimageKeeper(rules, store);
  await keeper.keep([{ kind: "path", access: "write", path: "d/a.txt" }], by);
  writeFileSync(file, "two");
  await keeper.settle(by);
  const undo = (given: PathRules) => createTurnUndo(given, store, createLeftovers(join(base, "notes"))).undo("t");
  const swap = () => {
    renameSync(join(work, "d"), join(work, "e"));
    symlinkSync(join(base, "outside"), join(work, "d"));
  };
  return { base, work, file, rules, keep, undo, swap };
}

it("A file that somebody changes after it was compared keeps what they wrote", async () => {
  const { file, rules, undo } = await changed();
  const judge: PathRules["judge"] = (...args) => {
    writeFileSync(file, "theirs");
    return rules.judge(...args);
  };
  const { left, restored } = await undo({ ...rules, judge });
  expect([left, restored]).toEqual([[{ path: file, why: "it was changed just now" }], []]);
  expect(readFileSync(file, "utf8")).toBe("theirs");
});

it("A folder that is exchanged for a link after it was judged leads nowhere", async () => {
  const { base, work, rules, undo, swap } = await changed();
  let swapped = false;
  const judge: PathRules["judge"] = (...args) => {
    if (!swapped) swap();
    swapped = true;
    return rules.judge(...args);
  };
  expect((await undo({ ...rules, judge })).restored).toEqual([]);
  expect([join(base, "outside/a.txt"), join(work, "e/a.txt")].map((path) => readFileSync(path, "utf8"))).toEqual(["one", "two"]);
});

it("A file behind a link that was put on its way is not kept, and why is said", async () => {
  const { file, rules, keep, swap } = await changed();
  const resolve: PathRules["resolve"] = (...args) => {
    const path = rules.resolve(...args);
    swap();
    return path;
  };
  expect(await keep({ ...rules, resolve })).toEqual([{ path: file, why: "a folder on the way to it was moved or replaced by a link" }]);
});
