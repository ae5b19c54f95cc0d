import { onTestFinished, vi } from "vitest";

/** Holds `Date` for the rest of the test, however long the machine takes; timers go on. Returns what makes time pass. */
export function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.setSystemTime(Date.now() + ms);
}
