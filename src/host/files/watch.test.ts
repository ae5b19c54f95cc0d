import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { WatchReach, Way } from "../../core/ports/watch.ts";
import { createPathRules } from "./paths.ts";
import { createLocalWatch } from "./watch.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-look-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const cwd = join(base, "repo/work");
const home = join(base, "home");
const at = (name: string) => join(cwd, name);
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
beforeEach(() => {
  rmSync(join(base, "repo"), { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
  put(at("tree/a.txt"), "hello");
  utimesSync(at("tree/a.txt"), 1, 1);
  put(at("tree/sub/b.txt"), "world");
  put(at("tree/.git/info/exclude"), "");
  put(at("tree/.git/index"), "");
});

const watch = () => createLocalWatch(createPathRules(cwd, { allowed_paths: [], deny_read: [], allow_read: [] }), home);
const touch = (path: string) => [{ kind: "path", access: "read", path } as const];
const state = async (path: string, reach: WatchReach = "contents", most = 2000) => (await watch().target(touch(path), reach, most))?.state;
const pause = () => new Promise((resolve) => setTimeout(resolve, 12));

const both = (first: () => void, second: () => void) => () => {
  first();
  second();
};
/** Away and back again. */
const aside = (name: string) =>
  both(
    () => renameSync(at(name), at("aside")),
    () => renameSync(at("aside"), at(name)),
  );

/** Whether a change shows. */
const shows = async (path: string, reach: WatchReach, change: () => void) => {
  const before = await state(path, reach);
  expect(before).toBeDefined();
  expect(await state(path, reach)).toBe(before);
  await pause();
  change();
  return (await state(path, reach)) !== before;
};

describe("a file", () => {
  it.each<[string, () => void]>([
    ["its text", () => appendFileSync(at("tree/a.txt"), "!")],
    [
      "its text, with the same length and its time set back",
      both(
        () => writeFileSync(at("tree/a.txt"), "hullo"),
        () => utimesSync(at("tree/a.txt"), 1, 1),
      ),
    ],
    ["another name for it", () => linkSync(at("tree/a.txt"), at("tree/c.txt"))],
    [
      "a link in its place",
      both(
        () => renameSync(at("tree/a.txt"), at("tree/c.txt")),
        () => symlinkSync("c.txt", at("tree/a.txt")),
      ),
    ],
    ["nothing in its place", () => unlinkSync(at("tree/a.txt"))],
  ])("shows %s", async (_what, change) => expect(await shows("tree/a.txt", "contents", change)).toBe(true));

  it("does not show what happens around it", async () =>
    expect(await shows("tree/a.txt", "contents", () => put(at("tree/new.txt"), "x"))).toBe(false));

  it("is looked at through every link on its way", async () => {
    put(at("other/a.txt"), "hello");
    symlinkSync("tree", at("way"));
    expect(
      await shows(
        "way/a.txt",
        "contents",
        both(
          () => unlinkSync(at("way")),
          () => symlinkSync("other", at("way")),
        ),
      ),
    ).toBe(true);
  });
});

it.each([
  ["nothing", "missing"],
  ["a pipe", "pipe"],
  ["what the kernel makes up", "/proc/meminfo"],
  ["what the kernel makes up, as a folder", "/proc/sys/kernel"],
  ["a path that leads in a circle", "circle"],
])("cannot tell of %s", async (_what, path) => {
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync("circle", at("circle"));
  expect(await state(path)).toBeUndefined();
});

describe("a folder", () => {
  const changes: [string, () => void, Record<WatchReach, boolean>][] = [
    ["a new entry", () => put(at("tree/new.txt"), "x"), { entries: true, names: true, contents: true }],
    ["an entry less", () => unlinkSync(at("tree/a.txt")), { entries: true, names: true, contents: true }],
    ["a new entry below", () => put(at("tree/sub/new.txt"), "x"), { entries: false, names: true, contents: true }],
    ["another text below", () => appendFileSync(at("tree/sub/b.txt"), "!"), { entries: false, names: false, contents: true }],
    ["another list of what to leave out, above", () => put(at(".gitignore"), "b.txt"), { entries: false, names: true, contents: true }],
    ["the same far above", () => put(join(base, ".ignore"), "b.txt"), { entries: false, names: true, contents: true }],
    ["a repository around it", () => mkdirSync(join(base, "repo/.git")), { entries: false, names: true, contents: true }],
    [
      "a list of the repository",
      () => appendFileSync(at("tree/.git/info/exclude"), "b.txt\n"),
      { entries: false, names: true, contents: true },
    ],
    ["a list of the person", () => put(join(home, ".config/git/ignore"), "b.txt"), { entries: false, names: true, contents: true }],
    [
      "something else in the repository",
      () => appendFileSync(at("tree/.git/index"), "x"),
      { entries: false, names: false, contents: false },
    ],
    ["something beside it", () => put(at("beside.txt"), "x"), { entries: false, names: false, contents: false }],
  ];
  const cases = changes.flatMap(([what, change, expected]) =>
    Object.entries(expected).map(([reach, does]) => [does ? "shows" : "does not show", what, reach, change, does] as const),
  );
  it.each(cases)("%s %s, when it is looked at for its %s", async (_does, _what, reach, change, expected) => {
    rmSync(join(base, ".ignore"), { force: true });
    expect(await shows("tree", reach as WatchReach, change)).toBe(expected);
  });

  it("shows a change of a list that a link or a setting names", async () => {
    put(join(home, "mine"), "x");
    put(join(home, ".gitconfig"), '[core]\n\texcludesFile = "~/mine"\n');
    put(join(base, "shared"), "x");
    symlinkSync(join(base, "shared"), at("tree/.ignore"));
    expect(await shows("tree", "names", () => appendFileSync(join(home, "mine"), "b.txt"))).toBe(true);
    expect(await shows("tree", "names", () => appendFileSync(join(base, "shared"), "b.txt"))).toBe(true);
  });

  it("shows a change of the list of a worktree's repository", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", ...args], {
        cwd: join(base, "repo"),
        stdio: "pipe",
      });
    rmSync(at("tree/.git"), { recursive: true });
    git("init", "-q", "main");
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "x");
    git("-C", "main", "worktree", "add", "-q", at("checkout"));
    expect(await shows("checkout", "names", () => put(join(base, "repo/main/.git/info/exclude"), "b.txt\n"))).toBe(true);
  });

  it("is not looked at when it holds more than that", async () => {
    for (let i = 0; i < 20; i++) put(at(`many/${i % 4}/${i}.txt`), "x");
    expect(await state("many", "contents", 24)).toBeDefined();
    expect(await state("many", "contents", 23)).toBeUndefined();
    expect(await state("many", "entries", 1)).toBeDefined();
  });
});

