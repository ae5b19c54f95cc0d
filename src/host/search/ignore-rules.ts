import { readOwnText } from "../../files/own-file.ts";
import { statExact } from "../../files/stat.ts";
import { escapeGlob } from "../../text/glob.ts";
import { nameOf, parentOf } from "../../text/path.ts";

/** What git and people write is far smaller. */
export const MAX_RULES = 1024 * 1024;
const MOST_TEXT = 8 * 1024 * 1024;
/** Rules by the file they stand in. What comes later here wins over what comes before. */
const IN_ORDER = ["exclude", ".gitignore", ".ignore", ".rgignore"] as const;
type Kind = (typeof IN_ORDER)[number];

/** Ignore files of a tree, read with our own opener and put into one list for the folder that is searched. */
export class IgnoreRules {
  readonly #lines: Record<Kind, string[]> = { exclude: [], ".gitignore": [], ".ignore": [], ".rgignore": [] };
  #room = MOST_TEXT;

  /** Of a file above only rules that hold at any depth: what else it names lies beside the folder that is searched, or is it. */
  addAbove(file: string, isRepository: boolean): void {
    const kind = IN_ORDER.find((name) => name === nameOf(file)) ?? (nameOf(file) === "ignore" ? "exclude" : null);
    if (kind === null || (!isRepository && isGit(kind))) return;
    this.#lines[kind].push(...this.#read(file).filter((line) => !isAnchored(line)));
  }

  /** Those of a folder that is searched, or of one below. */
  addFolder({ folder, below, inside, isRepository }: { folder: string; below: string; inside: string; isRepository: boolean }): void {
    // A rule is a line, so none can name such a folder.
    if (/[\r\n]/.test(below)) return;
    for (const kind of IN_ORDER) {
      if (isGit(kind) && !isRepository) continue;
      const file = kind === "exclude" ? `${folder}/.git/info/exclude` : `${folder}/${kind}`;
      this.#lines[kind].push(...this.#read(file, inside).map((line) => placed(line, below)));
    }
  }

  text(): string {
    return IN_ORDER.flatMap((kind) => this.#lines[kind]).join("\n");
  }

  #read(file: string, inside?: string): string[] {
    const text = readOwnText(file, { maxBytes: Math.min(MAX_RULES, this.#room), ...(inside !== undefined && { inside }) }) ?? "";
    this.#room -= text.length;
    return text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  }
}

const isGit = (kind: Kind): boolean => kind === "exclude" || kind === ".gitignore";
const isAnchored = (line: string): boolean =>
  line
    .replace(/^!/, "")
    .replace(/\/\s*$/, "")
    .includes("/");

/** A rule of a folder below as the folder that is searched would have to say it. */
function placed(line: string, below: string): string {
  if (below === "") return line;
  const [not, rule] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
  const where = escapeGlob(below);
  return isAnchored(line) ? `${not}${where}/${rule.replace(/^\//, "")}` : `${not}${where}/**/${rule}`;
}

/** git's own ignore files count only in a repository. */
export function isInRepository(folder: string, upTo = "/"): boolean {
  if (statExact(`${folder}/.git`) !== null) return true;
  return folder !== upTo && folder !== "/" && isInRepository(parentOf(folder), upTo);
}
