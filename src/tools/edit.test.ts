import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { workspace } from "../../test/workspace.ts";
import { answerText } from "../core/answer.ts";
import { explainMiss } from "./missed-text.ts";

const place = workspace();
const zeph = await place.runtime();
const at = (name: string) => join(place.work, name);
const edit = (path: string, old_string: string, new_string: string, more: object = {}) =>
  zeph.call("edit", { path, old_string, new_string, ...more });
const message = async (call: ReturnType<typeof edit>) => {
  const outcome = await call;
  return outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`;
};
afterAll(async () => {
  await zeph.close();
  place.remove();
});

describe("edit", () => {
  it("replaces exactly one place and returns a diff", async () => {
    writeFileSync(at("a.txt"), "one\ntwo\nthree\n");
    expect(await edit("a.txt", "two", "2")).toMatchObject({
      ok: true,
      output: {
        text: "Edited a.txt at line 2:\n1\tone\n2\t2\n3\tthree",
        diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      },
    });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("one\n2\nthree\n");
  });
  it.each([
    ["missing", "zzz", "y", /^invalid_parameters: old_string does not occur in b.txt/],
    ["repeated", "x", "y", /^invalid_parameters: old_string occurs 3 times in b.txt, in lines 1, 2, 4/],
    ["identical", "x", "x", /^invalid_parameters: .*the same/],
    ["empty", "", "x", /^invalid_parameters: old_string is empty/],
  ])("refuses an old_string that is %s and leaves the file alone", async (_what, old, fresh, expected) => {
    writeFileSync(at("b.txt"), "x\nx\n-\nx\n");
    const { mtimeMs } = statSync(at("b.txt"));
    expect(await message(edit("b.txt", old, fresh))).toMatch(expected);
    expect(statSync(at("b.txt")).mtimeMs).toBe(mtimeMs);
  });
  it("replaces all when told to", async () => {
    writeFileSync(at("b.txt"), "x\nx\n-\nx\n");
    expect(await message(edit("b.txt", "x", "y", { replace_all: true }))).toBe("Edited b.txt at line 1 and 2 more places:\n1\ty\n2\ty");
    expect(readFileSync(at("b.txt"), "utf8")).toBe("y\ny\n-\ny\n");
  });
  it("shows the closest place when nothing matches", async () => {
    writeFileSync(at("c.txt"), "function total(items) {\n    return items.length;\n}\n");
    const outcome = await edit("c.txt", "function totals(items) {\n  return items.length\n", "x");
    expect(answerText(outcome)).toBe(
      "[tool_error]\ncategory: invalid_parameters\nerror: old_string does not occur in c.txt. The closest place, at line 1, follows as it stands.\nsuggestion: Correct the arguments as the error says, and call again.\nretryable: false\n\nfunction total(items) {\n    return items.length;\n",
    );
  });
  const PYTHON = "import os\n\n\ndef f(a):\n    if a:\n\treturn 1\r\n    return 2\n";
  it.each([
    [
      "4\tdef f(a):\n5\t    if a:\n",
      ": its lines begin with line numbers, which are not in the file. Without them it stands at line 4.",
      undefined,
    ],
    ["  7→    return 2", ": its lines begin with line numbers, which are not in the file. Without them it stands at line 7.", undefined],
    ["5:     if a:", ": its lines begin with line numbers, which are not in the file. Without them it stands at line 5.", undefined],
    [
      "def f(a):\n     if a:",
      ": at line 5 it differs only in white space (the file has 4 spaces, old_string 5 spaces).",
      "def f(a):\n    if a:\n",
    ],
    ["     if a:", ": at line 5 it differs only in white space (the file has 4 spaces, old_string 5 spaces).", "    if a:\n"],
    [
      "    if a:\n        return 1",
      ": at line 6 it differs only in white space (the file has 1 tab, old_string 8 spaces).",
      "    if a:\n\treturn 1\r\n",
    ],
    [
      "return 1\n    return 2",
      ': at line 6 it differs only in white space (the file has "\\r\\n    ", old_string "\\n    ").',
      "\treturn 1\r\n    return 2\n",
    ],
    ["import  os", ": at line 1 it differs only in white space (the file has 1 space, old_string 2 spaces).", "import os\n"],
    ["def f (a):", ": at line 4 it differs only in white space (the file has none, old_string 1 space).", "def f(a):\n"],
    ["return 2\n\n\n", ": at line 7 it differs only in white space (the file has 1 newline, old_string 3 newlines).", "    return 2\n"],
    ["class Something:", ". Nothing in it looks alike; read the file first.", undefined],
  ])("says what to change of %j", async (old, why, shown) => {
    writeFileSync(at("py.txt"), PYTHON);
    // A tool that fails too often is not used for a while.
    const own = await place.runtime();
    const outcome = await own.call("edit", { path: "py.txt", old_string: old, new_string: "x" });
    await own.close();
    expect(await message(Promise.resolve(outcome))).toContain(`old_string does not occur in py.txt${why}`);
    expect(outcome.output?.text).toBe(shown);
    expect(answerText(outcome)).not.toContain("schema");
  });
  it.each([
    ["6\t  return 1;", "at line 6, and in 1 other line: make it longer, or set replace_all."],
    ["2\t  return 1;", "at line 2, and in 1 other line: make it longer, or set replace_all."],
    // The file has changed since it was read.
    ["4\t  return 1;", "in lines 2, 6: make it longer, or set replace_all."],
    ["5\tfunction b() {\n6\t  return 1;", "at line 5."],
    ["9:}", "in lines 3, 7: make it longer, or set replace_all."],
  ])("says where a text stands that was pasted with its number: %j", (pasted, place) => {
    const lines = ["function a() {", "  return 1;", "}", "", "function b() {", "  return 1;", "}", ""];
    for (const end of ["\n", "\r\n"]) expect(explainMiss(lines.join(end), pasted).why).toContain(` Without them it stands ${place}`);
  });
  it("shows no more of a long change than its ends", async () => {
    writeFileSync(at("long-change.txt"), "a\nb\nc\n");
    const fresh = Array.from({ length: 20 }, (_, n) => `new ${n}`).join("\n");
    expect(await message(edit("long-change.txt", "b", fresh))).toBe(
      "Edited long-change.txt at line 2:\n1\ta\n2\tnew 0\n3\tnew 1\n4\tnew 2\n(14 lines between them)\n19\tnew 17\n20\tnew 18\n21\tnew 19\n22\tc",
    );
    writeFileSync(at("del.txt"), "a\nb\nc\nd\n");
    expect(await message(edit("del.txt", "b\nc\n", ""))).toBe("Edited del.txt at line 2:\n1\ta\n2\td");
    writeFileSync(at("all.txt"), "a");
    expect(await message(edit("all.txt", "a", ""))).toBe("Edited all.txt at line 1:\n");
  });
  it("differs only in white space is said of no other text", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", " ", "\t", "\n", "\r\n", "  "), { maxLength: 30 }),
        fc.nat(30),
        fc.nat(30),
        (parts, from, to) => {
          const text = parts.join("");
          const wanted = text.slice(Math.min(from, to), Math.max(from, to)).replace(/ /g, "  ");
          fc.pre(wanted.trim() !== "" && !text.includes(wanted));
          const { why } = explainMiss(text, wanted);
          expect(why).toContain("differs only in white space");
          expect(text.replace(/\s/g, "")).toContain(wanted.replace(/\s/g, ""));
        },
      ),
    ));
  it("keeps CRLF, BOM and mode, and writes through a link", async () => {
    writeFileSync(at("d.txt"), "\ufeffa\r\nb\r\nc\r\n");
    chmodSync(at("d.txt"), 0o755);
    symlinkSync("d.txt", at("link"));
    expect(await edit("link", "a\nb\n", "1\n2\n3\n")).toMatchObject({ ok: true });
    expect(readFileSync(at("d.txt"), "utf8")).toBe("\ufeff1\r\n2\r\n3\r\nc\r\n");
    expect(statSync(at("d.txt")).mode & 0o777).toBe(0o755);
    expect(readdirSync(place.work).filter((name) => name.startsWith(".zeph"))).toEqual([]);
  });
  it("leaves mixed line ends as they are", async () => {
    writeFileSync(at("m.txt"), "a\r\nb\nc\r\n");
    expect(await edit("m.txt", "b\n", "B\n")).toMatchObject({ ok: true });
    expect(readFileSync(at("m.txt"), "utf8")).toBe("a\r\nB\nc\r\n");
  });
  it("takes every text literally", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.string(), async (old, fresh) => {
        fc.pre(old !== fresh && !/[\0\r\n]/.test(old + fresh) && !"<>".includes(old));
        writeFileSync(at("p.txt"), `<${old}>`);
        await zeph.call("read", { path: "p.txt" });
        fc.pre(`<${old}>`.split(old).length === 2);
        expect(await edit("p.txt", old, fresh)).toMatchObject({ ok: true });
        expect(readFileSync(at("p.txt"), "utf8")).toBe(`<${fresh}>`);
      }),
      { numRuns: 40 },
    ));
});

describe("a picture that is out of date", () => {
  const touchLater = (name: string) => utimesSync(at(name), new Date(), new Date(Date.now() + 5000));
  it("refuses an edit after someone else changed the file, until it is read again", async () => {
    writeFileSync(at("s.txt"), "one\n");
    await zeph.call("read", { path: "s.txt" });
    writeFileSync(at("s.txt"), "one\ntwo\n");
    touchLater("s.txt");
    expect(await message(edit("s.txt", "one", "1"))).toMatch(/changed on disk since it was last read/);
    await zeph.call("read", { path: "s.txt", limit: 1 });
    expect(await edit("s.txt", "one", "1")).toMatchObject({ ok: true });
  });
  it.each([1, 5, 15])("does not overwrite what someone else writes %i ms into a long edit", async (delay) => {
    writeFileSync(at("long.txt"), `one\n${"x".repeat(30_000_000)}`);
    const editing = edit("long.txt", "one", "1");
    await new Promise((resolve) => setTimeout(resolve, delay));
    writeFileSync(at("long.txt"), "theirs\n");
    await editing;
    // Before, during or after: theirs came last, or the edit saw it and gave way.
    expect(readFileSync(at("long.txt"), "utf8")).toBe("theirs\n");
  });
  it("counts our own write as a read, and a file never read may be edited", async () => {
    await zeph.call("write", { path: "own.txt", content: "one\n" });
    expect(await edit("own.txt", "one", "1")).toMatchObject({ ok: true });
    expect(await edit("own.txt", "1", "2")).toMatchObject({ ok: true });
    writeFileSync(at("never.txt"), "one\n");
    expect(await edit("never.txt", "one", "1")).toMatchObject({ ok: true });
  });
});
