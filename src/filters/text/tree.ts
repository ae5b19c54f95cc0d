import { type Line, standFor } from "../line.ts";
import { quoteListedName } from "./quote-names.ts";

/** Branches as `tree`, `eza`, `cargo tree` and others draw them, three or four columns for each level; in ASCII too. */
const BRANCH = /^((?:[│|][\s\u00a0]{2,3}|[\s\u00a0]{4})*)(?:[├└]─{1,2} |[├└]─┬ |[|`+\\]-- )(.*)$/;
/** As `npm ls` draws them: two columns for each level. */
const PACKAGE = /^((?:[│ ] )*)[├└]─[─┬] (.*)$/;
const FEWEST = 3;

/** How branches are drawn, and how what hangs on one is named and told apart. */
interface Drawing {
  readonly branch: RegExp;
  readonly width: number;
  readonly entry: (name: string) => string;
  readonly between: string;
}

/** Said of most packages of a large tree: they stand elsewhere in it. */
const DEDUPED = / deduped$/;

const FILES: Drawing = { branch: BRANCH, width: 4, entry: fileEntry, between: " " };
const PACKAGES: Drawing = { branch: PACKAGE, width: 2, entry: (name) => name.trimEnd(), between: ", " };

interface Node {
  readonly line: Line;
  readonly depth: number;
  readonly name: string;
  readonly children: Node[];
}

/** A drawn tree as indented lines: each folder once, the files in it after a colon. null: this is no tree. */
export const indentedTree = (lines: readonly Line[]): readonly Line[] | null => undrawn(lines, FILES);

/** Packages, those that need no others beside each other. Where no package was asked for, one that stands elsewhere is not told again. */
export function packageTree(lines: readonly Line[], asked: "all" | "some"): readonly Line[] | null {
  return undrawn(asked === "all" ? withoutDeduped(lines) : lines, PACKAGES);
}

function withoutDeduped(lines: readonly Line[]): readonly Line[] {
  const nameOf = ({ text }: Line): string => (PACKAGE.exec(text)?.[2] ?? "").trimEnd().replace(DEDUPED, "");
  const isDeduped = ({ text }: Line): boolean => DEDUPED.test(text.trimEnd());
  const told = new Set(lines.filter((line) => !isDeduped(line)).map(nameOf));
  return lines.filter((line) => {
    if (!isDeduped(line)) return true;
    const isNew = !told.has(nameOf(line));
    told.add(nameOf(line));
    return isNew;
  });
}

function undrawn(lines: readonly Line[], drawing: Drawing): readonly Line[] | null {
  const shown: (Node | Line)[] = [];
  const above: Node[] = [];
  let drawn = 0;
  for (const [at, line] of lines.entries()) {
    const node = nodeOf(line, lines[at + 1], drawing);
    if (!node) {
      above.length = 0;
      shown.push(line);
      continue;
    }
    if (node.depth > 0) drawn++;
    above.length = Math.min(above.length, node.depth);
    // A tree that was cut begins with children whose parent is missing.
    const siblings = above[node.depth - 1]?.children ?? shown;
    siblings.push(node);
    above[node.depth] = node;
  }
  return drawn < FEWEST ? null : shown.flatMap((item) => ("children" in item ? told(item, drawing) : [item]));
}

/** A line that is no branch is the root of the branches below it, or a word beside the tree. */
function nodeOf(line: Line, next: Line | undefined, { branch, width }: Drawing): Node | null {
  const [, stem, name] = branch.exec(line.text) ?? [];
  if (stem !== undefined && name !== undefined) return { line, depth: 1 + Math.round(stem.length / width), name, children: [] };
  return line.text !== "" && branch.test(next?.text ?? "") ? { line, depth: 0, name: line.text, children: [] } : null;
}

/** A folder with its files, then the folders in it. */
function told({ line, depth, name, children }: Node, drawing: Drawing): Line[] {
  const { entry, between } = drawing;
  const files = children.filter((child) => child.children.length === 0);
  const folders = children.filter((child) => child.children.length > 0);
  const folder = `${" ".repeat(depth)}${entry(name)}${children.length > 0 ? ":" : ""}`;
  const text = [folder, ...(files.length > 0 ? [files.map((file) => entry(file.name)).join(between)] : [])].join(" ");
  return [standFor(text, [line, ...files.map((file) => file.line)]), ...folders.flatMap((child) => told(child, drawing))];
}

/** `[drwxr-xr-x root] name`, `link->target`: what is beside a name is no part of it. */
function fileEntry(text: string): string {
  const [, about, rest = text] = /^\[([^\]]+)\] {1,2}(.*)$/.exec(text) ?? [];
  const name = rest.split(" -> ").map(quoteListedName).join("->");
  return about === undefined ? name : `[${about.trim().replace(/ +/g, " ")}] ${name}`;
}
