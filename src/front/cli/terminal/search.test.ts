import { expect, it } from "vitest";
import { createHistorySearch } from "./search.ts";

const ENTRIES = ["git push", "npm test", "git pull", "look at src"];
const CTRL_R = "\u0012";

function searching(before = "") {
  let line = before;
  let prompt: string | null = null;
  const search = createHistorySearch({
    entries: () => ENTRIES,
    line: () => line,
    show(next, text) {
      prompt = next;
      line = text;
    },
  });
  return { type: (keys: string) => search.keys(keys), line: () => line, prompt: () => prompt };
}

it("Ctrl-R leaves everything else alone", () => {
  const { type, line } = searching("abc");
  expect(type("hello")).toBe("hello");
  expect(line()).toBe("abc");
});

it("Ctrl-R finds the newest that has it, then older ones", () => {
  const { type, line, prompt } = searching();
  expect(type(CTRL_R)).toBeNull();
  type("gi");
  expect([prompt(), line()]).toEqual(["(search: gi) ", "git push"]);
  type(CTRL_R);
  expect(line()).toBe("git pull");
  type(CTRL_R);
  expect([prompt(), line()]).toEqual(["(not found: gi) ", ""]);
  type("\u007f\u007fgit p");
  type(CTRL_R);
  // What is added keeps the entry it fits.
  type("u");
  expect(line()).toBe("git pull");
  type(`${"\u007f".repeat(6)}src`);
  expect(line()).toBe("look at src");
});

it("Enter or any other key takes what was found; Escape, Ctrl-C and Ctrl-G give back what was there", () => {
  for (const key of ["\r", "\t", "\u001b[D"]) {
    const { type, line, prompt } = searching("before");
    type(`${CTRL_R}npm`);
    expect(type(key)).toBe(key);
    expect([prompt(), line()]).toEqual([null, "npm test"]);
    expect(type("x")).toBe("x");
  }
  for (const key of ["\u001b", "\u0003", "\u0007"]) {
    const { type, line, prompt } = searching("before");
    type(`${CTRL_R}npm`);
    expect(type(key)).toBeNull();
    expect([prompt(), line()]).toEqual([null, "before"]);
  }
});
