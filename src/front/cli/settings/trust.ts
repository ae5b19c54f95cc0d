import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { explainSettings, valueWords } from "../../../config/explain.ts";
import { type Ignored, loadConfig, type Project } from "../../../config/load.ts";
import { findProjectConfig, projectConfigPath, projectFolder, trustedBy, userConfigPath } from "../../../config/paths.ts";
import { ConfigError, placeText } from "../../../config/problem.ts";
import { readConfigFile } from "../../../config/read.ts";
import type { Config } from "../../../config/schema.ts";
import { findSetting } from "../../../config/settings.ts";
import { skillFolderOf, WITHDRAWN } from "../../../core/ports/skill.ts";
import type { TrustRecords } from "../../../core/ports/store.ts";
import { commandPathOf, commandSubject, hashOfCommand } from "../../../runtime/custom-commands/find-commands.ts";
import { hashOfInstructions, instructionPathOf, instructionSubject } from "../../../runtime/instructions/find-instructions.ts";
import { attempt } from "../../../text/attempt.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { type Io, json, readArgs, withUsageErrors } from "../io.ts";
import { describeAnswer, revokeAnswer } from "./trust-answers.ts";
import { describeCommands, findVouchableCommands, revokeCommands } from "./trust-commands.ts";
import { describeInstructions, findVouchable, revokeInstructions } from "./trust-instructions.ts";

const USAGE = "Usage: zeph trust [folder] [--skill <name>] [--revoke] [--list] [--json]";

/**
 * `zeph trust`: vouch for a project's file, or a skill, as it is now. Returns the exit code: 0, or 2 when there is nothing to vouch for. `config` is
 * the one in force, where it is known already.
 */
export async function runTrust(args: readonly string[], io: Io, trust: TrustRecords, config?: Config): Promise<number> {
  return withUsageErrors(io, async () => {
    const { values, positionals } = readArgs(args, USAGE, 1, {
      skill: { type: "string" },
      revoke: { type: "boolean" },
      list: { type: "boolean" },
      json: { type: "boolean" },
    });
    const folder = resolve(io.cwd, positionals[0] ?? ".");
    const show = values.json ? (value: object) => json(value) : (_value: object, text: string) => visible(text);
    const print = (value: object, text: string) => void io.stdout.write(show(value, text));
    if (values.list) await listTrusted(trust, print);
    else if (values.skill !== undefined) {
      const { grantSkill, revokeSkill } = await import("./trust-skill.ts");
      const at = { name: values.skill, folder: real(folder), io, trust, config: config ?? configIn(folder, io, trust) };
      await (values.revoke ? revokeSkill : grantSkill)(at, print);
    } else if (!values.revoke) await grant(folder, io, trust, print);
    else if (!(await revokeAnswer(positionals[0], trust, print))) await revoke(folder, io, trust, print);
    return EXIT.ok;
  });
}

export type Print = (value: object, text: string) => void;

const configIn = (cwd: string, { home, env }: Io, trust: TrustRecords): Config =>
  loadConfig({ cwd, home, env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME }, trusted: trustedBy(trust) }).config;

async function grant(cwd: string, io: Io, trust: TrustRecords, print: Print): Promise<void> {
  const vouched = whatTrustChanges(cwd, io);
  const instructions = findVouchable(cwd, io);
  const commands = findVouchableCommands(real(cwd), io);
  if (!vouched && instructions.length + commands.length === 0) throw new ConfigError([{ message: nothingIn(cwd) }]);
  if (vouched) await trust.set(vouched.project.folder, vouched.project.hash);
  for (const { path, hash } of instructions) await trust.set(instructionSubject(path), hash);
  for (const { path, hash } of commands) await trust.set(commandSubject(path), hash);
  const files = {
    instructions: instructions.map(({ path, hash }) => ({ file: path, hash })),
    ...(commands.length > 0 && { commands: commands.map(({ name, path, hash }) => ({ name, file: path, hash })) }),
  };
  const told = `${describeInstructions(instructions)}${describeCommands(commands)}`;
  if (!vouched) {
    print({ folder: real(cwd), file: null, trusted: true, changes: [], ...files }, `${told}Trust ends when a file changes.\n`);
    return;
  }
  const { file, folder, hash } = vouched.project;
  print(
    { folder, file, hash, trusted: true, changes: vouched.changes, ...files },
    `${describe(file, vouched.changes)}Trusted: ${folder}\n${told}Trust ends when ${told === "" ? "the" : "a"} file changes.\n`,
  );
}

