import { makeOnce } from "../../text/make-once.ts";
import { identifiersIn } from "./search-code-terms.ts";

/** A definition and the lines that belong to it, what is said above it among them. */
export interface CodeSection {
  /** `Matches.add`; null for what belongs to the file alone. */
  readonly symbol: string | null;
  /** The last part of the symbol. */
  readonly name: string | null;
  /** Where it is defined; 0 for the file. */
  readonly line: number;
  /** Numbers of its lines, from 1, blank ones left out. */
  readonly lines: number[];
}

/** The sections of a file, in the order they begin. Indentation tells where one ends: it holds for every language people lay out. */
export function sectionsOf(lines: readonly string[], path: string): readonly CodeSection[] {
  const file: Open = { section: { symbol: null, name: null, line: 0, lines: [] }, indent: -1 };
  const sections = [file.section];
  const open = [file];
  /** Comments and decorators: they belong to what comes next. */
  let above: number[] = [];
  const isHeading = /\.(?:md|mdx|markdown)$/i.test(path);

  for (const [index, text] of lines.entries()) {
    const number = index + 1;
    const indent = text.search(/\S/);
    if (indent === -1) continue;
    if (!isHeading && /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:define|include|if|endif|else|undef|pragma)\b)|--\s|;;|@\p{L}|""")/u.test(text)) {
      above.push(number);
      continue;
    }
    // Where the body begins on the next line, the bracket is what tells a definition from a call.
    const name = isHeading ? headingIn(text) : definedIn(lines[index + 1]?.trim() === "{" ? `${text.trimEnd()} {` : text);
    const isGoingOn =
      name === null && /^\s*(?:[)\]}{]|end\b|else\b|elif\b|except\b|rescue\b|finally\b|catch\b|case\b|default\b)/.test(text);
    while (open.length > 1 && (isHeading ? name !== null : indent <= open.at(-1)!.indent && !isGoingOn)) open.pop();
    if (name !== null) {
      const outer = open.at(-1)!.section.symbol;
      const section = { symbol: outer === null || open.length > MOST_NESTED ? name : `${outer}.${name}`, name, line: number, lines: [] };
      sections.push(section);
      open.push({ section, indent });
    }
    const { section } = open.at(-1)!;
    section.lines.push(...above, number);
    above = [];
  }
  file.section.lines.push(...above);
  return sections;
}

interface Open {
  readonly section: CodeSection;
  readonly indent: number;
}

const MOST_NESTED = 4;
const LONGEST = 400;
const NAME = "[\\p{L}_$][\\p{L}\\p{N}\\p{M}_$]*";
const MODIFIERS =
  "(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|sealed|override|async|pub(?:\\([a-z]+\\))?|unsafe|extern|inline|open|data|virtual|partial|local|typedef|const|suspend)\\s+)*";
const pattern = (source: string) => new RegExp(source, "u");

/** How a definition begins that says what it is, with its name in the first group. Each is tried on a short line only. */
const keywords = makeOnce((): readonly RegExp[] => [
  pattern(
    `^\\s*${MODIFIERS}(?:function\\*?|class|interface|type|enum(?:\\s+class)?|namespace|module|trait|struct|union|def|defp|defmodule|fn|fun|macro_rules!|object|record|protocol|extension|mod)\\s+(?:self\\.)?(${NAME}[?!]?)`,
  ),
  // Go: the receiver stands before the name.
  pattern(`^\\s*(?:${MODIFIERS})func\\s+(?:\\([^)]*\\)\\s*)?(${NAME})`),
  pattern(`^\\s*(?:unsafe\\s+)?impl\\b(?:<[^>]*>)?\\s+(?:[^{]*\\sfor\\s+)?&?(${NAME})`),
  pattern(`^\\s*#\\s*define\\s+(${NAME})`),
  pattern(`^\\s*(?:function\\s+)?([\\p{L}_][\\p{L}\\p{N}_-]*)\\s*\\(\\)\\s*\\{`),
  /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|trigger|index)\s+(?:if\s+not\s+exists\s+)?["`[]?([\p{L}_][\p{L}\p{N}_.]*)/iu,
]);
const values = makeOnce((): readonly RegExp[] => [
  // A value counts at the margin, or where it is a function.
  pattern(`^(?:export\\s+)?(?:pub(?:\\([a-z]+\\))?\\s+)?(?:const|let|var|static|val)\\s+(?:mut\\s+)?(${NAME})`),
  pattern(`^\\s+(?:const|let|var)\\s+(${NAME})\\s*=\\s*(?:async\\s*)?(?:function\\b|\\([^=]*=>|${NAME}\\s*=>)`),
  // One that ends with a semicolon after a colon is a type's member: it says that there is such a thing elsewhere.
  pattern(`^\\s*(?:static\\s+|readonly\\s+)*(#?${NAME})\\s*(?:=|:(?!.*;\\s*$))\\s*(?:async\\s*)?(?:function\\b|\\(.*=>|${NAME}\\s*=>)`),
  pattern(`^([A-Z][A-Z\\d_]+)\\s*(?::[^=]*)?=[^=]`),
]);

/** The name a line defines, in any of the common languages; null where it defines none. */
export function definedIn(line: string): string | null {
  if (line.length > LONGEST) return null;
  return named(line, keywords()) ?? methodIn(line) ?? named(line, values());
}

function named(line: string, patterns: readonly RegExp[]): string | null {
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

const NO_METHOD = new Set(
  "if for foreach while switch catch return else do new throw await yield function with using lock match when unless until elif and or not case typeof delete in of super this".split(
    " ",
  ),
);

/** `static int parse(char *text) {`: a name before the first bracket, nothing but types before it, and a body. */
function methodIn(line: string): string | null {
  const at = line.indexOf("(");
  if (at < 1 || !line.trimEnd().endsWith("{") || !isBalanced(line)) return null;
  const before = line.slice(0, at).trim();
  if (!/^[\p{L}\p{N}_$#~*&<>[\],:?\s]+$/u.test(before)) return null;
  const words = identifiersIn(before);
  const name = words.at(-1);
  return name === undefined || words.some((word) => NO_METHOD.has(word)) || !/[\p{L}\p{N}_$>]$/u.test(before) ? null : name;
}

/** A call whose last argument is a function ends like a definition, with its bracket still open. */
const isBalanced = (line: string) => line.split("(").length === line.split(")").length;

const headingIn = (line: string): string | null => /^#{1,6}\s+(.{1,80})/.exec(line)?.[1]?.trim() ?? null;
