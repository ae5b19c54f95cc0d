import { describe, it, expect as vitestExpect } from "vitest";
import { expect } from "./expect.ts";

const fails = (work: () => unknown) => vitestExpect(work).toThrow();

describe("the checks that the suites bring along", () => {
  it("are passed by what is so", async () => {
    expect(1).toBe(1);
    expect(null).toBeNull();
    expect({ a: [1, { b: undefined }], c: new Uint8Array([1]) }).toEqual({ a: [1, {}], c: new Uint8Array([1]) });
    expect({ a: [{ b: 1, c: 2 }], d: 3 }).toMatchObject({ a: [{ b: 1 }] });
    expect({ a: 1, b: "xyz" }).toEqual({ a: expect.any(Number), b: expect.stringContaining("y") });
    expect("abc").toMatch(/b/);
    expect([1]).toHaveLength(1);
    expect([1]).not.toContain(2);
    expect(() => JSON.parse("{")).toThrow("JSON");
    await expect(Promise.reject(new Error("no"))).rejects.toThrow("no");
  });

  it("fail about what is not so", async () => {
    fails(() => expect("1").toBe(1));
    fails(() => expect(undefined).toBeNull());
    fails(() => expect({ a: 1, b: 2 }).toEqual({ a: 1 }));
    fails(() => expect({ a: 1 }).toEqual({ a: 1, b: 2 }));
    fails(() => expect([1, 2]).toEqual([1]));
    fails(() => expect([1]).toMatchObject([1, 2]));
    fails(() => expect({ a: null }).toMatchObject({ a: {} }));
    fails(() => expect({ a: "1" }).toEqual({ a: expect.any(Number) }));
    fails(() => expect({ a: "b" }).toEqual({ a: expect.stringMatching(/c/) }));
    fails(() => expect(1).toBeGreaterThan(1));
    fails(() => expect(1).toBeLessThan(1));
    fails(() => expect(null).not.toBeNull());
    fails(() => expect(() => 1).toThrow());
    fails(() => expect(() => JSON.parse("{")).toThrow("another reason"));
    await vitestExpect(expect(Promise.resolve(1)).rejects.toThrow()).rejects.toThrow();
    await vitestExpect(expect(Promise.reject(new Error("no"))).rejects.toThrow("yes")).rejects.toThrow();
  });
});
