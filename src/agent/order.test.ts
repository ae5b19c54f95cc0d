import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Effect } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import { disturbs, type IntendedCall, runSideBySide } from "./order.ts";

const path = (access: "read" | "write" | "delete", at: string): Touch => ({ kind: "path", access, path: at });
const command = (...argv: (string | null)[]): Touch => ({ kind: "command", argv, text: argv.join(" ") });
const reads = (at: string): IntendedCall => ({ effect: "reads", touches: [path("read", at)] });
const writes = (at: string): IntendedCall => ({ effect: "writes", touches: [path("write", at)] });
const runs = (...touches: Touch[]): IntendedCall => ({ effect: "runs", touches });
const unknown: IntendedCall = { effect: "unknown", touches: [{ kind: "unknown", why: "" }] };

describe("disturbs", () => {
  it.each<[string, IntendedCall, IntendedCall, boolean]>([
    ["two reads of one file", reads("a"), reads("a"), false],
    ["a read and a write of one file", reads("a"), writes("a"), true],
    ["a read and a write of two files", reads("a"), writes("b"), false],
    ["names that begin alike", reads("ab"), writes("a"), false],
    ["two writes of one file", writes("a"), writes("a"), true],
    ["two writes of two files", writes("a"), writes("b"), true],
    ["a folder and a file in it", { effect: "writes", touches: [path("delete", "src")] }, reads("src/a"), true],
    ["a read and a fetch", reads("a"), { effect: "fetches", touches: [{ kind: "url", url: "https://a" }] }, false],
    ["a write and a command after it", writes("a"), runs(command("make")), true],
    ["a command and a read of what it writes", runs(command("sed"), path("write", "a")), reads("a"), true],
    ["a command and a read of something else", runs(command("make")), reads("a"), true],
    ["two commands", runs(command("npm", "test")), runs(command("git", "status")), true],
    ["a command and a page", runs(command("make")), { effect: "fetches", touches: [{ kind: "url", url: "https://a" }] }, false],
    ["what is stored and a read", { effect: "stores", touches: [] }, { effect: "reads", touches: [] }, true],
    ["a tool nobody knows and a write", unknown, writes("a"), true],
    ["a tool nobody knows and a read", unknown, reads("a"), true],
    ["two tools nobody knows", unknown, unknown, true],
  ])("%s", (_what, a, b, expected) => {
    expect(disturbs(a, b)).toBe(expected);
  });

  it("does not depend on which comes first", () => {
    const touch = fc.oneof(
      fc.record({
        kind: fc.constant("path" as const),
        access: fc.constantFrom("read", "write", "delete"),
        path: fc.constantFrom("a", "a/b", "c"),
      }),
      fc.record({ kind: fc.constant("unknown" as const), why: fc.constant("") }),
      fc.constantFrom(command("cd"), command("ls"), command(null)),
    ) as fc.Arbitrary<Touch>;
    const call = fc.record({
      effect: fc.constantFrom<Effect>("reads", "stores", "writes", "runs", "fetches", "unknown"),
      touches: fc.array(touch, { maxLength: 3 }),
    });
    fc.assert(fc.property(call, call, (a, b) => disturbs(a, b) === disturbs(b, a)));
  });
});

describe("sideBySide", () => {
  it("runs calls together, never more than the limit, and answers in the order asked", async () => {
    let running = 0;
    let most = 0;
    const calls = Array.from({ length: 30 }, (_, n) => ({
      ...reads(`f${n}`),
      run: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, n % 3));
        running--;
        return n;
      },
    }));
    expect(await runSideBySide(calls, 8)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(most).toBe(8);
  });

  it("begins them in the order asked, and a disturbing one only when the earlier is over", async () => {
    const log: string[] = [];
    const call = (name: string, intended: IntendedCall, ms: number) => ({
      ...intended,
      run: async () => {
        log.push(`+${name}`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        log.push(`-${name}`);
      },
    });
    await runSideBySide([call("a", writes("x"), 20), call("b", reads("y"), 1), call("c", reads("x"), 1)], 8);
    expect(log.slice(0, 2)).toEqual(["+a", "+b"]);
    expect(log.indexOf("+c")).toBeGreaterThan(log.indexOf("-a"));
  });

  it("makes an edit, a test and another command one after the other, in the order asked, with reads beside each other", async () => {
    const log: string[] = [];
    const call = (name: string, intended: IntendedCall) => ({
      ...intended,
      run: async () => {
        log.push(`+${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`-${name}`);
      },
    });
    const test = runs(command("npm", "test"));
    await runSideBySide(
      [call("edit", writes("a")), call("test", test), call("b", reads("b")), call("c", reads("c")), call("commit", runs(command("git")))],
      8,
    );
    expect(log).toEqual(["+edit", "-edit", "+test", "-test", "+b", "+c", "-b", "-c", "+commit", "-commit"]);
  });
});
