import { expect, it } from "vitest";
import { createHookTickets, LIFTED_MS } from "../../src/runtime/hook/hook-tickets.ts";
import { openStore } from "../../src/store/open.ts";

const CALL = { client: "codex", session: "s1", cwd: "/w", tool: "Bash", args: { command: "git push" }, why: "no rule allows it" };

async function opened() {
  const { openQuestions } = openStore("memory");
  let clock = Date.now();
  const tickets = createHookTickets(openQuestions, () => clock);
  const pass = (ms: number) => {
    clock += ms;
  };
  return { openQuestions, tickets, pass };
}

it("a call that nobody approved is not lifted, and asks under one id however often it is made", async () => {
  const { tickets } = await opened();
  expect(await tickets.take(CALL)).toBe(false);
  const id = await tickets.keep(CALL);
  expect(await tickets.keep(CALL)).toBe(id);
  expect(await tickets.take(CALL)).toBe(false);
});

it("a yes lifts the call once", async () => {
  const { tickets, openQuestions } = await opened();
  await openQuestions.answer(await tickets.keep(CALL), { answer: "once" });
  expect(await tickets.take(CALL)).toBe(true);
  expect(await tickets.take(CALL)).toBe(false);
});

it.each([
  ["another client", { client: "qwen" }],
  ["another session", { session: "s2" }],
  ["another folder", { cwd: "/w/sub" }],
  ["another tool", { tool: "apply_patch" }],
  ["other arguments", { args: { command: "git push --force" } }],
  ["one argument more", { args: { command: "git push", timeout: 1 } }],
])("a yes lifts no call of %s", async (_name, other) => {
  const { tickets, openQuestions } = await opened();
  await openQuestions.answer(await tickets.keep(CALL), { answer: "once" });
  expect(await tickets.take({ ...CALL, ...other })).toBe(false);
  expect(await tickets.take(CALL)).toBe(true);
});

it("a yes is over after ten minutes", async () => {
  const { tickets, openQuestions, pass } = await opened();
  await openQuestions.answer(await tickets.keep(CALL), { answer: "once" });
  pass(LIFTED_MS + 1000);
  expect(await tickets.take(CALL)).toBe(false);
});

it("a no lifts nothing", async () => {
  const { tickets, openQuestions } = await opened();
  await openQuestions.answer(await tickets.keep(CALL), { answer: "no" });
  expect(await tickets.take(CALL)).toBe(false);
});

it("two calls at once share no yes", async () => {
  const { tickets, openQuestions } = await opened();
  await openQuestions.answer(await tickets.keep(CALL), { answer: "once" });
  const taken = await Promise.all([tickets.take(CALL), tickets.take(CALL)]);
  expect(taken.filter(Boolean)).toHaveLength(1);
});

it("a model that asks about everything pushes out its own oldest questions", async () => {
  const { tickets, openQuestions } = await opened();
  for (let n = 0; n < 105; n++) await tickets.keep({ ...CALL, args: { command: `echo ${n}` } });
  expect((await openQuestions.list()).length).toBe(100);
});
