import type { ToolCall } from "../../core/call.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { FILE_REMOTE, type FileRemote, remoteOpeningText } from "../../core/ports/file-remote.ts";
import { programName, readOptions } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import { joinFolder } from "../../shell/relative-path.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { understood } from "./commands.ts";

/** Git verbs that talk to another repository; the first operand names it. */
const TALKS = /^(fetch|pull|push|clone|ls-remote)$/;
const TAKES = "bcojuX --branch --config --origin --depth --reference --upload-pack --receive-pack --push-option --jobs";

/**
 * A git command that names a repository outside of the workspace by its path, or by a remote that leads there. The walls keep it closed; a yes
 * opens it to this session's commands, and what git runs or obeys there stays as it is.
 */
export async function judgeFileRemotes(call: ToolCall, facts: Facts): Promise<Verdict> {
  const find = facts.protection?.fileRemote;
  if (!find) return PASS;
  const remotes = new Map<string, FileRemote>();
  for (const { argv, cwd } of (understood(call) ?? []).flatMap(({ commands }) => commands)) {
    const named = namedRemote(argv);
    const found = named && (await find(joinFolder(cwd, named.folder) ?? ".", named.name, named.access));
    if (found && remotes.get(found.path)?.access !== "write") remotes.set(found.path, found);
  }
  if (remotes.size === 0) return PASS;
  const all = [...remotes.values()];
  const names = all.map(({ path, access }) => `${path}${access === "write" ? " for writing" : ""}`).join(" and ");
  return {
    kind: "ask",
    rule: FILE_REMOTE,
    why: `Open ${names} for this session? It lies outside of the workspace, so commands do not see it. Its hooks and settings stay read-only; hooks of a push run inside the walls.`,
    about: remoteOpeningText(all),
    advice: "The remote lies outside of the workspace and stays closed until the person opens it. Work without it, or ask them.",
  };
}

function namedRemote([program, ...args]: SimpleCommand["argv"]): {
  name: string | undefined;
  folder: string;
  access: FileRemote["access"];
} | null {
  if (typeof program !== "string" || programName(program) !== "git") return null;
  const { verb, rest, folder } = splitGit(args);
  if (typeof verb !== "string" || !TALKS.test(verb) || folder === null) return null;
  const [name] = readOptions(rest, TAKES).operands;
  if (name === null || (verb === "clone" && name === undefined)) return null;
  return { name, folder: folder ?? ".", access: verb === "push" ? "write" : "read" };
}
