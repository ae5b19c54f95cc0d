import { expect, it } from "vitest";
import { createChatNotes } from "./notes.ts";

it("the list of notes tells at once between turns, and after the turn what comes during one", async () => {
  const told: string[] = [];
  const notes = createChatNotes();
  const add = (text: string) => notes.add(async () => void told.push(text));
  add("before");
  await notes.during(async () => {
    expect(told).toEqual(["before"]);
    add("one");
    await notes.during(async () => add("two"));
    notes.add(() => Promise.reject(new Error("gone")));
    add("three");
    await new Promise(setImmediate);
    expect(told).toEqual(["before"]);
  });
  expect(told).toEqual(["before", "one", "two", "three"]);
  await expect(notes.during(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  add("after");
  await new Promise(setImmediate);
  expect(told.at(-1)).toBe("after");
});

it("the list of notes holds no more than there is room for", async () => {
  const told: number[] = [];
  const notes = createChatNotes();
  await notes.during(async () => {
    for (let n = 0; n < 500; n++) notes.add(async () => void told.push(n));
  });
  expect(told).toHaveLength(200);
  expect(told.at(-1)).toBe(499);
});
