import { expect, it } from "vitest";
import { createRepetitionCheck } from "./repetition.ts";

const round = (text: string, name = "read", args: unknown = {}) => [{ request: { name, args }, text }];

it("tells the third round in a row that brought the same", () => {
  const { isThird } = createRepetitionCheck();
  expect(["a", "a", "b", "a", "a", "a"].map((text) => isThird(round(text)))).toEqual([false, false, false, false, false, true]);
});

it("sees the same behind the numbers we give ourselves", () => {
  const { isThird } = createRepetitionCheck();
  const texts = [1, 2, 3].map((n) => `[12 lines left out, raw#${n}] overflow:0000000${n}-1111-4111-8111-111111111111`);
  expect(texts.map((text) => isThird(round(text)))).toEqual([false, false, true]);
});

it("takes another tool, or another number of calls, for something new", () => {
  const { isThird } = createRepetitionCheck();
  expect(isThird(round("a"))).toBe(false);
  expect(isThird([...round("a"), ...round("a")])).toBe(false);
  expect(isThird(round("a", "grep"))).toBe(false);
});

it("lets a model wait for background commands as often as it needs", () => {
  const { isThird } = createRepetitionCheck();
  for (let n = 0; n < 10; n++) expect(isThird(round("still running", "background"))).toBe(false);
  for (let n = 0; n < 10; n++) expect(isThird([...round("still running", "background"), ...round("same")])).toBe(false);
});

it("counts only rounds in a row", () => {
  const { isThird } = createRepetitionCheck();
  for (let n = 0; n < 5; n++) {
    expect(isThird(round("a"))).toBe(false);
    expect(isThird(round("waiting", "background"))).toBe(false);
  }
});

it("takes different calls for different work, whatever they bring", () => {
  for (const text of ["(no output)", "ok", "1 passed"]) {
    const { isThird } = createRepetitionCheck();
    for (const name of ["a", "b", "c", "d"]) expect(isThird(round(text, "bash", { command: `make ${name}` }))).toBe(false);
  }
  const refused = createRepetitionCheck();
  for (const path of ["a", "b", "c"])
    expect(refused.isThird(round("[tool_error]\ncategory: policy_blocked", "read", { path }))).toBe(false);
  const again = createRepetitionCheck();
  expect([1, 2, 3].map(() => again.isThird(round("(no output)", "bash", { command: "true" })))).toEqual([false, false, true]);
});

it("sees the same call behind another order of its arguments", () => {
  const { isThird } = createRepetitionCheck();
  const args = [
    { path: "a", offset: 2 },
    { offset: 2, path: "a" },
    { path: "a", offset: 2 },
  ];
  expect(args.map((one) => isThird(round("a", "read", one)))).toEqual([false, false, true]);
});
