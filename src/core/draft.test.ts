import { describe, expect, it } from "vitest";
import { type Draft, outputOf, textOf, withNote } from "./draft.ts";

const nonce = "0badcafe";
const draft: Draft = {
  parts: [
    { kind: "text", text: "fact" },
    { kind: "omitted", lines: 9, errors: 1, handle: 4, nonce, whole: "everything" },
    { kind: "note", text: "[exit code 1]" },
    { kind: "list", says: "30 files changed", text: "a\nb" },
  ],
  exitCode: 1,
  ownCache: "miss",
};

describe("a draft", () => {
  it("becomes one text, with marks that count what is left out", () =>
    expect(textOf(draft.parts.slice(0, 3))).toMatch(/^fact\n\[-9 lines -1 error raw#4 \d{3}\]\n\[exit code 1\]$/));

  it("leaves nothing in its output that was meant for a layer", () =>
    expect(outputOf({ ...draft, parts: draft.parts.slice(0, 1) })).toEqual({ text: "fact", exitCode: 1 }));

  it("puts a note behind everything that is shown and before its lists", () =>
    expect(withNote(draft, "[more]").parts.map(({ kind }) => kind)).toEqual(["text", "omitted", "note", "note", "list"]));

  it("says of a cut how much it is and where the whole text is kept, or why it is not", () => {
    const cut = { kind: "cut", characters: 12_345, lines: 3, nonce } as const;
    const read = (kept: Extract<Draft["parts"][number], { kind: "cut" }>["kept"]) => textOf([{ ...cut, kept }]);
    expect(read({ id: "x", whole: true })).toBe(
      "[zeph:0badcafe 12,345 characters in 3 lines left out; read_overflow shows all of it: overflow:x]",
    );
    expect(read({ id: null, why: "the disk is full" })).toBe(
      "[zeph:0badcafe 12,345 characters in 3 lines left out and not kept: the disk is full]",
    );
  });

  it("that is a plain text stays as it is, to the last line end", () =>
    expect(outputOf({ text: "a\n\n", raw: 1 })).toEqual({ text: "a\n\n", raw: 1 }));
});
