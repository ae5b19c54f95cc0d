import { describe, expect, it, test, vi } from "vitest";
import { read } from "../tools/read.ts";
import { ToolCall } from "./call.ts";
import { TOO_MANY_VALUES } from "./input.ts";
import { ToolRequest } from "./request.ts";
import type { AnyTool } from "./tool.ts";

test("arguments with too many names are refused when their names were listed once, before a value is read", () => {
  const names = Array.from({ length: 100_001 }, (_, index) => `k${index}`);
  let listed = 0;
  let read = 0;
  const args = new Proxy(
    {},
    {
      ownKeys: () => {
        listed++;
        return names;
      },
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
      get: () => {
        read++;
        return 1;
      },
    },
  );
  expect(ToolRequest.from({ id: "1", name: "read", args })).toMatchObject({ args: {}, problem: TOO_MANY_VALUES });
  expect([listed, read]).toEqual([1, 0]);
});

describe("arguments that hold too many values", () => {
  /** An object that says it has so many names, and counts how often they are listed. */
  const makeListedObject = (names: number) => {
    const all = Array.from({ length: names }, (_, n) => `k${n}`);
    let times = 0;
    const object = new Proxy(Object.fromEntries(all.map((name) => [name, 1])), {
      ownKeys(target) {
        times++;
        return Reflect.ownKeys(target);
      },
    });
    return { object, times: () => times };
  };
  const TOOLS = new Map<string, AnyTool>([["read", read]]);
  const parseRead = (args: unknown) => ToolCall.parse(ToolRequest.from({ id: "1", name: "read", args })!, TOOLS, null, "ignore");

  it.each([
    ["at the top", (many: object) => many],
    ["below", (many: object) => ({ path: many })],
    ["in a list far below", (many: object) => ({ path: [[{ a: [many] }]] })],
  ])("%s are refused, and listed once in all", (_, put) => {
    const many = makeListedObject(100_001);
    const request = ToolRequest.from({ id: "1", name: "read", args: put(many.object) })!;
    expect(request).toMatchObject({ args: {}, problem: TOO_MANY_VALUES });
    expect(ToolCall.parse(request, TOOLS)).toMatchObject({ category: "invalid_parameters", message: TOO_MANY_VALUES });
    expect(many.times()).toBe(1);
  });

  it("together, though none of them does", () => {
    const args = { path: Array.from({ length: 11 }, () => Array.from({ length: 10_000 }, () => 1)) };
    expect(ToolRequest.from({ id: "1", name: "read", args })).toMatchObject({ args: {}, problem: TOO_MANY_VALUES });
  });

  it("that hold themselves are told as what they are", () => {
    const args: Record<string, unknown> = { path: "a" };
    args.again = args;
    expect(parseRead(args)).toMatchObject({ message: expect.stringContaining("nested deeper") });
  });

  it("and names that a tool does not have are left out when they are few, and never compared when they are many", () => {
    const strange = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`zzz_unknown_${n}`, 1]));
    expect(parseRead({ path: "a", ...strange(48) })).toMatchObject({ ignored: expect.objectContaining({ length: 48 }) });
    const compared = vi.spyOn(Array.prototype, "includes");
    const filtered = vi.spyOn(Array.prototype, "filter");
    const refused = parseRead({ path: "a", ...strange(90_000) });
    const lengths = [...compared.mock.contexts, ...filtered.mock.contexts].map((list) => (list as readonly unknown[]).length);
    vi.restoreAllMocks();
    expect(refused).toMatchObject({ category: "invalid_parameters" });
    // Once, where think fields are taken off.
    expect(lengths.filter((length) => length > 1000)).toEqual([90_001]);
  });
});
