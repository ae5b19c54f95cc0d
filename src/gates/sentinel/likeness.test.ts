import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Trajectory, TrajectoryEnd } from "../../core/ports/store.ts";
import { createLikeness } from "./likeness.ts";
import { ALIKE, type SequenceSteps } from "./sequence-query.ts";

let counter = 0;
const ended = (steps: SequenceSteps, how: TrajectoryEnd = "error"): Trajectory => {
  counter += 1;
  return { id: `${counter}`, workspace: "/w", callId: `c${counter}`, steps, ended: how, createdAt: counter };
};
const known = (...all: readonly Trajectory[]) => {
  const index = createLikeness();
  for (const one of all) index.add(one);
  return index;
};
const A = ["read", "notes.txt"];
const B = ["bash", "deploy", "production", "--now"];

describe("a sequence", () => {
  it("is like itself, and like itself after something else", () => {
    const stored = ended([A, B]);
    expect(known(stored).closest([A, B])).toEqual({ trajectory: stored, score: expect.closeTo(1, 5) });
    expect(known(stored).closest([["grep", "x"], A, B])?.trajectory).toBe(stored);
  });

  it.each<[string, SequenceSteps]>([
    ["another last call", [A, ["bash", "deploy", "staging", "--now"]]],
    ["another tool with the same words", [A, ["run", "deploy", "production", "--now"]]],
    ["another way there", [["list", "x"], B]],
    ["no way there", [B]],
    ["the other order", [B, A]],
    ["nothing", []],
  ])("is not like one with %s", (_what, steps) => expect(known(ended([A, B])).closest(steps)).toBeNull());

  it("of one call counts by a person's word alone", () => {
    expect(known(ended([B])).closest([B])).toBeNull();
    expect(known(ended([B], "violation")).closest([B])).toBeNull();
    expect(known(ended([B], "unacceptable")).closest([A, B])).not.toBeNull();
  });

  it("that ended well is held against nobody, and takes an error back and nothing else", () => {
    expect(known(ended([A, B], "ok")).closest([A, B])).toBeNull();
    const index = known(ended([A, B]), ended([["x"], B]), ended([A, B], "unacceptable"), ended([A, B], "violation"));
    index.takeBack(B);
    expect(index.of("bash").map((one) => one.ended)).toEqual(["unacceptable", "violation"]);
    index.takeBack(["bash"]);
  });

  it("is forgotten by its call", () => {
    const stored = ended([A, B]);
    const index = known(stored);
    index.remove(stored.callId);
    index.remove("none");
    expect(index.closest([A, B])).toBeNull();
    expect(index.of("bash")).toEqual([]);
  });
});

describe("the index", () => {
  /** Call by call, as the definition says. */
  const similarity = (own: SequenceSteps, stored: SequenceSteps): number => {
    let [sum, total] = [0, 0];
    for (let n = 0; n < stored.length; n++) {
      const [mine, theirs] = [new Set(own.at(-1 - n)), new Set(stored.at(-1 - n))];
      const shared = [...mine].filter((one) => theirs.has(one)).length;
      sum += n < own.length ? (0.5 ** n * shared) / Math.sqrt(mine.size * theirs.size) : 0;
      total += 0.5 ** n;
    }
    return sum / total;
  };
  const word = fc.constantFrom(..."abcdefghij");
  const step = fc.tuple(fc.constantFrom("t", "u"), fc.uniqueArray(word, { maxLength: 7 })).map(([tool, words]) => [tool, ...words]);
  const steps = fc.array(step, { minLength: 1, maxLength: 5 });

  it("finds exactly what comparing with every one finds", () =>
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 30 }), steps, fc.nat(29), (stored, own, gone) => {
        const all = stored.map((one) => ended(one, "unacceptable"));
        const index = known(...all);
        if (all[gone]) index.remove(all[gone].callId);
        const scores = all
          .filter((one, n) => n !== gone && one.steps.at(-1)![0] === own.at(-1)![0])
          .map((one) => similarity(own, one.steps))
          .filter((score) => score >= ALIKE);
        const found = index.closest(own);
        expect(found?.score ?? 0).toBeCloseTo(scores.length > 0 ? Math.max(...scores) : 0, 9);
      }),
      { numRuns: 400 },
    ));

  it("is bounded", () => {
    const index = createLikeness();
    for (let n = 0; n < 5_010; n++) index.add(ended([A, ["bash", String(n)]]));
    expect(index.of("bash")).toHaveLength(5_000);
    expect(index.closest([A, ["bash", "0"]])).toBeNull();
    expect(index.closest([A, ["bash", "5009"]])).not.toBeNull();
  });
});
