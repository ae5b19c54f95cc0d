import { isBlank, type Line } from "../line.ts";
import { type Commit, readCommit } from "./commit.ts";
import { type FileDiff, readFile } from "./file.ts";
import { withoutGraph } from "./graph.ts";

export type GitPart =
  | { readonly kind: "text"; readonly line: Line }
  | { readonly kind: "commit"; readonly commit: Commit }
  | { readonly kind: "file"; readonly file: FileDiff };

/** Commits, the diffs of files, and everything else line by line. null: there are neither. */
export function readGitParts(printed: readonly Line[]): readonly GitPart[] | null {
  const lines = withoutGraph(printed);
  const parts: GitPart[] = [];
  let isKnown = false;
  for (let at = 0; at < lines.length; ) {
    const commit = readCommit(lines, at);
    const diff = commit ? null : readFile(lines, at);
    if (commit) parts.push({ kind: "commit", commit: commit.commit });
    else if (diff) parts.push({ kind: "file", file: diff.file });
    else parts.push({ kind: "text", line: lines[at]! });
    isKnown ||= commit !== null || diff !== null;
    at = (commit ?? diff)?.next ?? at + 1;
  }
  return isKnown ? parts.filter((part, n) => !isLayout(part, parts[n - 1], parts[n + 1])) : null;
}

/** Blank lines around what we know. */
const isLayout = (part: GitPart, before: GitPart | undefined, after: GitPart | undefined): boolean =>
  part.kind === "text" && isBlank(part.line) && (before?.kind !== "text" || after?.kind !== "text");
