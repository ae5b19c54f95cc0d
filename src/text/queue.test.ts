import { expect, it } from "vitest";
import { createQueue } from "./queue.ts";

it("a queue runs one piece of work at a time, in the order it was given", async () => {
  const inTurn = createQueue();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all([inTurn(work("a")), inTurn(work("b"))])).toEqual(["a", "b"]);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

it("a piece of work that fails fails for its caller alone", async () => {
  const inTurn = createQueue();
  const failing = inTurn(() => Promise.reject(new Error("no")));
  const next = inTurn(() => 1);
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe(1);
});
