import { describe, expect, it } from "vitest";
import { type BatchDefaults, readBatchLine } from "./batch-line.ts";

const defaults: BatchDefaults = { batch: "spring", limits: [], readRepo: (url) => ({ url }) };
const read = (line: object | string, how: Partial<BatchDefaults> = {}) =>
  readBatchLine(typeof line === "string" ? line : JSON.stringify(line), { ...defaults, ...how });

describe("a line of a batch", () => {
  it("is a task with all that it says", () => {
    const line = {
      text: "Update the changelog",
      key: "k1",
      repo: { url: "https://host/app.git", ref: "main" },
      session: "s1",
      model: "claude",
      limit: "anthropic",
      label: "gpu",
      max_attempts: 5,
      on_unknown: "stop",
      max_turns: 20,
      max_usd: 0.5,
    };
    expect(read(line)).toEqual({
      key: "k1",
      batch: "spring",
      session: "s1",
      limit: "anthropic",
      label: "gpu",
      maxAttempts: 5,
      onUnknown: "stop",
      payload: {
        format: 1,
        text: "Update the changelog",
        repo: { url: "https://host/app.git", ref: "main" },
        model: "claude",
        limits: { turns: 20, usd: 0.5 },
      },
    });
  });

  it("takes what it does not say from the command", () => {
    const how = { repo: { url: "r" }, model: "m", label: "l", onUnknown: "stop", limits: ["anthropic"] } as const;
    expect(read({ text: "x" }, how)).toMatchObject({
      limit: "anthropic",
      label: "l",
      onUnknown: "stop",
      payload: { repo: { url: "r" }, model: "m" },
    });
    expect(read({ text: "x", label: "own", repo: "other" }, how)).toMatchObject({ label: "own", payload: { repo: { url: "other" } } });
  });

  it("has a key that depends on its work and its batch, and not on how it is limited", () => {
    const { key } = read({ text: "x" });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(read({ text: "x", limit: "a", max_attempts: 2, label: "l" }).key).toBe(key);
    const asker = { person: "ann", traceparent: "00-x" };
    expect(read({ text: "x" }, { asker })).toMatchObject({ key, payload: asker });
    const others = [
      read({ text: "y" }),
      read({ text: "x", repo: "r" }),
      read({ text: "x", session: "s" }),
      read({ text: "x" }, { batch: "summer" }),
    ];
    expect(new Set([key, ...others.map((one) => one.key)]).size).toBe(5);
  });

  it("names its limit where there are several", () => {
    const limits = ["anthropic", "openai"];
    expect(read({ text: "x", model: "openai" }, { limits }).limit).toBe("openai");
    expect(read({ text: "x", limit: "anthropic" }, { limits }).limit).toBe("anthropic");
    expect(() => read({ text: "x" }, { limits })).toThrow('it names no "limit", and there are several: anthropic, openai.');
  });

  it.each([
    ["no json", "it is no JSON"],
    ["[1]", 'a task is an object: {"text": "what to do"}.'],
    ["{}", '"text" is missing.'],
    ['{"text": "  "}', '"text": it is empty.'],
    ['{"text": 3}', '"text": '],
    ['{"txt": "x"}', '"txt" is no field of a task. Did you mean "text"?'],
    ['{"txt": "x", "text": "y"}', '"txt" is no field of a task. Did you mean "text"?'],
    ['{"zzzzzzzz": "x", "text": "y"}', "Fields are text, key, repo,"],
    ['{"text": "x", "max_attempts": 0}', '"max_attempts": '],
    ['{"text": "x", "on_unknown": "repeat"}', '"on_unknown": '],
  ])("%s is refused with words", (line, words) => {
    expect(() => read(line)).toThrow(words);
  });
});
