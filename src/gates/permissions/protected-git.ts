import type { ToolCall } from "../../core/call.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { GitAnswer, GitFacts } from "../../core/ports/git-question.ts";
import { liftText, PROTECTED_RULES } from "../../core/protected.ts";
import { programName } from "../../shell/options.ts";
import { type GitChange, workTreeChange } from "../../shell/programs/git-changes.ts";
import { changesInLine } from "../../shell/programs/git-lines.ts";
import { understand } from "../../shell/understand.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { display } from "../../text/path.ts";
import { understood } from "./commands.ts";

/**
 * A git command that would change a frozen file which git keeps: asked about before it starts, because the walls would stop it half-way. A
 * yes lets this one command write those files.
 */
export async function judgeGit(call: ToolCall, facts: Facts): Promise<Verdict> {
  const git = facts.protection?.git;
  if (!git) return PASS;
  const files = new Map<string, string>();
  const unknown: string[] = [];
  for (const change of await changesOf(
    (understood(call) ?? []).flatMap(({ commands }) => commands),
    git,
  )) {
    const answer = await answerTo(change, git);
    for (const { path, diff } of answer.files) files.set(path, [files.get(path), diff].filter(Boolean).join("\n"));
    if (answer.unknown === null || answer.frozen.length === 0) continue;
    unknown.push(`What git ${change.verb} changes is not known beforehand (${answer.unknown}).`);
    for (const path of answer.frozen) if (!files.has(path)) files.set(path, "");
  }
  if (files.size === 0) return PASS;
  const names = [...files.keys()].map((path) => display(path, facts.cwd));
  const may = unknown.length > 0 ? "may change" : "would change";
  const first = `${unknown.map((text) => `${text} `).join("")}It ${may} ${names.join(", ")}, which programs outside the sandbox run or obey later. A yes lets this command write ${names.length === 1 ? "it" : "them"}.`;
  const diffs = [...new Set([...files.values()].filter((text) => text !== ""))].join("\n");
  return {
    kind: "ask",
    rule: PROTECTED_RULES.git,
    why: diffs === "" ? first : `${first}\n${shortened(diffs)}`,
    about: liftText([...files.keys()]),
  };
}

const MOST_CHARACTERS = 6000;
const shortened = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text.trimEnd()
    : `${text.slice(0, MOST_CHARACTERS)}\n[${text.slice(MOST_CHARACTERS).split("\n").length} more lines of this diff are not shown]`;

/** Every git command of the line that changes files, aliases of the repository resolved. */
async function changesOf(commands: readonly SimpleCommand[], git: GitFacts): Promise<GitChange[]> {
  const gits = commands.filter(({ argv }) => typeof argv[0] === "string" && programName(argv[0]) === "git");
  const found: GitChange[] = [];
  for (const change of changesInLine(gits.map(({ argv, cwd }) => ({ args: argv.slice(1), cwd })))) {
    if (change.question !== null || change.place === null) found.push(change);
    else found.push(...(await byAlias(change, change.args, git)));
  }
  return found;
}

async function byAlias(change: GitChange, args: SimpleCommand["argv"], git: GitFacts): Promise<GitChange[]> {
  const text = await git.alias(change.place!, change.verb);
  if (text === null) return [];
  const at = args.indexOf(change.verb);
  const commands = text.startsWith("!") ? understand(text.slice(1)).commands : understand(`git ${text}`).commands;
  return commands.flatMap((one, n) => {
    if (one.argv[0] !== "git") return [];
    // What follows the alias belongs to the last command it stands for.
    const words = n === commands.length - 1 ? [...one.argv.slice(1), ...args.slice(at + 1)] : one.argv.slice(1);
    const inner = workTreeChange(words, change.place!.cwd);
    return inner?.question ? [inner] : [];
  });
}

const NOWHERE = "the folder it works in is only known at run time";

const answerTo = ({ place, question }: GitChange, git: GitFacts): Promise<GitAnswer> =>
  git.changes(place ?? { cwd: ".", options: [] }, place === null || question === null ? { lists: [], unknown: NOWHERE } : question);
