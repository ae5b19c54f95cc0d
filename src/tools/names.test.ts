import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { workspace } from "../../test/workspace.ts";

const place = workspace();
const zeph = await place.runtime();
afterAll(async () => {
  await zeph.close();
  place.remove();
});

const at = (...bytes: (string | number[])[]): Buffer =>
  Buffer.concat([Buffer.from(`${place.work}/`), ...bytes.map((part) => Buffer.from(part as string))]);
const call = async (tool: string, input: object) => {
  const outcome = await zeph.call(tool, input);
  if (!outcome.ok) throw new Error(`${outcome.error.category}: ${outcome.error.message}`);
  return outcome.output;
};
const names = (folder: string) => readdirSync(join(place.work, folder), { encoding: "latin1" }).sort();

it("list_directory, find_path and grep show a name with a line break as one entry, and it can be given back", async () => {
  mkdirSync(at("lines"));
  writeFileSync(at("lines/a\nb.txt"), "needle here\n");
  writeFileSync(at("lines/[file] c"), "nothing\n");
  const name = "lines/a\nb.txt";
  expect((await call("list_directory", { path: "lines" })).text).toBe(
    '[file] [file] c\n[file] "a\\nb.txt"'.split("\n").reverse().reverse().join("\n"),
  );
  expect(await call("grep", { pattern: "needle", path: "lines" })).toMatchObject({
    text: '"lines/a\\nb.txt"\n1:needle here',
    raw: [{ path: name, line: 1, text: "needle here", kind: "match" }],
  });
  expect(await call("find_path", { path: "lines", pattern: "*.txt" })).toMatchObject({ text: '"lines/a\\nb.txt"', raw: [name] });
  expect((await call("search_code", { query: "needle here", path: "lines" })).text).toContain("needle here");
  expect((await call("read", { path: name })).text).toContain("needle here");
});

it("grep shows hits in folders whose names hold line breaks, and beside notes on binary files", async () => {
  mkdirSync(at("deep/x\n.\ny"), { recursive: true });
  writeFileSync(at("deep/x\n.\ny/z"), "1\nneedle\n3\n");
  for (let n = 0; n < 20; n++) {
    writeFileSync(at(`deep/binary-${n}`), `needle\n${"x".repeat(100_000)}\n${"x\n".repeat(50_000)}\0\n`);
    writeFileSync(at(`deep/text\n${n}`), "needle\n");
  }
  const { raw } = await call("grep", { pattern: "needle", path: "deep", context: 1, limit: 1000 });
  const hits = (raw as { path: string; kind: string; line: number }[]).filter(({ kind }) => kind === "match").map(({ path }) => path);
  expect(hits.filter((path) => path.startsWith("deep/text\n"))).toHaveLength(20);
  expect(hits).toContain("deep/x\n.\ny/z");
  expect(raw).toContainEqual({ path: "deep/x\n.\ny/z", line: 3, text: "3", kind: "context" });
});

it("a folder with names that are no text is copied, searched, moved and deleted whole", async () => {
  mkdirSync(at("odd/d", [0xff]), { recursive: true });
  writeFileSync(at("odd/d", [0xff], "/f", [0xe9]), "needle\n");
  writeFileSync(at("odd/plain"), "needle\n");
  expect((await call("copy_path", { source: "odd", destination: "copy" })).text).toContain("4 entries");
  expect(readFileSync(at("copy/d", [0xff], "/f", [0xe9]), "utf8")).toBe("needle\n");
  expect((await call("grep", { pattern: "needle", path: "copy" })).text).toBe("copy/d\ufffd/f\ufffd\n1:needle\ncopy/plain\n1:needle");
  expect((await call("find_path", { path: "copy", pattern: "f*" })).text).toBe("copy/d\ufffd/f\ufffd");
  await call("move_path", { source: "copy", destination: "moved" });
  expect((await call("delete_path", { path: "moved" })).text).toContain("4 entries");
  expect(readdirSync(place.work)).not.toContain("moved");
});

it("an entry whose name is no text is copied, moved and deleted by the name it is shown under", async () => {
  mkdirSync(at("shown"));
  writeFileSync(at("shown/caf", [0xe9]), "text");
  expect((await call("list_directory", { path: "shown" })).text).toBe("[file] caf\ufffd");
  await call("copy_path", { source: "shown/caf\ufffd", destination: "shown/copy" });
  expect(readFileSync(at("shown/copy"), "utf8")).toBe("text");
  await call("move_path", { source: "shown/caf\ufffd", destination: "shown/moved" });
  expect(names("shown")).toEqual(["copy", "moved"]);
  mkdirSync(at("shown/d", [0xff]));
  writeFileSync(at("shown/d", [0xff], "/x"), "");
  await call("delete_path", { path: "shown/d\ufffd" });
  expect(names("shown")).toEqual(["copy", "moved"]);
});

it("of two entries shown under one name neither is deleted, and one that has that very name is", async () => {
  mkdirSync(at("two"));
  for (const byte of [0xe8, 0xe9]) writeFileSync(at("two/x", [byte]), "");
  await expect(call("delete_path", { path: "two/x\ufffd" })).rejects.toThrow("2 entries are shown as");
  writeFileSync(at("two/x\ufffd"), "");
  await call("delete_path", { path: "two/x\ufffd" });
  expect(names("two")).toEqual(["x\xe8", "x\xe9"]);
});

it("a link whose name is no text is left out of a copy, because nobody can say where it leads", async () => {
  mkdirSync(at("links"));
  symlinkSync("/etc/passwd", at("links/l", [0xff]));
  writeFileSync(at("links/x"), "");
  expect((await call("copy_path", { source: "links", destination: "links-copy" })).text).toContain("Left out");
  expect(names("links-copy")).toEqual(["x"]);
});
