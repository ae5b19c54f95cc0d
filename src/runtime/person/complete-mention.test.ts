import { expect, it } from "vitest";
import { placeIn } from "./complete-mention.ts";

it("an address with variables is completed up to the next one, and then the variable", () => {
  const template = "repo://{owner}/{name}/files";
  expect(placeIn(template, "")).toEqual({ literal: "repo://" });
  expect(placeIn(template, "rep")).toEqual({ literal: "repo://" });
  expect(placeIn(template, "repo://")).toEqual({ name: "owner", value: "", before: {} });
  expect(placeIn(template, "repo://ann")).toEqual({ name: "owner", value: "ann", before: {} });
  expect(placeIn(template, "repo://ann/")).toEqual({ name: "name", value: "", before: { owner: "ann" } });
  expect(placeIn(template, "repo://ann/tool")).toEqual({ name: "name", value: "tool", before: { owner: "ann" } });
  expect(placeIn(template, "repo://ann/tool/f")).toEqual({ literal: "repo://ann/tool/files" });
  expect(placeIn("file:///{+path}", "file:///a")).toEqual({ name: "path", value: "a", before: {} });
});

it("an address that is none of the template's is not completed", () => {
  expect(placeIn("repo://{owner}", "other")).toBeNull();
  expect(placeIn("repo://{owner}", "repos://")).toBeNull();
  expect(placeIn("find://a{?query,limit}", "find://a")).toBeNull();
  expect(placeIn("repo://a", "repo://a")).toBeNull();
});