/** Settings of the project that trust puts in force: those that are ignored without it, and lists that it then replaces. */
function whatTrustChanges(cwd: string, io: Io): { project: Project; changes: readonly Ignored[] } | null {
  const options = { cwd, home: io.home, env: { XDG_CONFIG_HOME: io.env.XDG_CONFIG_HOME } };
  const now = loadConfig({ ...options, trusted: () => false });
  if (!now.project) return null;
  // The hash that was shown is the hash that is recorded: the second reading must be of the same bytes.
  const then = loadConfig({ ...options, trusted: (_, hash) => hash === now.project!.hash });
  const replaced = explainSettings(then).filter((one, i) => {
    const before = explainSettings(now)[i]!.value;
    return findSetting(one.key)!.tighter === "adds" && !isDeepStrictEqual(one.value, before);
  });
  const lists = replaced.map(({ key, value, origin }): Ignored => ({ key, line: origin.line, value }));
  return { project: now.project, changes: [...now.project.ignored, ...lists] };
}

async function revoke(cwd: string, io: Io, trust: TrustRecords, print: Print): Promise<void> {
  // The file may be gone by now, so the folder as it was given counts too.
  const file = findProjectConfig({ cwd, home: io.home }, userConfigPath(io));
  const folders = new Set([...(file === null ? [] : [projectFolder(file)]), real(cwd), cwd]);
  const gone = [...(await revokeInstructions(real(cwd), io, trust)), ...(await revokeCommands(real(cwd), trust))];
  const also = gone.map((path) => `No longer trusted: ${path}\n`).join("");
  for (const folder of folders)
    if (await trust.remove(folder)) return print({ folder, trusted: false, instructions: gone }, `No longer trusted: ${folder}\n${also}`);
  print({ folder: cwd, trusted: false, instructions: gone }, also || `${cwd} was not trusted; nothing to revoke.\n`);
}

async function listTrusted(trust: TrustRecords, print: Print): Promise<void> {
  const all = await trust.list();
  const answers = all.map(describeAnswer).filter((one) => one !== null);
  const records = all.filter((one) => describeAnswer(one) === null);
  // Read only when a skill is on the list.
  const seals = records.some(({ subject }) => skillFolderOf(subject) !== null)
    ? await import("../../../runtime/features/skill-folders.ts")
    : null;
  const current = records.map((record) => {
    const skill = skillFolderOf(record.subject);
    const instructions = instructionPathOf(record.subject);
    const command = commandPathOf(record.subject);
    const ownHash = () => {
      if (command !== null) return hashOfCommand(command);
      return instructions === null ? hashOf(record.subject) : hashOfInstructions(instructions);
    };
    const seal = skill === null || !seals ? { hash: ownHash() } : seals.sealFolder(skill);
    const isWithdrawn = record.hash === WITHDRAWN;
    return {
      ...record,
      ...(skill !== null && { skill }),
      ...(isWithdrawn && { withdrawn: true }),
      current: "hash" in seal && seal.hash === record.hash,
    };
  });
  const day = (since: number) => new Date(since).toISOString().slice(0, 10);
  const lines = current.map(
    ({ subject, since, current, hash }) =>
      `${day(since)}  ${subject}${hash === WITHDRAWN ? "  (you took its trust back)" : current ? "" : "  (changed since; no longer trusted)"}\n`,
  );
  lines.push(...answers.map(({ since, text }) => `${day(since)}  ${text}\n`));
  print([...current, ...answers.map(({ text: _, ...answer }) => answer)], lines.join("") || "Nothing is trusted.\n");
}

/** null when the file is gone or cannot be read. */
const hashOf = (folder: string): string | null =>
  attempt(() => readConfigFile(projectConfigPath(folder), { inside: folder })?.hash ?? null, null);

function describe(file: string, changes: readonly Ignored[]): string {
  if (changes.length === 0) return `${file} only tightens your rules; it needs no trust.\n`;
  const lines = changes.map(
    ({ key, line, value }) => `  ${placeText({ file, ...(line !== undefined && { line }) })}: ${key} = ${valueWords(value)}\n`,
  );
  return `Besides tightening your rules, this project sets:\n${lines.join("")}`;
}

const nothingIn = (folder: string) =>
  `There is no .zeph/config.toml in ${folder} or above it (up to the top of the repository), no AGENTS.md or CLAUDE.md, and no commands in .zeph/commands or .claude/commands, so there is nothing to trust.`;

const real = (folder: string): string => attempt(() => realpathSync(folder), folder);
