import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { OwnFileError, type OwnFileOptions, readOwnFile, readOwnText } from "./own-file.ts";

const MOST = { maxBytes: 1000 };
const reasonOf = (path: string, options: OwnFileOptions = MOST) => {
  try {
    readOwnFile(path, options);
    return null;
  } catch (error) {
    if (error instanceof OwnFileError) return error.reason;
    throw error;
  }
};

it("a regular file is read whole, also when it is as large as the limit", () => {
  const file = join(scratch().root, "x");
  writeFileSync(file, "a".repeat(1000));
  expect(readOwnFile(file, MOST).bytes).toHaveLength(1000);
  appendFileSync(file, "b");
  expect(reasonOf(file)).toBe("too large");
});

it("a file whose size the system does not tell is read within the limit", () => {
  expect(readOwnText("/proc/self/stat", MOST)).toContain(String(process.pid));
  expect(reasonOf("/proc/self/mountinfo", { maxBytes: 10 })).toBe("too large");
});

it("pipes, sockets, devices and folders are refused without waiting", async () => {
  const folder = scratch().root;
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const server = createServer().listen(join(folder, "socket"));
  await new Promise((resolve) => server.on("listening", resolve));
  symlinkSync("pipe", join(folder, "to-pipe"));
  expect(["pipe", "to-pipe", "socket", "/dev/zero", "/dev/tty"].map((name) => reasonOf(join(name[0] === "/" ? "" : folder, name)))).toEqual(
    Array(5).fill("not regular"),
  );
  expect(reasonOf(folder)).toBe("directory");
  server.close();
});

it("a missing file, a link to nothing, a link in a circle and a file behind a file are told apart", () => {
  const folder = scratch().root;
  writeFileSync(join(folder, "file"), "");
  symlinkSync("nothing", join(folder, "dangling"));
  symlinkSync("circle", join(folder, "circle"));
  expect(reasonOf(join(folder, "none"))).toBe("missing");
  expect(reasonOf(join(folder, "file/x"))).toBe("missing");
  expect(reasonOf(join(folder, "dangling"))).toBe("dangling");
  expect(reasonOf(join(folder, "circle"))).toBe("unreadable");
  expect(readOwnText(join(folder, "dangling"), MOST)).toBeNull();
});

it("a link that leads out of the folder is refused, at the file and at any folder before it", () => {
  const folder = scratch().root;
  const outside = scratch().root;
  writeFileSync(join(outside, "secret"), "secret");
  writeFileSync(join(folder, "file"), "own");
  mkdirSync(join(folder, "sub"));
  symlinkSync(join(outside, "secret"), join(folder, "link"));
  symlinkSync(outside, join(folder, "away"));
  symlinkSync("../file", join(folder, "sub/link"));
  const inside = { ...MOST, inside: folder };
  expect(reasonOf(join(folder, "link"), inside)).toBe("outside");
  expect(reasonOf(join(folder, "away/secret"), inside)).toBe("outside");
  expect(reasonOf(join(folder, "sub/../away/secret"), inside)).toBe("outside");
  expect(readOwnText(join(folder, "sub/link"), inside)).toBe("own");
  expect(readOwnText(join(folder, "link"), MOST)).toBe("secret");
  expect(reasonOf(join(folder, "sub/link"), { ...MOST, links: "refuse" })).toBe("link");
  expect(reasonOf(join(folder, "away/secret"), { ...MOST, links: "refuse on the way" })).toBe("link");
  expect(readOwnText(join(folder, "away/secret"), { ...MOST, links: "refuse" })).toBe("secret");
});

it("a folder that is itself reached through a link is the folder it leads to", () => {
  const folder = scratch().root;
  const way = join(scratch().root, "way");
  writeFileSync(join(folder, "file"), "own");
  symlinkSync(folder, way);
  expect(readOwnText(join(way, "file"), { ...MOST, inside: way })).toBe("own");
  expect(readOwnText(join(way, "file"), { ...MOST, inside: folder })).toBe("own");
});

it("a file that is replaced by a link to another place between any two reads never shows the other place", () => {
  const folder = scratch().root;
  const outside = scratch().root;
  writeFileSync(join(outside, "x"), "secret");
  mkdirSync(join(folder, "d"));
  writeFileSync(join(folder, "d/x"), "own");
  symlinkSync(outside, join(folder, "l"));
  for (let n = 0; n < 50; n++) {
    renameSync(join(folder, "d"), join(folder, "e"));
    renameSync(join(folder, "l"), join(folder, "d"));
    expect(readOwnText(join(folder, "d/x"), { ...MOST, inside: folder })).toBeNull();
    renameSync(join(folder, "d"), join(folder, "l"));
    renameSync(join(folder, "e"), join(folder, "d"));
    expect(readOwnText(join(folder, "d/x"), { ...MOST, inside: folder })).toBe("own");
  }
});
