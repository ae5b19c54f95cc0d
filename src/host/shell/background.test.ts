import { expect, it } from "vitest";
import type { Ran } from "../../core/ports/shell.ts";
import { openBackground } from "./background.ts";

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
  const runs = openBackground(8);
  const { runId } = runs.start("true", async () => ran(0));
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs.list()).toEqual([]);
  expect(runs.takeCompletions()).toMatchObject([{ runId, command: "true", ran: { exitCode: 0 } }]);
  expect(runs.takeCompletions()).toEqual([]);
});
it("does not tell again of a run that was waited for or killed", async () => {
  const runs = openBackground(8);
  const one = runs.start("true", async () => ran(0));
  expect(await runs.wait(one.runId, 1000, never)).toMatchObject({ exitCode: 0 });
  const two = runs.start("sleep", endless);
  expect(await runs.wait(two.runId, 10, never)).toBeNull();
  expect(await runs.kill(two.runId)).toMatchObject({ exitCode: 137 });
  expect(runs.takeCompletions()).toEqual([]);
});
it("refuses one more than the most, and says how many run", () => {
  const runs = openBackground(2);
  runs.start("a", endless);
  runs.start("b", endless);
  expect(() => runs.start("c", endless)).toThrow("2 background commands run already, and 2 is the most");
  return runs.close();
});
it("knows its runs, stops waiting when cancelled, and kills all at the end", async () => {
  const runs = openBackground(2);
  const { runId } = runs.start("a", endless);
  await expect(runs.wait("nope", 1, never)).rejects.toThrow(`There is no background run nope. Known: ${runId}.`);
  await expect(runs.wait(runId, 60_000, AbortSignal.timeout(10))).rejects.toThrow();
  await runs.close();
  expect(runs.list()).toEqual([]);
});

it("holds a bounded amount of 10,000 outputs that nobody asks about, and tells of every end", async () => {
  const runs = openBackground(20_000);
  const long = "x".repeat(100_000);
  for (let n = 0; n < 10_000; n++) runs.start(`make ${n}`, async () => ({ ...ran(n % 3), text: `${long}${n}`, stdout: `${long}${n}` }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs.unheard()).toBe(10_000);
  await expect(async () => runs.kill("nope")).rejects.toThrow(/Known: (?:bg\d+, ){19}bg\d+ and 9980 more\.$/);
  const first = runs.takeCompletions(10);
  expect(first.map(({ command, ran }) => `${command} ${ran.exitCode}`)).toEqual(Array.from({ length: 10 }, (_, n) => `make ${n} ${n % 3}`));
  expect(first[0]!.ran).toMatchObject({ text: expect.stringContaining("its output was dropped"), stdout: "", truncated: true });
  const rest = runs.takeCompletions();
  expect(rest).toHaveLength(9_990);
  expect(rest.reduce((sum, { ran }) => sum + ran.text.length + ran.stdout.length, 0)).toBeLessThan(70 * 1024 * 1024);
  expect(rest.at(-1)!.ran.text).toBe(`${long}9999`);
  expect(runs.takeCompletions()).toEqual([]);
});
