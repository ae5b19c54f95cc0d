import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { scratch } from "../../../../test/scratch.ts";
import { createInputHistory, type History, historyFile, MOST_TYPED } from "./history.ts";

const file = () => join(scratch().cwd, "history");
function opened(at: string, mayKeep: (text: string) => boolean = () => true): History & { readonly warnings: string[] } {
  const history = createInputHistory(at);
  const warnings: string[] = [];
  history.keep(mayKeep, (message) => warnings.push(message));
  return { ...history, warnings };
}

it("the history is there the next time, newest first, each text once, many lines as one", () => {
  const at = file();
  const first = opened(at);
  for (const text of ["one", "two\nlines", "one", "one", "  ", ""]) first.add(text);
  expect(first.entries).toEqual(["one", "two\nlines"]);
  expect(opened(at).entries).toEqual(["one", "two\nlines"]);
  expect(readFileSync(at, "utf8")).toBe('"one"\n"two\\nlines"\n"one"\n');
});

it("the history is private, and stays so", () => {
  const at = file();
  opened(at).add("one");
  expect(statSync(at).mode & 0o777).toBe(0o600);
  chmodSync(at, 0o644);
  opened(at).add("two");
  expect(statSync(at).mode & 0o777).toBe(0o600);
});

it("the history writes down nothing that begins with a space, may not be kept or is too long", () => {
  const at = file();
  const history = opened(at, (text) => !text.includes("secret"));
  for (const text of [" quiet", "my secret", "x".repeat(100_000), "told"]) history.add(text);
  expect(history.entries).toHaveLength(4);
  expect(readFileSync(at, "utf8")).toBe('"told"\n');
});

it("the history writes what was typed before it could be asked what may be kept, and nothing before", () => {
  const at = file();
  const history = createInputHistory(at);
  history.add("early");
  history.add("early secret");
  expect(existsSync(at)).toBe(false);
  history.keep(
    (text) => !text.includes("secret"),
    () => {},
  );
  expect(readFileSync(at, "utf8")).toBe('"early"\n');
});

it("the history takes whatever lies in the file, and never more than its bounds", () => {
  const at = file();
  const old = Array.from({ length: MOST_TYPED + 500 }, (_, n) => `${JSON.stringify(`entry ${n}`)}\n`).join("");
  writeFileSync(at, `not JSON\n{"a":1}\n"half\n12\n""\n${old}`);
  const { entries } = opened(at);
  expect(entries).toHaveLength(MOST_TYPED);
  expect(entries[0]).toBe(`entry ${MOST_TYPED + 499}`);
  // Replaced by its newer half, and by nothing else.
  expect(readFileSync(at, "utf8").split("\n")).toHaveLength(MOST_TYPED / 2 + 1);
  expect(statSync(at).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(at, ".."))).toEqual(["history"]);
  writeFileSync(at, `${JSON.stringify("x".repeat(3 * 1024 * 1024))}\n${JSON.stringify("last")}\n`);
  expect(opened(at).entries).toEqual(["last"]);
  expect(statSync(at).size).toBe(7);
});

it("the history gives back whatever was typed", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 10 }), (texts) => {
      const at = file();
      const first = opened(at);
      for (const text of texts) first.add(text);
      expect(opened(at).entries).toEqual(first.entries.filter((text) => !text.startsWith(" ")));
    }),
    { numRuns: 50 },
  );
});

it("loses nothing when several write at once", () => {
  const at = file();
  const writers = Array.from({ length: 4 }, () => opened(at));
  for (let n = 0; n < 50; n++) for (const [who, writer] of writers.entries()) writer.add(`${who}: ${n}`);
  expect(new Set(opened(at).entries).size).toBe(200);
});

it("the history follows no link, waits for no pipe, and says once that nothing is kept", () => {
  const folder = scratch().cwd;
  const target = join(folder, "target");
  symlinkSync(target, join(folder, "link"));
  spawnSync("mkfifo", [join(folder, "pipe")]);
  mkdirSync(join(folder, "folder"));
  for (const name of ["link", "pipe", "folder"]) {
    const history = opened(join(folder, name));
    history.add("one");
    history.add("two");
    expect(history.entries).toEqual(["two", "one"]);
    expect(history.warnings.length, name).toBe(1);
    expect(history.warnings[0]).toContain("cannot be saved for the next start");
  }
  expect(existsSync(target)).toBe(false);
  // Without a folder there is nothing to keep it in, and nothing is wrong.
  expect(opened(join(folder, "none", "history")).warnings).toEqual([]);
});

it("neither reads nor writes through a link, whenever it was put there", () => {
  const folder = scratch().cwd;
  const target = join(folder, "target");
  writeFileSync(target, '"of somebody else"\n');
  symlinkSync(target, join(folder, "link"));
  expect(opened(join(folder, "link")).entries).toEqual([]);
  const late = opened(join(folder, "late"));
  symlinkSync(target, join(folder, "late"));
  late.add("one");
  expect(readFileSync(target, "utf8")).toBe('"of somebody else"\n');
  expect(late.warnings).toHaveLength(1);
});

it("lies in the state folder, which a relative variable does not move", () => {
  expect(historyFile("history", { HOME: "/h" })).toBe("/h/.local/state/zeph/history");
  expect(historyFile("history", { HOME: "/h", XDG_STATE_HOME: "/s" })).toBe("/s/zeph/history");
  expect(historyFile("history", { HOME: "/h", XDG_STATE_HOME: "s" })).toBe("/h/.local/state/zeph/history");
});
