import { describe, expect, it } from "vitest";
import { isTransient } from "./error.ts";

describe("a server that is away", () => {
  it.each(["ECONNREFUSED", "EAI_AGAIN", "ENOTFOUND", "57P03", "08006", "53300", "40001"])("is waited for: %s", (code) => {
    expect(isTransient(Object.assign(new Error("x"), { code }))).toBe(true);
    expect(isTransient(new Error("x", { cause: Object.assign(new Error("y"), { code }) }))).toBe(true);
  });
  it.each(["28P01", "42501", "23505", "ENOENT"])("is not what is wrong: %s", (code) => {
    expect(isTransient(Object.assign(new Error("x"), { code }))).toBe(false);
  });
});
