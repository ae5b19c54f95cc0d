import { expect, it } from "vitest";
import { resourcesNamed } from "./mention-words.ts";

const named = (text: string) => resourcesNamed(text, ["notes", "My-Hub"]).found.map(({ server, uri }) => `${server} ${uri}`);
const strange = (text: string) => resourcesNamed(text, ["notes", "My-Hub"]).strange.map(({ server }) => server);

it("a message names resources by servers that are there, in whatever letters", () => {
  expect(named("look at @notes:memo://a/1 and (@notes:memo://b) and @my-hub:x")).toEqual([
    "notes memo://a/1",
    "notes memo://b)",
    "My-Hub x",
  ]);
  expect(named("@notes:memo://a\n@notes:memo://a")).toEqual(["notes memo://a"]);
  expect(named('"@notes:memo://a" `@notes:memo://b`')).toEqual(["notes memo://a", "notes memo://b"]);
});

it.each([
  "me@notes:25 is an address for mail",
  "ann@example.org",
  "npm i @scope/pkg:thing and @scope/notes:x",
  "@notes is a name, and so is @notes: with nothing behind it",
  "@other:thing",
  "//@notes:x",
  "x@my-hub:y",
])("%s names no resource", (text) => {
  expect(named(text)).toEqual([]);
  expect(strange(text)).toEqual([]);
});

it("what looks like an address of a server that is not there is told apart", () => {
  expect(strange("see @nots:memo://a and @other:thing")).toEqual(["nots"]);
  // Without any server nobody means one.
  expect(resourcesNamed("see @nots:memo://a", []).strange).toEqual([]);
});
