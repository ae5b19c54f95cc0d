import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readIndex } from "./git-index.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "zeph-git-index-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: top, encoding: "utf8" });
const NAMES = ["a", `${"long/".repeat(40)}name`, "übung/ß", "sub/.env", "sub/.env.local", "z b"];

/** What git says of the same files. */
const asked = () =>
  new Map([...git("ls-files", "--stage", "-z").matchAll(/\d+ ([0-9a-f]+) 0\t([^\0]+)\0/g)].map(([, hash, name]) => [name, hash]));

function begin(...init: readonly string[]): void {
  git("init", "-q", ...init);
  for (const name of NAMES) {
    mkdirSync(join(top, name, ".."), { recursive: true });
    writeFileSync(join(top, name), `text of ${name}`);
  }
}

describe.each(["sha1", "sha256"])("with %s", (format) => {
  it.each([2, 3, 4])("names and hashes are those that git says, in version %i", (version) => {
    begin(`--object-format=${format}`);
    git("add", "-A");
    // Only a flag of its own makes version 3.
    if (version === 3) git("update-index", "--skip-worktree", "a");
    else git("update-index", "--index-version", String(version));
    expect(readFileSync(join(top, ".git/index")).readUInt32BE(4)).toBe(version);
    expect(readIndex(top, new Set([...NAMES, "missing"]))).toEqual(asked());
    expect([...readIndex(top, new Set(["sub/.env"])).keys()]).toEqual(["sub/.env"]);
  });
});

it("a file in conflict is not kept", () => {
  begin();
  git("add", "-A");
  const hash = asked().get("a")!;
  git("update-index", "--force-remove", "a");
  execFileSync("git", ["update-index", "--index-info"], { cwd: top, input: `100644 ${hash} 1\ta\n100644 ${hash} 2\ta\n` });
  expect(readIndex(top, new Set(["a"])).size).toBe(0);
});

it("an index that is cut off, is none, or is a pipe keeps nothing and is not waited for", () => {
  begin();
  git("add", "-A");
  const index = join(top, ".git/index");
  const whole = readFileSync(index);
  for (const length of [0, 3, 11, 12, 40, 80, 100, 301]) {
    truncateSync(index, Math.min(length, whole.length));
    expect(readIndex(top, new Set(NAMES)).size).toBeLessThan(NAMES.length);
    writeFileSync(index, whole);
  }
  // So many entries are not there.
  whole.writeUInt32BE(0xffffffff, 8);
  writeFileSync(index, whole);
  expect(readIndex(top, new Set(NAMES)).size).toBe(NAMES.length);
  rmSync(index);
  execFileSync("mkfifo", [index]);
  expect(readIndex(top, new Set(NAMES)).size).toBe(0);
});

it("the index of a worktree is its own", () => {
  begin();
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x");
  const tree = join(top, "tree");
  git("worktree", "add", "-q", tree);
  rmSync(join(top, ".git/index"));
  expect(readIndex(tree, new Set(["a"])).size).toBe(1);
});
