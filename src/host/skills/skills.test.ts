import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { skillSubject } from "../../core/ports/skill.ts";
import { openStore } from "../../store/open.ts";
import { createLocalSkills, sealFolder } from "./skills.ts";

function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-skills-")));
  const store = openStore("memory");
  onTestFinished(async () => {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
  const at = (path: string) => join(root, path);
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  return {
    root,
    at,
    write,
    skill: (path: string, description = "x", name = path.split("/").at(-1)!) =>
      write(`${path}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${path}.\n`),
    trust: store.trust,
    vouch: async (path: string) => {
      const seal = sealFolder(at(path));
      if (!("hash" in seal)) throw new Error(seal.why);
      await store.trust.set(skillSubject(at(path)), seal.hash);
    },
    open: (...places: string[]) =>
      createLocalSkills({ places: places.map((path) => ({ path: at(path), origin: "workspace" as const })), trust: store.trust }),
  };
}
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

describe("skills are found", () => {
  it("in each folder's folders, sorted, and not deeper", async () => {
    const { open, skill, write } = world();
    skill("a/zip");
    skill("a/deploy");
    skill("a/group/inner");
    write("a/SKILL.md", "no skill by itself");
    write("a/file", "");
    skill("a/.hidden");
    const skills = open("a", "missing");
    expect([names(await skills.list()), await skills.broken(), skills.any()]).toEqual([["deploy", "zip"], [], true]);
    expect(open("missing").any()).toBe(false);
  });

  it("the first of a name is taken, and the other is told", async () => {
    const { open, skill, at } = world();
    skill("own/deploy", "mine");
    skill("theirs/deploy", "theirs");
    skill("theirs/other", "also theirs", "deploy");
    const skills = open("own", "theirs");
    expect(await skills.list()).toMatchObject([{ name: "deploy", description: "mine", folder: at("own/deploy") }]);
    const why = `the name "deploy" is taken by ${at("own/deploy")}, which is found first`;
    expect(await skills.broken()).toEqual([
      { folder: at("theirs/deploy"), why },
      { folder: at("theirs/other"), why },
    ]);
  });

  it("with what is beside them, and without pipes, links and themselves", async () => {
    const { open, skill, write, at } = world();
    skill("a/deploy");
    write("a/deploy/scripts/run.sh", "echo hi");
    write("a/deploy/references/api.md", "");
    write("a/secret", "");
    symlinkSync("../secret", at("a/deploy/link"));
    execFileSync("mkfifo", [at("a/deploy/pipe")]);
    const skill1 = await open("a").get("deploy");
    expect(skill1).toMatchObject({ body: "Body of a/deploy.", files: ["references/api.md", "scripts/run.sh"], filesLeftOut: 0 });
  });

  it("at most 200 of them, and 200 files of each", async () => {
    const { open, skill, write, at } = world();
    for (let n = 0; n < 205; n++) skill(`a/s${String(n).padStart(3, "0")}`);
    for (let n = 0; n < 210; n++) write(`a/s000/f${n}`, "");
    const skills = open("a");
    expect((await skills.list()).length).toBe(200);
    expect(await skills.broken()).toEqual([{ folder: at("a"), why: expect.stringContaining("more than 200") }]);
    expect(await skills.get("s000")).toMatchObject({ files: { length: 200 }, filesLeftOut: 10 });
  });

  it("again after every change, and not twice by two ways", async () => {
    const { open, skill, at, write } = world();
    skill("a/deploy", "one");
    mkdirSync(at("b"));
    symlinkSync("../a/deploy", at("b/deploy"));
    const skills = open("a", "b");
    expect(await skills.list()).toMatchObject([{ description: "one" }]);
    expect(await skills.broken()).toEqual([]);
    const before = new Date(1e9);
    utimesSync(at("a/deploy/SKILL.md"), before, before);
    await skills.list();
    // As long as before, and with the time of before: only the system's own clock tells.
    skill("a/deploy", "two");
    utimesSync(at("a/deploy/SKILL.md"), before, before);
    expect(await skills.list()).toMatchObject([{ description: "two" }]);
    write("a/deploy/SKILL.md", "broken");
    expect([await skills.list(), (await skills.broken()).length, await skills.get("deploy")]).toEqual([[], 1, null]);
    rmSync(at("a/deploy"), { recursive: true });
    expect([await skills.list(), await skills.broken()]).toEqual([[], []]);
  });
});

describe("what cannot be used is told, and the others load", () => {
  it("broken, too large, a link, a pipe, a folder", async () => {
    const { open, skill, write, at } = world();
    skill("a/good");
    write("a/b1/SKILL.md", "# nothing");
    write("a/b2/SKILL.md", Buffer.alloc(256 * 1024 + 1, "a"));
    mkdirSync(at("a/b3"));
    symlinkSync("../good/SKILL.md", at("a/b3/SKILL.md"));
    mkdirSync(at("a/b4"));
    execFileSync("mkfifo", [at("a/b4/SKILL.md")]);
    mkdirSync(at("a/b5/SKILL.md"), { recursive: true });
    symlinkSync("nowhere", at("a/b6"));
    symlinkSync("b7", at("a/b7"));
    const skills = open("a");
    expect(names(await skills.list())).toEqual(["good"]);
    expect((await skills.broken()).map(({ folder, why }) => `${folder.slice(at("a/").length)}: ${why}`)).toEqual([
      expect.stringContaining("b1: SKILL.md, line 1: it does not begin"),
      expect.stringContaining("b2: SKILL.md is larger than 256 KiB"),
      "b3: SKILL.md is a link; it must be the file itself",
      expect.stringContaining("b4: SKILL.md cannot be read (no regular file)"),
      expect.stringContaining("b5: SKILL.md cannot be read (no regular file)"),
      expect.stringContaining("b7: it cannot be read (ELOOP)"),
    ]);
  });

  it.skipIf(process.getuid?.() === 0)("a folder that may not be read", async () => {
    const { open, skill, at } = world();
    skill("a/good");
    skill("a/shut");
    chmodSync(at("a/shut"), 0);
    onTestFinished(() => chmodSync(at("a/shut"), 0o700));
    const skills = open("a");
    expect(names(await skills.list())).toEqual(["good"]);
    expect(await skills.broken()).toEqual([{ folder: at("a/shut"), why: "it cannot be read (EACCES)" }]);
  });

  it("a link out of the workspace is not followed there, and is followed where the person keeps their own", async () => {
    const { open, skill, at, trust } = world();
    skill("elsewhere/deploy");
    mkdirSync(at("work/skills"), { recursive: true });
    symlinkSync(at("elsewhere/deploy"), at("work/skills/deploy"));
    const bound = createLocalSkills({ places: [{ path: at("work/skills"), origin: "workspace", within: at("work") }], trust });
    expect([await bound.list(), await bound.get("deploy")]).toEqual([[], null]);
    expect(await bound.broken()).toEqual([{ folder: at("work/skills/deploy"), why: `it is a link that leads out of ${at("work")}` }]);
    expect(await open("work/skills").list()).toMatchObject([{ folder: at("elsewhere/deploy") }]);
  });

  it("a folder that was named and is not there", async () => {
    const { at, trust } = world();
    const skills = createLocalSkills({ places: [{ path: at("no"), origin: "listed", named: true }], trust });
    expect(await skills.broken()).toEqual([{ folder: at("no"), why: "there is no such folder" }]);
  });
});

describe("trust", () => {
  it("is provisional, then trusted, and gone with any change; and back when it is as it was", async () => {
    const { open, skill, write, at, vouch, trust } = world();
    skill("a/deploy");
    write("a/deploy/scripts/run.sh", "echo hi\n");
    const skills = open("a");
    const levels = async () => [(await skills.list())[0]?.trust, (await skills.get("deploy"))?.trust];
    expect(await levels()).toEqual(["provisional", "provisional"]);
    await vouch("a/deploy");
    expect(await levels()).toEqual(["trusted", "trusted"]);
    write("a/deploy/scripts/run.sh", "echo ho\n");
    expect(await levels()).toEqual(["untrusted", "untrusted"]);
    write("a/deploy/scripts/run.sh", "echo hi\n");
    expect(await levels()).toEqual(["trusted", "trusted"]);
    for (const change of [
      () => write("a/deploy/new", ""),
      () => renameSync(at("a/deploy/new"), at("a/deploy/newer")),
      () => symlinkSync("/bin/sh", at("a/deploy/new")),
    ]) {
      change();
      expect(await levels()).toEqual(["untrusted", "untrusted"]);
    }
    await trust.remove(skillSubject(at("a/deploy")));
    expect(await levels()).toEqual(["provisional", "provisional"]);
  });

  it("is for the folder, not for the name", async () => {
    const { open, skill, vouch } = world();
    skill("a/deploy");
    skill("b/deploy");
    await vouch("a/deploy");
    expect(await open("b").get("deploy")).toMatchObject({ trust: "provisional" });
    expect(await open("a").get("deploy")).toMatchObject({ trust: "trusted" });
  });

  it("cannot be given to what cannot be seen whole", async () => {
    const { skill, write, at } = world();
    for (const name of ["many", "large", "out", "deep"]) skill(`a/${name}`);
    for (let n = 0; n < 1001; n++) write(`a/many/f${n}`, "");
    write("a/large/f", "");
    truncateSync(at("a/large/f"), 20 * 1024 * 1024);
    symlinkSync("/etc", at("a/out/link"));
    write(`a/deep/${"d/".repeat(30)}f`, "");
    expect(["many", "large", "out", "deep"].map((name) => sealFolder(at(`a/${name}`)))).toEqual([
      { why: "it holds more than 1000 files" },
      { why: "it holds more than 20 MiB" },
      { why: "link is a link that leads out of the folder" },
      { why: "its folders go deeper than 20" },
    ]);
  });

  it("two contents never have one hash by moving bytes between names and files", async () => {
    const { skill, write, at } = world();
    for (const name of ["one", "two", "three"]) skill(`${name}/s`, "x", "s");
    const body = "---\nname: s\ndescription: x\n---\n";
    for (const name of ["one", "two", "three"]) write(`${name}/s/SKILL.md`, body);
    write("one/s/a", "bc");
    write("two/s/ab", "c");
    write("three/s/a", "b");
    write("three/s/c", "");
    expect(new Set(["one", "two", "three"].map((name) => JSON.stringify(sealFolder(at(`${name}/s`))))).size).toBe(3);
  });
});

it("a second look at fifty skills takes little work when nothing changed", async () => {
  const { open, skill, write, vouch } = world();
  for (let n = 0; n < 50; n++) {
    skill(`a/s${n}`);
    for (let file = 0; file < 4; file++) write(`a/s${n}/scripts/f${file}`, "x".repeat(2000));
  }
  for (let n = 0; n < 5; n++) await vouch(`a/s${n}`);
  const skills = open("a");
  const timed = async () => {
    const started = cpuMs();
    await skills.list();
    return cpuMs() - started;
  };
  const first = await timed();
  const times = [];
  for (let n = 0; n < 20; n++) times.push(await timed());
  const median = times.sort((a, b) => a - b)[10]!;
  if (process.env.NUMBERS) console.log(`first ${first.toFixed(1)} ms, then ${median.toFixed(2)} ms`);
  expect(median).toBeLessThan(50);
});
