import { expect, test } from "vitest";
import { TOO_MANY_VALUES } from "./input.ts";
import { ToolRequest } from "./request.ts";

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
