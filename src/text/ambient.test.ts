import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createAmbient } from "./ambient.ts";

it("an ambient value is there in what a piece of work does later, apart from others and from other values", async () => {
  const [one, other] = [createAmbient<string>(), createAmbient<string>()];
  const look = async () => {
    await sleep(1);
    return [one.current(), other.current()];
  };
  const inner = () => other.run("b", look);
  expect(await Promise.all([one.run("a", inner), one.run("c", look), look()])).toEqual([
    ["a", "b"],
    ["c", undefined],
    [undefined, undefined],
  ]);
  expect(await one.run("a", () => one.run("inner", look))).toEqual(["inner", undefined]);
});
