import { expect, it } from "vitest";
import { createWaker } from "./waker.ts";

const LONG = 3_600_000;

it("a nap ends when its time is over, or when somebody calls", async () => {
  const waker = createWaker();
  await waker.nap(1);
  const nap = waker.nap(LONG);
  waker.wake();
  await nap;
});

it("a call that comes while nobody naps ends the next nap, and only that one", async () => {
  const waker = createWaker();
  waker.wake();
  await waker.nap(LONG);
  let isOver = false;
  const second = waker.nap(LONG).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  waker.wake();
  await second;
});
