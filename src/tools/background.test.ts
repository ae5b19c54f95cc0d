import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Workspace, workspace } from "../../test/workspace.ts";
import { answerText } from "../core/answer.ts";
import type { Zeph } from "../index.ts";

let place: Workspace;
let zeph: Zeph;
let works = false;

beforeAll(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
  zeph = await place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } } },
  });
  works = (await zeph.call("bash", { command: "true" })).output?.walls?.backend === "bubblewrap";
});
afterAll(async () => {
  await zeph.close();
  place.remove();
});

const start = async (command: string) => {
  const text = answerText(await zeph.call("bash", { command, background: true }));
  return { text, id: /run_id=(\S+)/.exec(text)![1]! };
};
const look = async (action: string, run_id?: string, seconds?: number) =>
  answerText(await zeph.call("background", { action, ...(run_id && { run_id }), ...(seconds !== undefined && { seconds }) } as never));
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;
const go = (file: string) => writeFileSync(join(place.work, file), "");
/** What any command's output may take, with a little for what is said about it. */
const BUDGET = 4500;

it("What a command in the background prints has the budget of any output, however it is looked at, and the rest is kept", async ({
  skip,
}) => {
  skip(!works, "needs a sandbox");
  const texts = [(await start("seq 1 60000")).text];
  expect(texts[0]).toContain("[background complete]");
  const steps = ["list", "read", "wait"].map((name) => `${until(name)}; seq 1 60000; touch ${name}-done; `);
  const { text, id } = await start(`seq 1 60000; ${steps.join("")}sleep 60`);
  texts.push(text);
  for (const action of ["list", "read", "wait"]) {
    go(action);
    await expect.poll(() => existsSync(join(place.work, `${action}-done`)), { timeout: 10_000 }).toBe(true);
    texts.push(await look(action, action === "list" ? undefined : id, 1));
  }
  const last = await start(`${until("kill")}; seq 1 60000; touch kill-done; sleep 60`);
  go("kill");
  await expect.poll(() => existsSync(join(place.work, "kill-done")), { timeout: 10_000 }).toBe(true);
  texts.push(await look("kill", last.id));
  for (const text of texts) {
    expect(countTokens(text)).toBeLessThan(BUDGET);
    expect(text).toMatch(/\[-\d+ lines raw#\d+/);
  }
  await look("kill", id);
});

it("A list gives what one command printed; of several it says how much there is to read", async ({ skip }) => {
  skip(!works, "needs a sandbox");
  const one = await start(`${until("on")}; echo first; touch one-done; sleep 60`);
  const two = await start(`${until("on")}; echo second; echo third; touch two-done; sleep 60`);
  expect(await look("list")).toMatch(/^bg\d+ \(\d+ s\) until .*; sleep 60\nbg\d+ .*; sleep 60$/);
  go("on");
  await expect.poll(() => ["one-done", "two-done"].every((name) => existsSync(join(place.work, name)))).toBe(true);
  // What was printed before is on its way. A list must not be asked for earlier: where one alone has something, it tells it.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await look("list")).toMatch(/sleep 60 \[new lines: 1; read shows them\]\nbg.*sleep 60 \[new lines: 2; read shows them\]$/);
  expect(await look("read", two.id)).toBe(`${two.id} still runs.\nsecond\nthird`);
  expect(await look("list")).toMatch(/sleep 60\nfirst\nbg.*sleep 60$/);
  for (const { id } of [one, two]) await look("kill", id);
  rmSync(join(place.work, "on"));
});

it("A line without an end is shown, said to have none, and told whole when it has", async ({ skip }) => {
  skip(!works, "needs a sandbox");
  const { text, id } = await start(`printf 'Enter password: '; ${until("typed")}; echo ok; sleep 60`);
  expect(text).toBe(`[background] started run_id=${id}\nEnter password: \n[its last line has no end yet]`);
  expect(await look("read", id)).toBe(`${id} still runs.\nEnter password: \n[its last line has no end yet]`);
  go("typed");
  await expect.poll(() => look("read", id)).toBe(`${id} still runs.\nEnter password: ok`);
  expect(await look("read", id)).toBe(`${id} still runs; no new output.`);
  expect(await look("kill", id)).toBe(`(no new output)\n[background complete] run_id=${id} exit_code=130 (killed)`);
});

it("An end says who made it, and whether there was output before", async ({ skip }) => {
  skip(!works, "needs a sandbox");
  const quiet = await start("sleep 60");
  expect(await look("kill", quiet.id)).toBe(`(no output)\n[background complete] run_id=${quiet.id} exit_code=130 (killed)`);
  const short = await start("sleep 1.5");
  expect(await look("wait", short.id, 20)).toBe(`(no output)\n[background complete] run_id=${short.id} exit_code=0`);
});
