import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { abortAfter, unlessAborted, whileHeld } from "./abort.ts";

describe("work that a signal may end", () => {
  it("gives its result while nobody aborts, and leaves no listener behind", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve("done"), signal, () => "stopped")).toBe("done");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
  it("gives what was asked for when the signal is aborted first, also before it began", async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(new Promise(() => {}), controller.signal, () => "stopped");
    controller.abort();
    expect(await waiting).toBe("stopped");
    expect(await unlessAborted(new Promise(() => {}), controller.signal, () => "stopped")).toBe("stopped");
  });
  it("fails as the work fails, or as the end of it says", async () => {
    const never = new AbortController().signal;
    await expect(unlessAborted(Promise.reject(new Error("broken")), never, () => null)).rejects.toThrow("broken");
    const refuse = () => {
      throw new Error("too late");
    };
    await expect(unlessAborted(new Promise(() => {}), AbortSignal.abort(), refuse)).rejects.toThrow("too late");
  });
});

describe("a limit that nothing but its clock remembers", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const collecting = setInterval(collect, 10);
  afterEach(() => clearInterval(collecting));
  const { signal: other } = new AbortController();
  const ended = (signal: AbortSignal) => new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("ended")));
  /** Apart from the listener, nobody holds what it joins. */
  const joined = (limit: AbortSignal) => ended(AbortSignal.any([other, limit]));

  it("ends what it is joined with, whatever is collected meanwhile", async () => {
    const held = (given: AbortSignal) => whileHeld(given, () => joined(given));
    expect(await Promise.all([joined(abortAfter(100)), held(AbortSignal.timeout(100))])).toEqual(["ended", "ended"]);
  });
});
