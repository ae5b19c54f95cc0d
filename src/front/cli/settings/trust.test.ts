import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Scratch, scratch } from "../../../../test/scratch.ts";
import { openStore } from "../../../store/open.ts";
import { runTrust } from "./trust.ts";

function world() {
  const place = scratch();
  const store = openStore("memory");
  onTestFinished(() => store.close());
  const skill = (folder: string, name: string, more = "") =>
    place.write(join(folder, name, "SKILL.md"), `---\nname: ${name}\ndescription: x\n${more}---\nBody.\n`);
  return {
    ...place,
    trust: store.trust,
    skill,
    own: join(place.home, ".config", "zeph", "skills"),
    theirs: join(place.cwd, ".zeph", "skills"),
  };
}

async function run({ cwd, home, trust }: Pick<Scratch, "cwd" | "home"> & { trust: ReturnType<typeof world>["trust"] }, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const stdout = { write: (text: string) => out.push(text) };
  const stderr = { write: (text: string) => err.push(text) };
  const code = await runTrust(args, { stdout, stderr, cwd, home, env: {} }, trust);
  return { code, out: out.join(""), err: err.join("") };
}

test("trust --skill shows what is vouched for and records it", async () => {
  const place = world();
  place.skill(place.theirs, "deploy", "allowed-tools: Bash(*)\n");
  place.write(join(place.theirs, "deploy", "scripts", "go.sh"), "echo go");
  place.user('[skills.env]\ndeploy = ["DEPLOY_TOKEN"]\n');
  const { code, out } = await run(place, "--skill", "deploy");
  const [record] = await place.trust.list();
  expect(record).toMatchObject({ subject: `skill ${place.theirs}/deploy`, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect([code, out]).toEqual([
    0,
    `Skill deploy in ${place.theirs}/deploy\n  files: SKILL.md, scripts/go.sh\n  hash: ${record!.hash.slice(0, 16)}…\n` +
      "  it asks for allowed-tools: Bash(*) (your rules decide, not the skill)\n  its commands will see: DEPLOY_TOKEN\n" +
      "Trusted: deploy\nTrust ends when one of these files changes.\n",
  ]);
});

test("trust --skill as JSON, from elsewhere, of your own before the project's; listed, changed and revoked", async () => {
  const place = world();
  place.skill(place.own, "deploy");
  place.skill(place.theirs, "deploy");
  place.skill(place.theirs, "lint");
  const away = { ...place, cwd: place.home };
  expect(JSON.parse((await run(away, "work", "--skill", "deploy", "--json")).out)).toMatchObject({
    skill: "deploy",
    folder: `${place.own}/deploy`,
    files: ["SKILL.md"],
    trusted: true,
  });
  await run(away, "work", "--skill", "lint");
  place.write(join(place.theirs, "lint", "more"), "");
  const { out } = await run(place, "--list");
  expect(out).toMatch(
    new RegExp(`^....-..-..  skill ${place.own}/deploy\n....-..-..  skill ${place.theirs}/lint  \\(changed since; no longer trusted\\)\n$`),
  );
  expect(JSON.parse((await run(place, "--list", "--json")).out)).toMatchObject([
    { skill: `${place.own}/deploy`, current: true },
    { current: false },
  ]);
  expect((await run(place, "--skill", "deploy", "--revoke")).out).toBe(`No longer trusted: the skill in ${place.own}/deploy\n`);
  expect((await run(place, "--skill", "deploy", "--revoke")).out).toContain("nothing to revoke");
  rmSync(join(place.theirs, "lint"), { recursive: true });
  expect((await run(place, "--skill", "lint", "--revoke")).out).toBe(`No longer trusted: the skill in ${place.theirs}/lint\n`);
  // Their own is trusted without a word: that it is not is a word.
  expect((await run(place, "--list")).out).toMatch(new RegExp(`^....-..-..  skill ${place.own}/deploy  \\(you took its trust back\\)\n$`));
});

test("what cannot be trusted is told, and nothing is recorded", async () => {
  const place = world();
  place.skill(place.theirs, "deploy");
  place.write(join(place.theirs, "bad", "SKILL.md"), "no");
  place.skill(place.theirs, "large");
  place.write(join(place.theirs, "large", "data"), Buffer.alloc(20 * 1024 * 1024));
  const failing = async (name: string) => {
    const { code, err, out } = await run(place, "--skill", name);
    expect([code, out]).toEqual([2, ""]);
    return err;
  };
  expect(await failing("deplyo")).toContain('Did you mean "deploy"?');
  expect(await failing("bad")).toContain("does not begin with");
  expect(await failing("large")).toContain("cannot be trusted: it holds more than 20 MiB");
  place.user("skills.enabled = false\n");
  expect(await failing("deploy")).toContain("switched off");
  expect(await place.trust.list()).toEqual([]);
});

test("a project's file and a skill are vouched for apart", async () => {
  const place = world();
  place.project('autonomy = "full"\n');
  place.skill(place.theirs, "deploy");
  await run(place, "--skill", "deploy");
  expect((await place.trust.list()).map(({ subject }) => subject)).toEqual([`skill ${place.theirs}/deploy`]);
  await run(place);
  expect((await run(place, "--revoke")).out).toBe(`No longer trusted: ${place.cwd}\n`);
  expect((await place.trust.list()).map(({ subject }) => subject)).toEqual([`skill ${place.theirs}/deploy`]);
});

test("trust vouches for the project's AGENTS.md as it is now, with or without a configuration; listed, changed and revoked", async () => {
  const place = world();
  const top = place.write(join(place.cwd, "AGENTS.md"), "Use tabs.\n");
  const below = place.write(join(place.cwd, "pkg", "CLAUDE.md"), "Here too.\n");
  place.write(join(place.cwd, ".git", "HEAD"), "");
  const inside = { ...place, cwd: join(place.cwd, "pkg") };
  const { code, out } = await run(inside);
  expect([code, out]).toEqual([
    0,
    `Trusted: ${top} (10 bytes), told to the model as the project's text\nTrusted: ${below} (10 bytes), told to the model as the project's text\nTrust ends when a file changes.\n`,
  ]);
  expect((await run(place, "--list")).out).toMatch(/^[\d-]+ {2}instructions \S+work\/AGENTS\.md\n[\d-]+ {2}instructions \S+CLAUDE\.md\n$/);
  place.write(top, "Use spaces.\n");
  expect((await run(place, "--list")).out).toContain("work/AGENTS.md  (changed since; no longer trusted)");
  place.project('autonomy = "full"\n');
  expect(JSON.parse((await run(place, "--json")).out)).toMatchObject({ folder: place.cwd, instructions: [{ file: top }] });
  expect((await run(inside, "--revoke")).out).toBe(
    `No longer trusted: ${place.cwd}\nNo longer trusted: ${top}\nNo longer trusted: ${below}\n`,
  );
  expect(await place.trust.list()).toEqual([]);
});

test("trust in a folder with nothing to vouch for says what it looked for", async () => {
  const place = world();
  const { code, err } = await run(place);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(
      "no AGENTS.md or CLAUDE.md, and no commands in .zeph/commands or .claude/commands, so there is nothing to trust.",
    ),
  ]);
});
