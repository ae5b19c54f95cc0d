import { expect, it } from "vitest";
import { wantedPiece } from "./complete-mention.ts";

it("an address with variables is completed up to the next one, and then the variable", () => {
  const template = "repo://{owner}/{name}/files";
  expect(wantedPiece(template, "")).toEqual({ literal: "repo://" });
  expect(wantedPiece(template, "rep")).toEqual({ literal: "repo://" });
  expect(wantedPiece(template, "repo://")).toEqual({ name: "owner", value: "", before: {} });
  expect(wantedPiece(template, "repo://ann")).toEqual({ name: "owner", value: "ann", before: {} });
  expect(wantedPiece(template, "repo://ann/")).toEqual({ name: "name", value: "", before: { owner: "ann" } });
  expect(wantedPiece(template, "repo://ann/tool")).toEqual({ name: "name", value: "tool", before: { owner: "ann" } });
  expect(wantedPiece(template, "repo://ann/tool/f")).toEqual({ literal: "repo://ann/tool/files" });
  expect(wantedPiece("file:///{+path}", "file:///a")).toEqual({ name: "path", value: "a", before: {} });
});

it("an address that is none of the template's is not completed", () => {
  expect(wantedPiece("repo://{owner}", "other")).toBeNull();
  expect(wantedPiece("repo://{owner}", "repos://")).toBeNull();
  expect(wantedPiece("find://a{?query,limit}", "find://a")).toBeNull();
  expect(wantedPiece("repo://a", "repo://a")).toBeNull();
});
