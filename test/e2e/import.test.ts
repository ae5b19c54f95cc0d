import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { box } from "./zeph.ts";

const OWN = JSON.stringify(
  { permissions: { deny: ["Bash(git push:*)"], allow: ["Bash(git diff:*)"], defaultMode: "bypassPermissions" } },
  null,
  1,
);
const PROJECT = JSON.stringify({
  permissions: { deny: ["Edit(infra/**)", "mcp__gh__drop"], allow: ["Bash(make:*)"] },
  hooks: { SessionStart: [] },
});

function withClaude() {
  const place = box();
  place.write(join(place.env.HOME!, ".claude/settings.json"), OWN);
  place.write(".claude/settings.json", PROJECT);
  const user = join(place.env.XDG_CONFIG_HOME!, "zeph/config.toml");
  const project = join(place.cwd, ".zeph/config.toml");
  return { ...place, user, project };
}

describe("zeph import", () => {
  it("shows everything, writes each file into its own kind, and judges before and after", async () => {
    const { runProcess, user, project } = withClaude();
    const { code, stdout } = await runProcess(["import", "claude", "--yes"]);
    expect(code).toBe(0);
    for (const line of [
      '~/.claude/settings.json:4 Bash(git push:*) deny -> tools.shell.blocked_commands "git push"',
      "~/.claude/settings.json:9 defaultMode bypassPermissions: a mode that asks nobody is never taken over",
      ".claude/settings.json:1 Bash(make:*) allow: a project's file only denies until you trust the project",
      ".claude/settings.json:1 hooks: a program that the agent starts is not taken over",
      '+  "git push", # from ~/.claude/settings.json, ',
      'bash {"command":"git push"}  ',
    ])
      expect(stdout).toContain(line);
    expect(readFileSync(user, "utf8")).toContain('"git push", # from ~/.claude/settings.json');
    expect(readFileSync(project, "utf8")).toContain('pattern = "infra/**"\naction = "deny"');
    expect(readFileSync(user, "utf8") + readFileSync(project, "utf8")).not.toMatch(/make|full/);
    expect(stdout).toMatch(/"make"\} {2}(?:allow -> )?(?:allow|ask)\n/);
    expect(readFileSync(project, "utf8")).toContain('"mcp__gh__drop", # from .claude/settings.json');
    const before = [user, project].map((file) => readFileSync(file, "utf8"));
    expect((await runProcess(["import", "claude", "--yes"])).stdout).toContain("There is nothing to write.");
    expect([user, project].map((file) => readFileSync(file, "utf8"))).toEqual(before);
  });
  it("writes nothing without a yes, and nothing for a dry run", async () => {
    const { run, user, project } = withClaude();
    expect(await run(["import", "claude", "--dry-run"])).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was written") });
    expect(await run(["import", "claude"])).toMatchObject({ code: 4, stdout: expect.stringContaining("--yes writes it") });
    expect([existsSync(user), existsSync(project)]).toEqual([false, false]);
  });
  it("is JSON for programs", async () => {
    const { run } = withClaude();
    const { code, stdout } = await run(["import", "claude", "--dry-run", "--json"]);
    const { targets, written } = JSON.parse(stdout);
    expect([code, written, targets.map((one: { into: string }) => one.into)]).toEqual([0, false, ["user", "project"]]);
    expect(targets[0].files[0].entries[0]).toEqual({
      line: 4,
      written: "Bash(git push:*)",
      action: "deny",
      became: "taken",
      settings: ['tools.shell.blocked_commands "git push"'],
      why: null,
      values: 1,
    });
  });
  it("takes pasted servers from stdin, without their keys", async () => {
    const { run, user } = withClaude();
    const input = '{"mcpServers":{"t":{"command":"t","env":{"T_TOKEN":"abcdef123456"}}}}';
    const { code, stdout } = await run(["import", "--from", "-", "--yes"], { input });
    expect(code).toBe(0);
    expect(readFileSync(user, "utf8")).toMatch(/# from stdin, .*\n\[\[mcp\.servers\]\]\n/);
    expect(stdout + readFileSync(user, "utf8")).not.toContain("abcdef123456");
  });
  it("names whole paths when a project's file goes into the person's own", async () => {
    const { run, user, cwd } = withClaude();
    expect((await run(["import", "claude", "--from", ".claude/settings.json", "--into", "user", "--yes"])).code).toBe(0);
    expect(readFileSync(user, "utf8")).toContain(`pattern = "${cwd}/infra/**"`);
  });
  it("makes skills of agents, and leaves one that is there", async () => {
    const { run, write, env } = withClaude();
    write(join(env.HOME!, ".claude/agents/rev.md"), "---\nname: rev\ndescription: Reviews\ntools: Bash\n---\nLook at it.\n");
    const skill = join(env.XDG_CONFIG_HOME!, "zeph/skills/rev/SKILL.md");
    expect((await run(["import", "claude", "--yes"])).stdout).toContain("rev.md:4 tools: a skill is given no rights");
    expect(readFileSync(skill, "utf8")).toMatch(
      /^---\nname: rev\ndescription: "Reviews"\n---\n<!-- from .*rev\.md, .* -->\n\nLook at it\.\n$/,
    );
    write(skill, "---\nname: rev\ndescription: mine\n---\nmine\n");
    expect((await run(["import", "claude", "--yes"])).stdout).toContain("there is a skill named rev already");
    expect(readFileSync(skill, "utf8")).toContain("mine");
  });
  it("refuses a project's file that a link leads out of it", async () => {
    const { run, root, cwd, write } = box();
    write(join(root, "elsewhere.json"), OWN);
    mkdirSync(join(cwd, ".claude"));
    symlinkSync(join(root, "elsewhere.json"), join(cwd, ".claude/settings.json"));
    expect(await run(["import", "claude", "--yes"])).toMatchObject({ code: 2, stderr: expect.stringContaining("leads out of") });
  });
  it("refuses settings of the person that do not parse, and leaves them", async () => {
    const { run, config, user } = withClaude();
    config("a = ");
    expect((await run(["import", "claude", "--yes"])).code).toBe(2);
    expect(readFileSync(user, "utf8")).toBe("a = ");
  });
  it.each([
    [["import"], "Say which agent to import from"],
    [["import", "cluade"], 'Did you mean "claude"?'],
    [["import", "claude", "codex", "--from", "x"], "name one agent"],
    [["import", "mcp"], "Say which file holds the servers"],
    [["import", "claude", "--into", "there"], "it must be user or project"],
    [["import", "codex"], "No file of codex was found. Looked for ~/.codex/config.toml"],
    [["import", "claude", "--from", "gone.json"], "there is no such file"],
  ])("exits 2 for %j", async (args, message) => {
    expect(await box().run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
