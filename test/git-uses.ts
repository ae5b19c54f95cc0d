import type { Node } from "oxc-parser";

/** Every file that may start programs, or may have one started, and names git other than to compare a word with it; and what it does with the name. */
export const GIT_USES: Readonly<Record<string, string>> = {
  "src/fleet/workspace/git.ts": "asks git outside the walls, in git folders that no command can write",
  "src/host/protected/git-changes.ts": "asks git behind walls in which nothing can be written and no network is open",
  "src/runtime/doctor.ts": "says where git lies",
  "src/front/cli/doctor/machine.ts": "prints the name",
};

/** A text that is git's name, or ends a path with it. */
export function isGitName(node: Node): boolean {
  const text = node.type === "Literal" ? node.value : node.type === "TemplateElement" && node.tail ? node.value.cooked : null;
  return typeof text === "string" && /(?:^|\/)git$/.test(text);
}
