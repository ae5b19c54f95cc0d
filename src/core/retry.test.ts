import { expect, it } from "vitest";
import { pause, type RetryConfig, sleep } from "./retry.ts";

const config: RetryConfig = { max_attempts: 10, base_ms: 100, max_ms: 1000, budget_secs: 30 };
const at = (n: number, random: number, more: object = {}) => pause({ n, elapsedMs: 0, ...more }, config, () => random);

it("doubles with each retry, up to the longest", () => {
  expect([1, 2, 3, 4, 5, 6].map((n) => at(n, 1))).toEqual([100, 200, 400, 800, 1000, 1000]);
});

it("is anywhere between nothing and that", () => {
  expect([0, 0.25, 0.5, 1].map((random) => at(3, random))).toEqual([0, 100, 200, 400]);
});

it("is as long as the other side asks, even beyond the longest", () => {
  expect(at(1, 0, { retryAfterMs: 7000 })).toBe(7000);
  expect(at(4, 1, { retryAfterMs: 10 })).toBe(800);
});

it("is none beyond the attempts or the budget", () => {
  expect(at(11, 0)).toBeNull();
  expect(at(1, 1, { elapsedMs: 29_950 })).toBeNull();
  expect(at(1, 1, { elapsedMs: 29_900 })).toBe(100);
  expect(at(1, 0, { retryAfterMs: 30_001 })).toBeNull();
});

it("can be broken off", async () => {
  const stop = new AbortController();
  const waited = sleep(60_000, stop.signal);
  stop.abort();
  expect(await waited).toBe(false);
  expect(await sleep(60_000, stop.signal)).toBe(false);
  expect(await sleep(1, new AbortController().signal)).toBe(true);
});
