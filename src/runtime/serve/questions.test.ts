import { expect, it } from "vitest";
import type { Question } from "../../core/event.ts";
import { callBehind, questionForm } from "./questions.ts";

const question = (tool: string, args: object) => ({ tool, args, why: ["A rule asks."] }) as unknown as Question;

it.each([
  ["bash", "command"],
  ["write", "content"],
])("a person sees all of a call of %s, or is not asked", (tool, name) => {
  const long = `${"a".repeat(60_000)} HIDDEN ${"b".repeat(60_000)}`;
  expect(questionForm(question(tool, { [name]: long }))!.message).toContain(long);
  expect(questionForm(question(tool, { [name]: "a".repeat(200_001) }))).toBeNull();
});

it("what a server asks goes with a call to its own tools, the newest, and never with another's", () => {
  const calls = ["mcp__a__one", "mcp__b__one", "mcp__a__two", "bash", "mcp__b_c__one"].map((name) => ({ name }));
  expect(callBehind("a", calls)?.name).toBe("mcp__a__two");
  expect(callBehind("b", calls)?.name).toBe("mcp__b__one");
  for (const server of ["c", "a_", "one", ""]) expect(callBehind(server, calls)).toBeUndefined();
});
