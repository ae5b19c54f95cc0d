import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { workspace } from "../../test/workspace.ts";

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
      output: { text: "Edited a.txt at line 2.", diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
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
    expect(await message(edit("b.txt", "x", "y", { replace_all: true }))).toBe("Edited b.txt at line 1 and 2 more places.");
    expect(readFileSync(at("b.txt"), "utf8")).toBe("y\ny\n-\ny\n");
  });
  it("shows the closest place when nothing matches", async () => {
    writeFileSync(at("c.txt"), "function total(items) {\n    return items.length;\n}\n");
    expect(await message(edit("c.txt", "function totals(items) {\n  return items.length\n", "x"))).toContain(
      "The closest place is line 1:\n1\tfunction total(items) {\n2\t    return items.length;",
    );
  });
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
