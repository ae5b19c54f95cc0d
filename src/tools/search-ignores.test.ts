import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Workspace, workspace } from "../../test/workspace.ts";
import type { Zeph } from "../index.ts";

const open: [Workspace, Zeph][] = [];
afterAll(async () => {
  for (const [place, zeph] of open) {
    await zeph.close();
    place.remove();
  }
});

/** A repository with files of which some are ignored, on each level. */
async function repository() {
  const place = workspace();
  const zeph = await place.runtime();
  open.push([place, zeph]);
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(place.work, name)), { recursive: true });
    writeFileSync(join(place.work, name), text);
  };
  for (const folder of ["", "sub/", "sub/deep/", "other/"])
    for (const name of ["a.txt", "a.log", "build/b.txt", "tmp/t.txt"]) put(folder + name, "needle\n");
  put(".git/HEAD", "ref: refs/heads/main\n");
  put(".git/info/exclude", "/tmp/\n");
  put(".gitignore", "*.log\n/build/\n");
  put("sub/.gitignore", "!a.log\ndeep/build/\n");
  put("other/.ignore", "tmp\n!a.log\n");
  const call = async (tool: string, input: object) => {
    const outcome = await zeph.call(tool, input);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return (outcome.output.raw as (string | { path: string })[]).map((item) => (typeof item === "string" ? item : item.path)).sort();
  };
  return {
    work: place.work,
    root: place.T,
    put,
    grep: (path = ".") => call("grep", { pattern: "needle", path }),
    find: (path = ".") => call("find_path", { path, pattern: "*.txt" }),
  };
}

const VISIBLE = [
  "a.txt",
  "other/a.log",
  "other/a.txt",
  "other/build/b.txt",
  "sub/a.log",
  "sub/a.txt",
  "sub/build/b.txt",
  "sub/deep/a.log",
  "sub/deep/a.txt",
  "sub/deep/tmp/t.txt",
  "sub/tmp/t.txt",
];
const pipe = (path: string) => execFileSync("mkfifo", [path]);

describe("a search", () => {
  it("leaves out what the ignore files of a repository say", async () => {
    const { grep, find } = await repository();
    expect(await grep()).toEqual(VISIBLE);
    expect(await find()).toEqual(VISIBLE.filter((path) => path.endsWith(".txt")));
  });

  const BAD: Record<string, (path: string) => void> = {
    "a named pipe": pipe,
    "a link to a device": (path) => symlinkSync("/dev/zero", path),
    "a link to a named pipe": (path) => {
      pipe(`${path}-pipe`);
      symlinkSync(`${path}-pipe`, path);
    },
    "a huge file": (path) => {
      writeFileSync(path, "");
      truncateSync(path, 2 ** 36);
    },
  };
  const cases = Object.keys(BAD).flatMap((kind) =>
    [".rgignore", "sub/deep/.gitignore", "sub/.ignore"].map((name) => [kind, name] as const),
  );
  it.each(cases)("is done, and obeys the other ignore files, with %s as %s", async (kind, name) => {
    const { work, grep, find } = await repository();
    BAD[kind]!(join(work, name));
    expect(await grep()).toEqual(VISIBLE);
    expect(await find()).toEqual(VISIBLE.filter((path) => path.endsWith(".txt")));
  });

  it("is done with a named pipe as a file of git", async () => {
    for (const name of [".git/info/exclude", "sub/.git", "other/.git/commondir"]) {
      const { work, put, grep } = await repository();
      if (name.includes("commondir")) {
        put("elsewhere/x", "");
        pipe(join(work, "elsewhere/commondir"));
        put("other/.git", "gitdir: ../elsewhere\n");
      } else {
        mkdirSync(dirname(join(work, name)), { recursive: true });
        execFileSync("rm", ["-rf", join(work, name)]);
        pipe(join(work, name));
      }
      expect(await grep()).toContain("sub/deep/a.txt");
    }
  });

  it("is done with a named pipe as an ignore file of a folder above", async () => {
    const { root, grep } = await repository();
    pipe(join(root, ".ignore"));
    expect(await grep()).toEqual(VISIBLE);
    expect(await grep("sub/deep")).toEqual(["sub/deep/a.log", "sub/deep/a.txt", "sub/deep/build/b.txt", "sub/deep/tmp/t.txt"]);
  });

  it("does not take rules from outside through a link", async () => {
    const { work, root, grep } = await repository();
    writeFileSync(join(root, "rules"), "a.txt\n");
    symlinkSync(join(root, "rules"), join(work, ".rgignore"));
    expect(await grep()).toEqual(VISIBLE);
  });

  it("leaves no process behind", async () => {
    const { work, grep } = await repository();
    pipe(join(work, "sub/.rgignore"));
    await grep();
    const commands = readdirSync("/proc").flatMap((pid) => (/^\d+$/.test(pid) ? [commandOf(pid)] : []));
    expect(commands.filter(({ text, parent }) => /\brg\b/.test(text) && parent === process.pid)).toEqual([]);
  });
});

function commandOf(pid: string): { readonly text: string; readonly parent: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return { text: readFileSync(`/proc/${pid}/cmdline`, "latin1"), parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) };
  } catch {
    return { text: "", parent: 0 };
  }
}
