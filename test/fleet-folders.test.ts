import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createFleetFolders, type FleetFoldersOptions, type SessionFolder } from "../src/fleet/workspace/fleet-folders.ts";
import type { KeptSnapshot } from "../src/fleet/workspace/remote.ts";

const top = mkdtempSync(join(tmpdir(), "zeph-workspaces-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
let made = 0;
const place = (name: string) => {
  const path = join(top, `${++made}-${name}`);
  mkdirSync(path);
  return path;
};
const AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", [...AUTHOR, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** A repository as a server has it, and its address. */
function makeRemote(): { readonly dir: string; readonly url: string } {
  const dir = place("remote.git");
  const work = place("seed");
  git(work, "init", "-q", "-b", "main");
  writeFileSync(join(work, "a.txt"), "one\n");
  writeFileSync(join(work, "gone.txt"), "soon gone\n");
  writeFileSync(join(work, ".gitignore"), "built/\n");
  git(work, "add", "-A");
  git(work, "commit", "-qm", "first");
  git(dir, "clone", "-q", "--bare", work, ".");
  return { dir, url: `file://${dir}` };
}
const warned: string[] = [];
const worker = (options: Partial<FleetFoldersOptions> = {}) =>
  createFleetFolders({
    root: join(place("worker"), "acme"),
    tenant: "acme",
    repositories: ["file:///"],
    bundles: "",
    most: 100,
    warn: (words) => warned.push(words),
    ...options,
  });

/** Rows as the database would keep them: the last two. */
function rows() {
  let kept: readonly KeptSnapshot[] = [];
  return {
    last: () => kept.at(-1) ?? null,
    record: async (snapshot: KeptSnapshot) => {
      const old = kept.slice(0, -1);
      kept = [...kept.slice(-1), snapshot];
      return old;
    },
  };
}
const read = ({ folder }: SessionFolder, name: string) => readFileSync(join(folder, name), "utf8");
const refs = (dir: string) => git(dir, "for-each-ref", "--format=%(refname)", "refs/zeph").split("\n").filter(Boolean);

describe("the folder of a session", () => {
  it("has the files of the repository, a branch of its own, and a name that every machine knows", async () => {
    const { url } = makeRemote();
    const one = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    expect(one).toMatchObject({ state: "new", name: expect.stringMatching(/^repo:acme\/.*remote$/) });
    expect(read(one, "a.txt")).toBe("one\n");
    expect(git(one.folder, "branch", "--show-current")).toBe("zeph/s1");
    expect(git(one.folder, "status", "--porcelain")).toBe("");
    expect(git(one.folder, "rev-parse", "origin/main")).toBe(git(one.folder, "rev-parse", "HEAD"));
  });

  it("is another one for each session, whatever the sessions are called", async () => {
    const { url } = makeRemote();
    const all = worker();
    const names = ["s", "S", "s/../s", "../s", "ſ", "x-0123456789abcdef0123456789abcdef", "a".repeat(300), "--help", "."];
    const open = await Promise.all(names.map((session) => all.open({ session, isHere: false, repo: { url }, last: null })));
    expect(new Set(open.map(({ folder }) => folder.toLowerCase())).size).toBe(names.length);
    for (const { folder } of open) expect(folder).toMatch(/\/acme\/sessions\/[a-z0-9_-]+$/);
    await expect(all.open({ session: "s", isHere: false, repo: { url }, last: null })).rejects.toThrow("in use");
  });

  it("is on another worker what the last snapshot says: files, what was deleted, commits and the branch", async () => {
    const { url, dir } = makeRemote();
    const { record, last } = rows();
    const here = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    git(here.folder, "switch", "-qc", "fix");
    writeFileSync(join(here.folder, "a.txt"), "two\n");
    git(here.folder, "commit", "-qam", "mine");
    writeFileSync(join(here.folder, "new file\u00e9.txt"), "new\n");
    mkdirSync(join(here.folder, "sub"));
    writeFileSync(join(here.folder, "sub/run.sh"), "#!/bin/sh\n");
    chmodSync(join(here.folder, "sub/run.sh"), 0o755);
    symlinkSync("a.txt", join(here.folder, "link"));
    rmSync(join(here.folder, "gone.txt"));
    mkdirSync(join(here.folder, "built"));
    writeFileSync(join(here.folder, "built/out"), "x");
    const own = git(here.folder, "rev-parse", "HEAD");
    expect(await here.keep(record)).toMatchObject({ n: 1, place: "repository" });
    expect(refs(dir)).toEqual(["refs/zeph/s1/1"]);

    const there = await worker().open({ session: "s1", isHere: false, repo: { url }, last: last() });
    expect(there.state).toBe("restored");
    expect(there.name).toBe(here.name);
    expect(read(there, "a.txt")).toBe("two\n");
    expect(read(there, "new file\u00e9.txt")).toBe("new\n");
    expect(git(there.folder, "log", "--format=%s", "-1")).toBe("mine");
    expect(git(there.folder, "rev-parse", "HEAD")).toBe(own);
    expect(git(there.folder, "branch", "--show-current")).toBe("fix");
    expect(git(there.folder, "-c", "core.quotePath=false", "status", "--porcelain").split("\n").sort()).toEqual(
      ["?? link", "?? new file\u00e9.txt".replace(/(new.*)/, '"$1"'), "?? sub/", "D gone.txt"].sort(),
    );
    expect(existsSync(join(there.folder, "built"))).toBe(false);
    execFileSync(join(there.folder, "sub/run.sh"));
  });

  it("stays as it is for the worker that left it, and is made anew when another one had the session since", async () => {
    const { url } = makeRemote();
    const { record, last } = rows();
    const all = worker();
    const first = await all.open({ session: "s1", isHere: false, repo: { url }, last: null });
    writeFileSync(join(first.folder, "a.txt"), "kept\n");
    await first.keep(record);
    writeFileSync(join(first.folder, "a.txt"), "after the snapshot\n");
    await first.leave("stays");

    const again = await all.open({ session: "s1", isHere: true, repo: { url }, last: last() });
    expect(again.state).toBe("kept");
    expect(read(again, "a.txt")).toBe("after the snapshot\n");
    await again.leave("stays");

    const later = await all.open({ session: "s1", isHere: false, repo: { url }, last: last() });
    expect(later.state).toBe("restored");
    expect(read(later, "a.txt")).toBe("kept\n");
  });

  it("is put away only when something changed, and of older snapshots one stays", async () => {
    const { url, dir } = makeRemote();
    const { record } = rows();
    const one = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    expect(await one.keep(record)).toBeNull();
    expect(refs(dir)).toEqual([]);
    writeFileSync(join(one.folder, "a.txt"), "1\n");
    expect(await one.keep(record)).toMatchObject({ n: 1 });
    expect(await one.keep(record)).toBeNull();
    for (const n of [2, 3, 4]) {
      writeFileSync(join(one.folder, "a.txt"), `${n}\n`);
      expect(await one.keep(record)).toMatchObject({ n });
    }
    expect(refs(dir)).toEqual(["refs/zeph/s1/3", "refs/zeph/s1/4"]);
  });

  it("never replaces a snapshot that is there: a worker that comes late spoils nothing", async () => {
    const { url, dir } = makeRemote();
    const { record, last } = rows();
    const late = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    const ours = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    writeFileSync(join(ours.folder, "a.txt"), "ours\n");
    await ours.keep(record);
    const before = git(dir, "rev-parse", "refs/zeph/s1/1");
    writeFileSync(join(late.folder, "a.txt"), "late\n");
    expect(await late.keep(async () => null)).toBeNull();
    expect(git(dir, "rev-parse", "refs/zeph/s1/1")).toBe(before);
    const next = await worker().open({ session: "s1", isHere: false, repo: { url }, last: last() });
    expect(read(next, "a.txt")).toBe("ours\n");
  });

  it("is brought back from a bundle where the repository takes nothing", async () => {
    const { url, dir } = makeRemote();
    mkdirSync(join(dir, "hooks"), { recursive: true });
    writeFileSync(join(dir, "hooks/pre-receive"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const bundles = place("bundles");
    const { record, last } = rows();
    const one = await worker({ bundles }).open({ session: "s1", isHere: false, repo: { url }, last: null });
    writeFileSync(join(one.folder, "a.txt"), "bundled\n");
    expect(await one.keep(record)).toMatchObject({ n: 1, place: "bundle" });
    expect(refs(dir)).toEqual([]);
    const other = await worker({ bundles }).open({ session: "s1", isHere: false, repo: { url }, last: last() });
    expect(read(other, "a.txt")).toBe("bundled\n");

    const alone = await worker().open({ session: "s2", isHere: false, repo: { url }, last: null });
    writeFileSync(join(alone.folder, "a.txt"), "x\n");
    await expect(alone.keep(record)).rejects.toThrow("on this worker alone");
  });

  it("begins empty without a repository, and goes from worker to worker in a bundle", async () => {
    const bundles = place("bundles");
    const { record, last } = rows();
    const one = await worker({ bundles }).open({ session: "s1", isHere: false, last: null });
    expect(one).toMatchObject({ state: "new", name: "session:acme/s1" });
    writeFileSync(join(one.folder, "notes.md"), "n\n");
    await one.keep(record);
    const other = await worker({ bundles }).open({ session: "s1", isHere: false, last: last() });
    expect(other.state).toBe("restored");
    expect(read(other, "notes.md")).toBe("n\n");
    const alone = await worker().open({ session: "s3", isHere: false, last: null });
    writeFileSync(join(alone.folder, "notes.md"), "n\n");
    expect(await alone.keep(record)).toBeNull();
  });

  it("begins anew when its snapshot is gone or is not what was recorded", async () => {
    const { url, dir } = makeRemote();
    const { record, last } = rows();
    const one = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    writeFileSync(join(one.folder, "a.txt"), "two\n");
    await one.keep(record);
    git(dir, "update-ref", "refs/zeph/s1/1", git(dir, "rev-parse", "main"));
    const other = await worker().open({ session: "s1", isHere: false, repo: { url }, last: last() });
    expect(other.state).toBe("new");
    expect(read(other, "a.txt")).toBe("one\n");
  });

  it("obeys nothing that lies in it: no hook, no filter, no program of a repository inside", async () => {
    const { url } = makeRemote();
    const proof = join(place("proof"), "ran");
    const { record } = rows();
    const one = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
    const nested = join(one.folder, "nested");
    mkdirSync(nested);
    git(nested, "init", "-q");
    writeFileSync(join(nested, "x"), "x");
    git(nested, "add", "x");
    git(nested, "commit", "-qm", "x");
    git(nested, "config", "core.fsmonitor", `touch ${proof}; false`);
    git(nested, "config", "filter.evil.clean", `touch ${proof}; cat`);
    writeFileSync(join(one.folder, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
    const hooks = join(git(one.folder, "rev-parse", "--git-common-dir"), "hooks");
    for (const hook of ["post-index-change", "pre-push", "reference-transaction"])
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
    writeFileSync(join(one.folder, "a.txt"), "two\n");
    await one.keep(record);
    writeFileSync(join(one.folder, "a.txt"), "three\n");
    await one.keep(record);
    expect(existsSync(proof)).toBe(false);
    expect(warned.at(-1)).toContain("nested/ (a repository of its own)");
  });

  it.each([
    [
      "a partial clone",
      '[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[remote "origin"]\npromisor = true\nuploadpack = RUN\n',
    ],
    ["a program of the other side", '[remote "origin"]\nuploadpack = RUN\nreceivepack = RUN\nvcs = ext\nproxy = RUN\n'],
    ["another remote", '[remote "origin"]\nurl = ext::RUN\n[url "ext::RUN"]\ninsteadOf = file://\n[protocol "ext"]\nallow = always\n'],
    [
      "a filter",
      '[filter "evil"]\nclean = RUN\nsmudge = RUN\nprocess = RUN\nrequired\n[diff]\nexternal = RUN\n[diff "evil"]\ntextconv = RUN\n[merge "evil"]\ndriver = RUN\n',
    ],
    [
      "programs of git's own",
      '[core]\nsshCommand = RUN\nfsmonitor = RUN\nhooksPath = HOOKS\neditor = RUN\npager = RUN\ngitProxy = RUN\naskPass = RUN\nalternateRefsCommand = RUN\n[credential]\nhelper = !RUN\n[gpg]\nprogram = RUN\n[commit]\ngpgSign\n[uploadpack]\npackObjectsHook = RUN\n[trailer "x"]\ncommand = RUN\n',
    ],
    ["an included file", '[include]\npath = INCLUDED\n[includeIf "gitdir:/**"]\npath = INCLUDED\n'],
    ["settings of a work tree", "[extensions]\nworktreeConfig = true\n"],
  ])("runs nothing when the shared git folder got settings: %s", async (_what, planted) => {
    const { url } = makeRemote();
    const folder = place("proof");
    const proof = join(folder, "ran");
    const program = join(folder, "run");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${proof}\nexit 1\n`, { mode: 0o755 });
    const filter = `[filter "evil"]\nclean = ${program}\n[remote "origin"]\nuploadpack = ${program}\n`;
    writeFileSync(join(folder, "included"), filter);
    const hooks = join(folder, "hooks");
    mkdirSync(hooks);
    for (const hook of ["post-index-change", "pre-push", "reference-transaction", "post-checkout", "fsmonitor-watchman"])
      writeFileSync(join(hooks, hook), `#!/bin/sh\nexec ${program}\n`, { mode: 0o755 });
    const text = planted.replaceAll("RUN", program).replaceAll("HOOKS", hooks).replaceAll("INCLUDED", join(folder, "included"));
    const bundles = place("bundles");
    const { record, last } = rows();
    const all = worker({ bundles });
    const one = await all.open({ session: "s1", isHere: false, repo: { url }, last: null });
    const common = git(one.folder, "rev-parse", "--path-format=absolute", "--git-common-dir");
    appendFileSync(join(common, "config"), text);
    for (const at of ["", "worktrees/s1"]) writeFileSync(join(common, at, "config.worktree"), filter);
    writeFileSync(join(one.folder, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
    writeFileSync(join(one.folder, "a.txt"), "two\n");
    // The folder's own entry may lead anywhere, too.
    rmSync(join(one.folder, ".git"));
    mkdirSync(join(one.folder, ".git"));
    writeFileSync(join(one.folder, ".git/config"), text);
    // A commit that is not there is what a partial clone would fetch.
    const head = readFileSync(join(common, "worktrees/s1/HEAD"), "utf8");
    writeFileSync(join(common, "worktrees/s1/HEAD"), "1".repeat(40));
    await one.keep(async () => null);
    writeFileSync(join(common, "worktrees/s1/HEAD"), head);
    expect(await one.keep(record)).toMatchObject({ n: 2 });
    await one.leave("stays");
    await (await all.open({ session: "s1", isHere: true, repo: { url }, last: last() })).leave("goes");
    const again = await all.open({ session: "s1", isHere: false, repo: { url }, last: last() });
    expect([again.state, read(again, "a.txt")]).toEqual(["restored", "two\n"]);
    await (await all.open({ session: "s2", isHere: false, repo: { url }, last: null })).leave("goes");
    expect(existsSync(proof) ? readFileSync(proof, "utf8") : "").toBe("");
  });

  it.each(["objects", "refs", "objects/info", "objects/info/alternates"])(
    "is not kept when %s of the shared git folder leads elsewhere: what lies there would be taken for the repository's",
    async (part) => {
      const { url } = makeRemote();
      const { record } = rows();
      const one = await worker().open({ session: "s1", isHere: false, repo: { url }, last: null });
      const at = join(git(one.folder, "rev-parse", "--path-format=absolute", "--git-common-dir"), part);
      if (existsSync(at)) renameSync(at, `${at}-moved`);
      if (part.endsWith("alternates")) writeFileSync(at, `${place("elsewhere")}\n`);
      else symlinkSync(existsSync(`${at}-moved`) ? `${at}-moved` : place("elsewhere"), at);
      writeFileSync(join(one.folder, "a.txt"), "two\n");
      await expect(one.keep(record)).rejects.toThrow("leads elsewhere");
    },
  );

  it("goes when it is not to stay, and the oldest go when there are too many", async () => {
    const { url } = makeRemote();
    const all = worker({ most: 2 });
    const folders: string[] = [];
    for (const session of ["s1", "s2", "s3"]) {
      const one = await all.open({ session, isHere: false, repo: { url }, last: null });
      folders.push(one.folder);
      await one.leave("stays");
    }
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true]);
    const last = await all.open({ session: "s4", isHere: false, repo: { url }, last: null });
    await last.leave("goes");
    expect(existsSync(last.folder)).toBe(false);
  });

  it("says what is wrong with a repository, and whether it may pass", async () => {
    const { url } = makeRemote();
    const open = (repo: { url: string; ref?: string }) => worker().open({ session: "s1", isHere: false, repo, last: null });
    await expect(open({ url, ref: "nowhere" })).rejects.toMatchObject({
      message: expect.stringContaining("no branch, tag or commit nowhere"),
      isPassing: false,
    });
    await expect(open({ url: `file://${top}/missing.git` })).rejects.toMatchObject({
      message: expect.stringContaining("could not be fetched"),
      isPassing: true,
    });
    await expect(open({ url: "https://git.example/a/b" })).rejects.toThrow("Workers may not fetch");
  });

  it("has what a setup command made, which is run once for the same files", async () => {
    const { url } = makeRemote();
    const all = worker();
    const setup = { command: "make it", files: ["a.txt"] };
    let runs = 0;
    const setUp = (one: SessionFolder) =>
      one.setUp(setup, async () => {
        runs++;
        mkdirSync(join(one.folder, "built/deep"), { recursive: true });
        writeFileSync(join(one.folder, "built/deep/x"), `made ${runs}`);
        symlinkSync("deep/x", join(one.folder, "built/link"));
        writeFileSync(join(one.folder, "not-ignored"), "x");
        return true;
      });
    const first = await all.open({ session: "s1", isHere: false, repo: { url }, last: null });
    expect(await setUp(first)).toBe("made");
    const second = await all.open({ session: "s2", isHere: false, repo: { url }, last: null });
    expect(await setUp(second)).toBe("kept");
    expect(read(second, "built/link")).toBe("made 1");
    expect(existsSync(join(second.folder, "not-ignored"))).toBe(false);
    // What one session changes of it is not another's.
    writeFileSync(join(second.folder, "built/deep/x"), "changed");
    const third = await all.open({ session: "s3", isHere: false, repo: { url }, last: null });
    writeFileSync(join(third.folder, "a.txt"), "other\n");
    expect(await setUp(third)).toBe("made");
    const fourth = await all.open({ session: "s4", isHere: false, repo: { url }, last: null });
    expect(await setUp(fourth)).toBe("kept");
    expect(read(fourth, "built/deep/x")).toBe("made 1");
    expect(await fourth.setUp({ command: "false", files: [] }, async () => false)).toBe("failed");
  });
});
