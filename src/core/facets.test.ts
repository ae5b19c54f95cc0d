import { expect, it } from "vitest";
import { ownFacets, ownToolNames } from "../../test/own-facets.ts";
import { TOOLS } from "../tools/index.ts";
import { type Facets, facetsOf, isServerTool } from "./facets.ts";

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

it("our own tools state which answers are kept, which texts are whole and what they need", () => {
  const having = (facet: keyof Facets, ...values: string[]) =>
    ownToolNames().filter((name) => values.includes(ownFacets(name)[facet] ?? ""));
  const expectAmong = (found: readonly string[], names: string) => expect(found).toEqual(expect.arrayContaining(names.split(" ")));
  expectAmong(having("answers", "entries"), "list_directory");
  expectAmong(having("answers", "names"), "find_path");
  expectAmong(having("answers", "contents"), "fetch grep read search_code web_scrape");
  expectAmong(having("shape", "pieces"), "read_overflow");
  expectAmong(
    having("shape", "whole"),
    "background compress_context diagnostics invoke_skill load_skill memory_save memory_search scheduler search_tools update_plan",
  );
  expectAmong(having("needs", "conversation"), "compress_context search_tools update_plan");
  expectAmong(having("needs", "model"), "invoke_skill");
  expectAmong(having("about", "skill"), "invoke_skill load_skill");
  expect(TOOLS.length).toBeGreaterThan(10);
  for (const { name, effect, facets } of TOOLS) {
    expect(facets).toEqual(ownFacets(name));
    if (effect !== "reads" && effect !== "fetches") expect([name, facets?.answers]).toEqual([name, "fresh"]);
  }
});
