import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Workspace, workspace } from "../../test/workspace.ts";
import type { Zeph } from "../index.ts";

const open: [Workspace, Zeph][] = [];
async function tree(files: Readonly<Record<string, string>>) {
  const place = workspace();
  const zeph = await place.runtime();
  open.push([place, zeph]);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.work, name)), { recursive: true });
    writeFileSync(join(place.work, name), text);
  }
  return {
    work: place.work,
    async call(tool: "grep" | "find_path", input: object): Promise<{ text: string; paths: string[] }> {
      const outcome = await zeph.call(tool, { ...(tool === "grep" && { pattern: "needle" }), ...input } as {
        path: string;
        pattern: string;
      });
      if (!outcome.ok) throw new Error(outcome.error.message);
      const { raw, text } = outcome.output;
      return { text, paths: (raw as (string | { path: string })[]).map((item) => (typeof item === "string" ? item : item.path)).sort() };
    },
  };
}
afterAll(async () => {
  for (const [place, zeph] of open) {
    await zeph.close();
    place.remove();
  }
});

/** What ripgrep itself finds with a glob, in a folder. */
function engine(cwd: string, glob: string, path = "."): string[] {
  const args = ["--no-config", "--hidden", "-l", "--glob", glob, "--glob", "!.git/", "needle", path];
  try {
    const said = execFileSync(rgPath, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return said
      .trimEnd()
      .split("\n")
      .map((name) => name.replace(/^\.\//, ""))
      .sort();
  } catch {
    return [];
  }
}

describe("a glob is read as ripgrep reads it", () => {
  const NAMES = ["a", "b", "src", "test", "lib"];
  const name = fc.constantFrom(...NAMES);
  const file = fc
    .tuple(fc.array(name, { maxLength: 3 }), name, fc.constantFrom(".js", ".ts", ""))
    .map(([folders, base, end]) => [...folders, `${base}${end}.f`].join("/"));
  const segment = fc.oneof(
    name,
    fc.constantFrom("*", "**", "*.js.f", "*.f", "{src,lib}", "[st]*", "?", "t?st", "{a,b}.js.f", "*.{js,ts}.f"),
  );
  const glob = fc
    .tuple(fc.constantFrom("", "!"), fc.constantFrom("", "/"), fc.array(segment, { minLength: 1, maxLength: 4 }))
    .map(([not, top, segments]) => `${not}${top}${segments.join("/")}`);

  it("over any tree, from the workspace and from the folder that is searched", async () => {
    const ignored = fc.constantFrom("", "lib/\n", "*.ts.f\n!a.ts.f\n", "/src/*\n");
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { minLength: 3, maxLength: 14 }),
        fc.array(glob, { minLength: 4, maxLength: 4 }),
        ignored,
        async (files, globs, rules) => {
          const { work, call } = await tree({ ...Object.fromEntries(files.map((one) => [one, "needle\n"])), ".ignore": rules });
          const folders = [...new Set(files.map(dirname))];
          for (const [n, one] of globs.entries()) {
            expect((await call("grep", { glob: one })).paths, one).toEqual(engine(work, one));
            const path = folders[n % folders.length]!;
            if (path === "." || engine(work, "!nothing", path).length === 0) continue;
            const top = engine(work, one, path);
            const below = engine(join(work, path), one).map((found) => `${path}/${found}`);
            const both = one.startsWith("!") ? top.filter((found) => below.includes(found)) : [...new Set([...top, ...below])].sort();
            expect((await call("grep", { glob: one, path })).paths, `${one} in ${path}`).toEqual(both);
          }
        },
      ),
      { numRuns: 8 },
    );
    // Some hundred searches, each a process.
  }, 120_000);

  it.each([
    [{ glob: "!test/**" }, ["lib/c.js", "src/a.js", "src/test/b.js"]],
    [{ path: "src", glob: "src/*.js" }, ["src/a.js"]],
    [{ path: "src", glob: "*.js" }, ["src/a.js", "src/test/b.js"]],
    [{ path: "src", glob: "!test/**" }, ["src/a.js"]],
    [{ path: "src/test", glob: "{src,lib}/**/*.js" }, ["src/test/b.js"]],
    [{ path: "src/test", glob: "!src/**" }, []],
  ])("%j", async (query, expected) => {
    const { call } = await tree(Object.fromEntries(["src/a.js", "src/test/b.js", "test/d.js", "lib/c.js"].map((one) => [one, "needle\n"])));
    expect((await call("grep", query)).paths).toEqual(expected);
    const { glob, path = "." } = query as { glob: string; path?: string };
    expect((await call("find_path", { path, pattern: glob })).paths).toEqual(expected);
  });
});

describe("an answer without matches", () => {
  let place: Awaited<ReturnType<typeof tree>>;
  beforeAll(async () => {
    const files = ["src/a.js", "src/b.ts", "dist/x/c.js", "dist/d.js", "node_modules/m/e.js"];
    place = await tree({
      ".git/HEAD": "ref: refs/heads/main\n",
      ".gitignore": "dist/*\nnode_modules/\n",
      ...Object.fromEntries(files.map((one) => [one, "needle\n"])),
    });
  });
  it.each([
    [{ pattern: "nothing" }, "No matches for nothing in 3 files, left out: 3 by .gitignore."],
    [{ pattern: "nothing", path: "src" }, "No matches for nothing in 2 files."],
    [{ pattern: "nothing", path: "src", glob: "*.ts" }, "No matches for nothing in 1 file, left out: 1 by the glob."],
    [{ path: "src", glob: "*.py" }, "No matches for needle: no file was searched, left out: 2 by the glob."],
    [{ glob: "node_modules/**" }, "No matches for needle: no file was searched, left out: 3 by the glob, 1 by .gitignore."],
  ])("says how many files were searched, and what was left out: %j", async (query, text) => {
    expect((await place.call("grep", query)).text).toBe(text);
  });
  it("of file names says the same", async () => {
    expect((await place.call("find_path", { path: ".", pattern: "c.js" })).text).toBe(
      "No files match c.js among 3 files, left out: 1 by .gitignore.",
    );
  });
  it.each(["dist", "node_modules", "dist/x"])(
    "is not given for a folder that ignore files above leave out and somebody names: %s",
    async (path) => {
      const { text, paths } = await place.call("grep", { path });
      expect(paths).toEqual({ dist: ["dist/d.js", "dist/x/c.js"], node_modules: ["node_modules/m/e.js"], "dist/x": ["dist/x/c.js"] }[path]);
      if (path === "dist") expect(text).toContain("(.gitignore leaves this folder out; it was searched because you named it)");
      // Of what a pattern names, ignore files leave out only folders.
      expect((await place.call("find_path", { path, pattern: path === "dist" ? "x/*" : "*.js" })).paths).toEqual(
        path === "dist" ? ["dist/x/c.js"] : paths,
      );
    },
  );
});
