import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openCommandClock } from "./command-clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("The clock of a command", () => {
  it("stands still as long as anybody holds it, and goes on where it stood", () => {
    const clock = openCommandClock(1000);
    vi.advanceTimersByTime(600);
    const [first, second] = [clock.hold(), clock.hold()];
    vi.advanceTimersByTime(5000);
    first();
    first();
    vi.advanceTimersByTime(5000);
    expect(clock.over.aborted).toBe(false);
    second();
    vi.advanceTimersByTime(399);
    expect(clock.over.aborted).toBe(false);
    vi.advanceTimersByTime(2);
    expect(clock.over.aborted).toBe(true);
  });

  it("ends a command that is held for too long, all times together", () => {
    const clock = openCommandClock(1000, 3000);
    const first = clock.hold();
    vi.advanceTimersByTime(2000);
    first();
    clock.hold();
    vi.advanceTimersByTime(1900);
    expect(clock.over.aborted).toBe(false);
    vi.advanceTimersByTime(200);
    expect(clock.over.aborted).toBe(true);
  });

  it("ends nothing once it is closed", () => {
    const clock = openCommandClock(1000);
    clock.close();
    vi.advanceTimersByTime(5000);
    expect(clock.over.aborted).toBe(false);
  });
});
