import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { mayChangeState } from "./turn-state.ts";

test("whatever sets a variable may change the state", () => {
  const name = fc.stringMatching(/^[A-Za-z_]\w*$/);
  fc.assert(
    fc.property(fc.string(), name, fc.constantFrom("=", "+="), (before, name, sign) => mayChangeState(`${before} ${name}${sign}1`)),
  );
  expect(["cd x", "a; . ./env", "A=1", "A1+=x", "export A"].map(mayChangeState)).toEqual(Array(5).fill(true));
  expect(["ls", "echo a == b", "echo $A", "./run.sh", "grep abcdef x"].map(mayChangeState)).toEqual(Array(5).fill(false));
});

test("a long word costs no more than its length", () => {
  const began = cpuMs();
  expect(mayChangeState(`echo ${"A".repeat(1_000_000)}`)).toBe(false);
  expect(mayChangeState(`echo ${"a1+".repeat(400_000)}`)).toBe(false);
  // Work that grows with the square of it would take twenty minutes.
  expect(cpuMs() - began).toBeLessThan(4000);
});
