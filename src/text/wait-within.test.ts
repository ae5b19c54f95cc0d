import { describe, expect, it } from "vitest";
import { answerInTime } from "./wait-within.ts";

const never = new AbortController().signal;

describe("answerInTime", () => {
  it("gives an answer that comes in time", async () => expect(await answerInTime(async () => 7, 60_000, never)).toBe(7));

  it("gives null for an answer that is late, and tells it to stop", async () => {
    let told: AbortSignal | undefined;
    const late = answerInTime<number>(
      (signal) => {
        told = signal;
        return new Promise(() => {});
      },
      5,
      never,
    );
    expect(await late).toBeNull();
    expect(told?.aborted).toBe(true);
  });

  it("gives null when asking fails, and does not ask for a caller that has cancelled", async () => {
    expect(await answerInTime(() => Promise.reject(new Error("no")), 60_000, never)).toBeNull();
    expect(await answerInTime(() => expect.fail("it was asked"), 60_000, AbortSignal.abort())).toBeNull();
  });
});
