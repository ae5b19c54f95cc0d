import { describe, expect, it } from "vitest";
import { workTreeChange } from "./git-changes.ts";

const questionOf = (line: string) => workTreeChange(line.split(" "), "/work")?.question ?? null;
const tracked = (...paths: string[]) => ({ how: "tracked", args: [], paths });
const STANDARD = ["--exclude-standard"];

describe("What git is asked before a command that changes files", () => {
  it.each<[string, readonly object[]]>([
    ["mv a b dir", [tracked("a", "b")]],
    ["mv -f a b", [tracked("a")]],
    ["rm -r a", [tracked("a")]],
    ["clean -fd", [{ how: "untracked", args: STANDARD, paths: [] }]],
    ["clean -fdx src", [{ how: "untracked", args: [], paths: ["src"] }]],
    ["clean -fX -e keep src", [{ how: "untracked", args: [], paths: ["src"] }]],
    ["checkout-index -a -f", [{ how: "diff", args: [] }]],
    ["sparse-checkout set src", [{ how: "tracked", args: [] }]],
  ])("git %s", (line, lists) => expect(questionOf(line)).toEqual({ lists, unknown: null }));

  it.each(["read-tree -u HEAD", "filter-branch HEAD", "bisect start", "submodule update", "revert --abort"])(
    "git %s cannot be told",
    (line) => expect(questionOf(line)).toEqual({ lists: [], unknown: expect.any(String) }),
  );

  it.each(["clean -n", "read-tree HEAD", "sparse-checkout list", "bisect log", "submodule status", "rm --cached a"])(
    "git %s changes nothing",
    (line) => expect(questionOf(line)).toBeNull(),
  );

  it("asks in the repository that is named", () => {
    const place = (line: string) => workTreeChange(line.split(" "), "/work")?.place;
    expect(place("-C sub --git-dir /g --work-tree=../w clean -f")).toEqual({
      cwd: "/work/sub",
      options: ["--git-dir=/g", "--work-tree=../w"],
    });
    expect(workTreeChange(["-C", null, "clean", "-f"], "/work")?.place).toBeNull();
    expect(workTreeChange(["--git-dir", null, "clean", "-f"], "/work")?.place).toBeNull();
  });
});
