import { basename } from "node:path";
import type { Config } from "../../../config/schema.ts";
import { type Skill, type Skills, skillFolderOf, skillSubject, WITHDRAWN } from "../../../core/ports/skill.ts";
import type { TrustRecords } from "../../../core/ports/store.ts";
import { openSkills, ownSkillFolders, sealFolder } from "../../../runtime/features/skill-folders.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { oneLine } from "../../../text/visible.ts";
import { type Io, UsageError } from "../io.ts";
import type { Print } from "./trust.ts";

export interface SkillRequest {
  readonly name: string;
  /** The workspace it is looked for from. */
  readonly folder: string;
  readonly io: Io;
  readonly trust: TrustRecords;
  readonly config: Pick<Config, "skills" | "tools">;
}

/** Vouches for a skill: for everything in its folder as it is now. */
export async function grantSkill(wish: SkillRequest, print: Print): Promise<void> {
  const { trust, config } = wish;
  const skill = await skillCalled(wish);
  const { name, folder, files, asks } = skill;
  const seal = sealFolder(folder);
  if (!("hash" in seal)) throw new UsageError(`The skill "${name}" in ${folder} cannot be trusted: ${seal.why}.`);
  await trust.set(skillSubject(folder), seal.hash);
  const variables = Object.hasOwn(config.skills.env, name) ? config.skills.env[name]! : [];
  print(
    { skill: name, folder, files: ["SKILL.md", ...files], hash: seal.hash, asks, variables, trusted: true },
    describe(skill, seal.hash, variables),
  );
}

/** A skill that is gone is known by the name of its folder. */
export async function revokeSkill(wish: SkillRequest, print: Print): Promise<void> {
  const { name, trust } = wish;
  const skill = await openSkillsFor(wish).get(name);
  if (skill?.origin === "own") return withdraw(skill, trust, print);
  const folders = (await trust.list())
    .flatMap(({ subject }) => skillFolderOf(subject) ?? [])
    .filter((folder) => (skill ? folder === skill.folder : basename(folder) === name));
  for (const folder of folders) await trust.remove(skillSubject(folder));
  const lines = folders.map((folder) => `No longer trusted: the skill in ${folder}\n`);
  print({ skill: name, folders, trusted: false }, lines.join("") || `The skill "${name}" was not trusted; nothing to revoke.\n`);
}

/** A skill of the person's own is trusted without a word, so that it is not has to be said. */
async function withdraw({ name, folder }: Skill, trust: TrustRecords, print: Print): Promise<void> {
  const isNew = trust.get(skillSubject(folder)) !== WITHDRAWN;
  if (isNew) await trust.set(skillSubject(folder), WITHDRAWN);
  print(
    { skill: name, folders: isNew ? [folder] : [], trusted: false },
    isNew ? `No longer trusted: the skill in ${folder}\n` : `The skill "${name}" was not trusted; nothing to revoke.\n`,
  );
}

/** What the person said about it is gone: it is believed as any other where it lies. */
export async function forgetSkill(wish: SkillRequest, print: Print): Promise<void> {
  const { name, folder } = await skillCalled(wish);
  const isGone = await wish.trust.remove(skillSubject(folder));
  const { trust } = await skillCalled(wish);
  const said = isGone ? "Forgotten" : "Nothing was said";
  print({ skill: name, folder, forgotten: isGone, trust }, `${said} about the skill in ${folder}. It is ${trust} now.\n`);
}

export const openSkillsFor = ({ folder, io: { home, env }, trust, config }: SkillRequest): Skills =>
  openSkills({ config, workspace: folder, home, trust, own: ownSkillFolders({ home, env }) });

/** Throws a UsageError where there is none that can be used, with the names that are close, or why. */
export async function skillCalled(wish: SkillRequest): Promise<Skill> {
  const { name, config, folder } = wish;
  if (!config.skills.enabled) throw new UsageError('Skills are switched off: "skills.enabled" is false.');
  const skills = openSkillsFor(wish);
  const skill = await skills.get(name);
  if (skill) return skill;
  const broken = (await skills.broken()).find((one) => basename(one.folder) === name);
  if (broken) throw new UsageError(`The skill in ${broken.folder} cannot be used: ${broken.why}.`);
  const names = (await skills.list()).map((one) => one.name);
  const all = names.length === 0 ? " There are none." : ` There are: ${names.join(", ")}.`;
  throw new UsageError(`There is no skill named "${name}" in ${folder} or among your own.${didYouMean(name, names) || all}`);
}

const MOST_SHOWN = 20;

function describe({ name, folder, files, filesLeftOut, asks }: Skill, hash: string, variables: readonly string[]): string {
  const more = Math.max(0, files.length - MOST_SHOWN) + filesLeftOut;
  return [
    `Skill ${name} in ${folder}`,
    `  files: ${["SKILL.md", ...files.slice(0, MOST_SHOWN)].map((file) => oneLine(file)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
    `  hash: ${hash.slice(0, 16)}…`,
    ...asks.map((wish) => `  it asks for ${oneLine(wish)} (your rules decide, not the skill)`),
    ...(variables.length === 0 ? [] : [`  its commands will see: ${variables.join(", ")}`]),
    `Trusted: ${name}`,
    "Trust ends when one of these files changes.",
    "",
  ].join("\n");
}
