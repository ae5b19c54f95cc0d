import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { workspace } from "../../test/workspace.ts";

const place = workspace();
const zeph = await place.runtime();
const file = (name: string, content: string | Buffer) => writeFileSync(join(place.work, name), content);
const read = (path: string, window: object = {}) => zeph.call("read", { path, ...window });
const text = async (path: string, window?: object) => {
  const outcome = await read(path, window);
  return outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`;
};
afterAll(async () => {
  await zeph.close();
  place.remove();
});

describe("a window of lines", () => {
  file("five.txt", "a\nb\nc\nd\ne\n");
  it.each([
    [{}, "1\ta\n2\tb\n3\tc\n4\td\n5\te"],
    [{ offset: 2, limit: 2 }, "2\tb\n3\tc\n(2 more lines; go on with offset 4)"],
    [{ offset: 5 }, "5\te"],
    [{ offset: 6 }, "(five.txt has 5 lines; line 6 is past the end)"],
    [{ limit: 5 }, "1\ta\n2\tb\n3\tc\n4\td\n5\te"],
  ])("%j", async (window, expected) => expect(await text("five.txt", window)).toBe(expected));

  it.each([{ limit: 0 }, { limit: 1.5 }, { offset: -1 }])("refuses %j", async (window) =>
    expect(await text("five.txt", window)).toMatch(/^(invalid_parameters|type_mismatch)/),
  );
  it("says that an empty file is empty", async () => {
    file("empty.txt", "");
    expect(await text("empty.txt")).toBe("(empty.txt is empty)");
  });
  it("counts a last line without a line end", async () => {
    file("open.txt", "a\nb");
    expect(await text("open.txt")).toBe("1\ta\n2\tb");
  });
  it("shows no byte order mark and no carriage returns", async () => {
    file("dos.txt", "\ufeffa\r\nb\r\n");
    expect(await text("dos.txt")).toBe("1\ta\n2\tb");
  });
});

describe("a large file", () => {
  const lines = 400_000;
  file("large.txt", Array.from({ length: lines }, (_, n) => `line ${n + 1} ü`).join("\n"));
  it("gives the same window as a small one would", async () => {
    expect(await text("large.txt", { offset: 300_000, limit: 2 })).toBe(
      "300000\tline 300000 ü\n300001\tline 300001 ü\n(more lines follow; go on with offset 300002)",
    );
    expect(await text("large.txt", { offset: lines })).toBe(`${lines}\tline ${lines} ü`);
    expect(await text("large.txt", { offset: lines + 1 })).toBe(`(large.txt has ${lines} lines; line ${lines + 1} is past the end)`);
  });
  it("is shown up to the default number of lines, and says so", async () => {
    const outcome = await read("large.txt");
    expect(outcome).toMatchObject({ ok: true, output: { truncated: true, text: expect.stringContaining("go on with offset 2001") } });
  });
  it("can be cancelled", async () => {
    const stop = new AbortController();
    const reading = zeph.call("read", { path: "large.txt", offset: lines }, { signal: stop.signal });
    stop.abort();
    expect(await reading).toMatchObject({ ok: false, error: { category: "cancelled" } });
  });
  it("is cut inside one endless line, at a whole character", async () => {
    file("long.txt", "ü".repeat(2_000_000));
    const outcome = await read("long.txt", { limit: 1 });
    expect(outcome).toMatchObject({ ok: true, output: { truncated: true, text: expect.stringContaining("left out") } });
    if (outcome.ok) expect(outcome.output.text).not.toContain("\ufffd");
  });
  it("keeps whole lines when many long ones do not fit", async () => {
    file("wide.txt", `${"x".repeat(100_000)}\n`.repeat(30));
    const shown = await text("wide.txt");
    expect(shown.length).toBeLessThan(300_000);
    expect(shown).toContain("go on with offset 3");
    expect(await text("wide.txt", { offset: 3, limit: 1 })).toContain(`3\t${"x".repeat(100_000)}\n`);
  });
});

describe("what is no text", () => {
  it.each([
    ["a directory", "permanent_failure: $W/folder is a directory, not a regular file. Use list_directory."],
    ["a pipe", "permanent_failure: $W/pipe is a named pipe, not a regular file. It is not opened."],
    ["a missing file", "permanent_failure: missing.txt: does not exist (ENOENT)."],
    ["a binary file", "permanent_failure: data.bin is a binary file (it holds NUL bytes) and is not shown."],
    ["another encoding", "permanent_failure: latin.txt is not UTF-8: byte 0xe9 in line 2. Convert it first, for example with iconv."],
    ["UTF-16", "permanent_failure: wide16.txt is UTF-16 text, not UTF-8. Convert it first, for example with iconv."],
  ])("%s", async (what, message) => {
    mkdirSync(join(place.work, "folder"), { recursive: true });
    if (what === "a pipe") execFileSync("mkfifo", [join(place.work, "pipe")]);
    file("data.bin", Buffer.from([1, 0, 2]));
    file("latin.txt", Buffer.concat([Buffer.from("fine\n"), Buffer.from("caf\xe9\n", "latin1")]));
    file("wide16.txt", Buffer.from("\ufeffhi", "utf16le"));
    const name = { "a directory": "folder", "a pipe": "pipe", "a missing file": "missing.txt", "a binary file": "data.bin" }[what];
    expect(await text(name ?? (what === "UTF-16" ? "wide16.txt" : "latin.txt"))).toBe(message.replace("$W", place.work));
  });
  it("judges only what is shown: a bad byte far below does not hide the top", async () => {
    file("mixed.txt", "good\n".repeat(400_000));
    appendFileSync(join(place.work, "mixed.txt"), Buffer.from([0xff, 0x0a]));
    expect(await text("mixed.txt", { limit: 1 })).toBe("1\tgood\n(more lines follow; go on with offset 2)");
    expect(await text("mixed.txt", { offset: 400_001 })).toMatch(/not UTF-8/);
  });
  it.skipIf(process.getuid?.() === 0)("a file without permission", async () => {
    file("private.txt", "x");
    chmodSync(join(place.work, "private.txt"), 0);
    expect(await text("private.txt")).toMatch(/^permanent_failure: .*permission denied/);
  });
});
