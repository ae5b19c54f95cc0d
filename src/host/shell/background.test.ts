import { expect, it } from "vitest";
import type { Ran } from "../../core/shell.ts";
import { background } from "./background.ts";

const ran = (exitCode: number): Ran => ({
  stdout: "",
  stderr: "",
  text: "",
  exitCode,
  truncated: false,
  ended: "by itself",
  walls: { backend: "none", layers: [], network: "closed" },
  notes: [],
});
const never = new AbortController().signal;
/** A run that lasts until it is stopped, as a command would. */
const endless = (stop: AbortSignal) => new Promise<Ran>((resolve) => stop.addEventListener("abort", () => resolve(ran(137))));

it("tells of each run that ended exactly once", async () => {
  const runs = background(8);
  const { runId } = runs.start("true", async () => ran(0));
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs.list()).toEqual([]);
  expect(runs.takeCompletions()).toMatchObject([{ runId, command: "true", ran: { exitCode: 0 } }]);
  expect(runs.takeCompletions()).toEqual([]);
});
it("does not tell again of a run that was waited for or killed", async () => {
  const runs = background(8);
  const one = runs.start("true", async () => ran(0));
  expect(await runs.wait(one.runId, 1000, never)).toMatchObject({ exitCode: 0 });
  const two = runs.start("sleep", endless);
  expect(await runs.wait(two.runId, 10, never)).toBeNull();
  expect(await runs.kill(two.runId)).toMatchObject({ exitCode: 137 });
  expect(runs.takeCompletions()).toEqual([]);
});
it("refuses one more than the most, and says how many run", () => {
  const runs = background(2);
  runs.start("a", endless);
  runs.start("b", endless);
  expect(() => runs.start("c", endless)).toThrow("2 background commands run already, and 2 is the most");
  return runs.close();
});
it("knows its runs, stops waiting when cancelled, and kills all at the end", async () => {
  const runs = background(2);
  const { runId } = runs.start("a", endless);
  await expect(runs.wait("nope", 1, never)).rejects.toThrow(`There is no background run nope. Known: ${runId}.`);
  await expect(runs.wait(runId, 60_000, AbortSignal.timeout(10))).rejects.toThrow();
  await runs.close();
  expect(runs.list()).toEqual([]);
});
