import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLineQueue } from "./line-queue.ts";

const empty = { since: () => null, show: () => {} };
const line = (text: string) => ({ text });
const pass = (ms: number) => void vi.advanceTimersByTime(ms);

// When a line came is decided here, and not by how busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("the queue takes lines together that came at once", async () => {
  const queue = createLineQueue();
  for (const text of ["one", "two", "three"]) queue.add(line(text));
  expect(await queue.together(empty)).toEqual(["one", "two", "three"].map(line));
  expect(queue.size()).toBe(0);
});

it("the queue waits a moment for the rest of them", async () => {
  const queue = createLineQueue();
  queue.add(line("one"));
  const taken = queue.together(empty);
  pass(5);
  queue.add(line("two"));
  expect(await taken).toEqual(["one", "two"].map(line));
});

it("the queue takes lines one by one that did not come at once, however long they waited", async () => {
  const queue = createLineQueue();
  queue.add(line("one"));
  pass(60);
  queue.add(line("two"));
  const later = { since: () => performance.now(), show: () => {} };
  expect(await queue.together(later)).toEqual([line("one")]);
  pass(60);
  expect(await queue.together(empty)).toEqual([line("two")]);
});

it("the queue waits for the end of what was pasted, which stands in the editor", async () => {
  const queue = createLineQueue();
  queue.add(line("one"));
  let since: number | null = performance.now();
  let isShown = false;
  const editing = {
    since: () => since,
    show() {
      isShown = true;
    },
  };
  const taken = queue.together(editing);
  await expect.poll(() => isShown).toBe(true);
  pass(80);
  since = null;
  queue.add(line("two"));
  expect(await taken).toEqual(["one", "two"].map(line));
});

it("the queue takes what came while nobody could look at the clock as one", async () => {
  const queue = createLineQueue();
  queue.add(line("one"));
  pass(60);
  queue.add(line("two"));
  queue.touch();
  expect(await queue.together(empty)).toEqual(["one", "two"].map(line));
});
