import { expect, it } from "vitest";
import { TOOLS } from "../tools/index.ts";
import { facetsOf, isServerTool } from "./facets.ts";

it("a tool that states nothing is taken to read all it touches, to print text and to need nothing", () => {
  const assumed = { origin: "here", answers: "contents", shape: "text", needs: "nothing", about: "work" };
  expect(facetsOf({ name: "lookup" })).toEqual(assumed);
  expect(facetsOf({ name: "lookup", facets: { answers: "fresh" } })).toEqual({ ...assumed, answers: "fresh" });
});

it("a server's tool is never answered from memory, whatever it says of itself", () => {
  const facets = { origin: "here", answers: "contents", about: "skill", shape: "pieces" } as const;
  expect(facetsOf({ name: "mcp__files__read", facets })).toMatchObject({
    origin: "server",
    answers: "fresh",
    about: "work",
    shape: "text",
  });
  expect([isServerTool("mcp__a__b"), isServerTool("bash")]).toEqual([true, false]);
});

it("a built-in tool states all of its facets", () => {
  const keys = ["about", "answers", "needs", "shape"];
  for (const { name, facets } of TOOLS) expect([name, Object.keys(facets ?? {}).sort()]).toEqual([name, keys]);
});
