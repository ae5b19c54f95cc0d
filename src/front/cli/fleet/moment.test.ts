import { expect, it } from "vitest";
import { readMoment } from "./moment.ts";

const NOW = Date.parse("2026-11-17T12:00:00Z");

it.each([
  ["2026-11-17", "2026-11-17T00:00:00.000Z"],
  ["2026-11-17T09:30Z", "2026-11-17T09:30:00.000Z"],
  ["90m", "2026-11-17T10:30:00.000Z"],
  ["24h", "2026-11-16T12:00:00.000Z"],
  ["7d", "2026-11-10T12:00:00.000Z"],
])("%s is a moment", (text, moment) => expect(readMoment("--since", text, NOW).toISOString()).toBe(moment));

it.each(["", "yesterday", "7", "7w", "12", "2026-13-45", "1e9d"])("%o is none, and the message says what is", (text) =>
  expect(() => readMoment("--since", text, NOW)).toThrow("it must be a moment, such as 2026-11-17"),
);