describe("the way", () => {
  const way = (path: string) => watch().way(touch(path), "contents");
  /** Steps of which nothing is as it was. */
  const changed = (before: Way, after: Way) =>
    after.filter((step, i) => step.every((look, j) => look.state !== before[i]?.[j]?.state)).length;

  it.each<[string, () => void]>([
    ["a link that leads elsewhere for a moment", aside("link")],
    ["a folder that is another for a moment", aside("tree")],
  ])("shows %s, though all is as before", async (_what, change) => {
    symlinkSync("tree", at("link"));
    const before = way("link/a.txt")!;
    const text = await state("link/a.txt");
    await pause();
    change();
    expect(await state("link/a.txt")).toBe(text);
    expect(changed(before, way("link/a.txt")!)).toBe(1);
  });

  it("is the same while others come and go in the folders it leads through", async () => {
    for (const name of [join(base, "busy"), at("busy"), at("tree/busy")]) {
      const before = way("tree/a.txt")!;
      await pause();
      put(name, "x");
      expect(changed(before, way("tree/a.txt")!)).toBe(0);
      unlinkSync(name);
    }
  });

  it("is none where nothing is", () => expect(way("missing/a.txt")).toBeNull());
});

it("a look says when the youngest was changed", async () => {
  const look = await watch().target(touch("tree/a.txt"), "contents", 1);
  expect(Math.abs(Date.now() - look!.newest)).toBeLessThan(5000);
});
