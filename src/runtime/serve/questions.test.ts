import { expect, it } from "vitest";
import { callBehind } from "./questions.ts";

it("a server's question goes with a call to its own tools, the newest, and never with another server's", () => {
  const calls = ["mcp__a__one", "mcp__b__one", "mcp__a__two", "bash", "mcp__b_c__one"].map((name) => ({ name }));
  expect(callBehind("a", calls)?.name).toBe("mcp__a__two");
  expect(callBehind("b", calls)?.name).toBe("mcp__b__one");
  for (const server of ["c", "a_", "one", ""]) expect(callBehind(server, calls)).toBeUndefined();
});
