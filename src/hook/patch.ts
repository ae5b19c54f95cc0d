import { posix } from "node:path";
import type { StandInCall } from "./tools.ts";

/**
 * What the patches in a text would do, as calls of our own tools; a text says why that cannot be told. A patch is the argument of a tool, or a
 * here-document in a command: there it may only stand behind `cd`, because its paths are meant from where the shell is then.
 */
export function readPatches(text: string, from: "patch" | "shell"): readonly StandInCall[] | string {
  const starts = text.split("\n").filter((line) => line.includes(BEGIN)).length;
  if (starts === 0) return from === "shell" ? [] : "there is no patch in it";
  if (starts > 1) return "there is more than one patch in it";
  const at = from === "shell" ? folderBefore(text) : "";
  if (at === null) return "a patch stands in the middle of a command";
  const body = text.slice(text.indexOf(BEGIN) + BEGIN.length);
  const end = body.indexOf("\n*** End Patch");
  return end === -1 ? "a patch has no end" : readPatch(body.slice(0, end), at);
}

const BEGIN = "*** Begin Patch";

/** The folder a shell is in when it comes to the patch; null when that cannot be told. */
function folderBefore(command: string): string | null {
  const found = /^\s*(?:cd\s+([\w./~-]+)\s*&&\s*)?apply_?patch\s*<<-?\s*(['"]?)(\w+)\2\s*\n\*\*\* Begin Patch/.exec(command);
  if (!found) return null;
  const rest = command.slice(command.indexOf("\n*** End Patch") + 1).split("\n");
  // Nothing may come behind the here-document.
  const isLast = rest[1]?.trim() === found[3] && rest.slice(2).every((line) => line.trim() === "");
  return isLast ? (found[1] ?? "") : null;
}

function readPatch(body: string, at: string): readonly StandInCall[] | string {
  const calls: StandInCall[] = [];
  let part: { verb: string; path: string; before: string[]; after: string[]; to?: string } | null = null;
  const take = () => {
    if (part) calls.push(...callsOf(part));
    part = null;
  };
  for (const line of body.split("\n")) {
    const header = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(line.trimEnd());
    if (header?.[1] === "Move to" && part) (part as { to?: string }).to = join(at, header[2]!);
    else if (header && header[1] !== "Move to") {
      take();
      part = { verb: header[1]!, path: join(at, header[2]!), before: [], after: [] };
    } else if (line.startsWith("*** End of File") || line.trim() === "") continue;
    else if (line.startsWith("***") || !part) return "a patch has a line that is not known";
    else if (line.startsWith("+")) (part as { after: string[] }).after.push(line.slice(1));
    else if (line.startsWith("-")) (part as { before: string[] }).before.push(line.slice(1));
  }
  take();
  return calls.length > 0 ? calls : "a patch changes nothing";
}

const join = (at: string, path: string): string =>
  at === "" || path.startsWith("/") || path.startsWith("~") ? path : posix.join(at, path);

function callsOf({
  verb,
  path,
  before,
  after,
  to,
}: {
  verb: string;
  path: string;
  before: readonly string[];
  after: readonly string[];
  to?: string;
}): readonly StandInCall[] {
  if (verb === "Add File") return [{ tool: "write", args: { path, content: after.join("\n") } }];
  if (verb === "Delete File") return [{ tool: "delete_path", args: { path } }];
  const edit = { tool: "edit", args: { path, old_string: before.join("\n"), new_string: after.join("\n") } };
  return to === undefined ? [edit] : [edit, { tool: "move_path", args: { source: path, destination: to } }];
}
