import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { parseSync } from "oxc-parser";

/** A file of the tree, and what is read of it here. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** One exported name: where it is, and for a function what it returns. */
export interface Exported {
  readonly file: string;
  readonly name: string;
  readonly kind: "function" | "type" | "value";
  /** The members that hold functions, where a function returns an object of its own; "function" where it returns a function. */
  readonly returns: readonly string[] | "function" | null;
}

/** File names that say nothing until the file is opened. As a whole name, or as a part between dashes. */
const RIDDLES = new Set(
  "asked bench brains briefly desk echo errand following found gated hearing kept mind named nowhere recorded rooms seen shelf standing talk talking thing things told unheard voice whole".split(
    " ",
  ),
);

export const readTree = (root: string, folder: string, kind: "code" | "tests"): SourceText[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules") && name.endsWith(".test.ts") === (kind === "tests"))
    .sort()
    .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(join(root, folder, name), "utf8") }));

/** Names that more than one folder exports, each with the files that do. */
export function sharedNames(all: readonly Exported[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const { name, file } of all) files.set(name, [...new Set([...(files.get(name) ?? []), file])]);
  return new Map([...files].filter(([, list]) => list.length > 1));
}

/** A function that hands out functions: `openX` where there is something to close, else `createX`, or another verb for what it does. */
export const factoryProblems = (all: readonly Exported[]): string[] =>
  all.flatMap(({ name, kind, returns }) => {
    if (kind !== "function" || returns === null) return [];
    if (returns === "function") return /^[a-z]+(ing|ed)$/.test(name) ? [name] : [];
    const [verb] = /^[a-z]+/.exec(name) ?? [""];
    if (verb === "open") return returns.includes("close") ? [] : [name];
    if (verb === "create") return returns.includes("close") ? [name] : [];
    return name !== verb && VERBS.has(verb) ? [] : [name];
  });

/** Other verbs that a function which hands out functions may begin with: it does this at once, and what it returns goes on with it. */
const VERBS = new Set("begin choose define find gather govern hold listen parse read remember serve start watch with".split(" "));

export const riddleFiles = (files: readonly string[]): string[] =>
  files.filter((file) =>
    file
      .slice(file.lastIndexOf("/") + 1)
      .replace(/(\.test)?\.ts$/, "")
      .split("-")
      .some((word) => RIDDLES.has(word)),
  );

/** What a file exports by a declaration of its own; a name it only hands on is not counted. */
export function exportsOf({ file, text }: SourceText): Exported[] {
  const { program } = parseSync(file, text, { lang: "ts" });
  return (program.body as any[]).flatMap((node): Exported[] => {
    const declared = node.type === "ExportNamedDeclaration" ? node.declaration : null;
    if (!declared) return [];
    if (/^TS(Interface|TypeAlias|Enum)Declaration$/.test(declared.type) || declared.type === "ClassDeclaration")
      return [{ file, name: declared.id.name, kind: "type", returns: null }];
    if (declared.type === "FunctionDeclaration") return [{ file, name: declared.id.name, kind: "function", returns: returned(declared) }];
    if (declared.type !== "VariableDeclaration") return [];
    return declared.declarations.flatMap(({ id, init }: any): Exported[] => {
      if (id.type !== "Identifier") return [];
      const isFunction = isFunctionNode(init);
      return [{ file, name: id.name, kind: isFunction ? "function" : "value", returns: isFunction ? returned(init) : null }];
    });
  });
}

const isFunctionNode = (node: any): boolean => node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";

function returned(fn: any): Exported["returns"] {
  if (fn.async || fn.generator) return null;
  const last =
    fn.body?.type === "BlockStatement" ? fn.body.body.findLast(({ type }: any) => type === "ReturnStatement")?.argument : fn.body;
  const value = plainExpression(last);
  if (isFunctionNode(value)) return "function";
  if (value?.type !== "ObjectExpression") return null;
  const inside = new Set<string>(
    (fn.body?.type === "BlockStatement" ? fn.body.body : []).flatMap((node: any) =>
      node.type === "FunctionDeclaration"
        ? [node.id.name]
        : node.type === "VariableDeclaration"
          ? node.declarations.filter(({ init }: any) => isFunctionNode(init)).map(({ id }: any) => id.name)
          : [],
    ),
  );
  const members = value.properties
    .filter(
      (one: any) =>
        one.type === "Property" && (isFunctionNode(one.value) || (one.value.type === "Identifier" && inside.has(one.value.name))),
    )
    .map(({ key }: any) => key.name ?? key.value);
  return members.length > 0 ? members : null;
}

const plainExpression = (node: any): any =>
  node && /^(TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(node.type) ? plainExpression(node.expression) : node;

/** Full names of a file's tests: the words of each `describe` around it, then its own. A name that is computed is left out. */
export function testNames({ file, text }: SourceText): string[] {
  const { program } = parseSync(file, text, { lang: "ts" });
  const names: string[] = [];
  const visit = (node: any, around: readonly string[]): void => {
    if (Array.isArray(node)) for (const child of node) visit(child, around);
    else if (typeof node?.type === "string") {
      const call = node.type === "CallExpression" ? titleOf(node) : null;
      if (call?.as === "test") names.push([...around, call.title].join(" "));
      const inner = call?.as === "describe" ? [...around, call.title] : around;
      for (const child of Object.values(node)) if (typeof child === "object" && child !== null) visit(child, inner);
    }
  };
  visit(program, []);
  return names;
}

function titleOf(call: any): { as: "test" | "describe"; title: string } | null {
  const [first] = call.arguments;
  const title = first?.type === "Literal" ? first.value : first?.type === "TemplateLiteral" ? templateText(first) : null;
  if (typeof title !== "string") return null;
  let callee = call.callee;
  while (callee.type === "MemberExpression" || callee.type === "CallExpression")
    callee = callee.type === "CallExpression" ? callee.callee : callee.object;
  if (callee.type !== "Identifier") return null;
  if (/^(it|test)$/.test(callee.name)) return { as: "test", title };
  return callee.name === "describe" ? { as: "describe", title } : null;
}

/** A value in the middle of a name stands for one word. */
const templateText = ({ quasis }: any): string => quasis.map(({ value }: any) => value.cooked).join("something");

/**
 * A sentence has a subject and a verb: at least three words, of which the first is no verb and a later one is. A name with a place for a value
 * (`%s`) is a row of a table, which brings its words itself.
 */
export const isSentence = (name: string): boolean => {
  if (/%[sjdifo#]|\$\w/.test(name)) return true;
  const words = name.split(/[\s,;:]+/).filter((word) => word !== "");
  return words.length >= 3 && !BARE_VERB.test(words[0]!) && words.slice(1).some((word) => VERB.test(word));
};

const VERB =
  /^(?:am|be|is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|will|would|should|agree|ask|begin|come|cost|cut|die|end|find|fit|follow|get|give|go|hear|hold|keep|know|leave|let|lift|lose|make|mean|meet|need|pass|put|read|run|say|see|share|stand|stay|take|tell|wait|work|write|\w+n't|[a-z-]{2,}(?<!s|u|i)s|[a-z]+ed|(?:be|for|under)?(?:came|gave|got|held|kept|knew|left|lost|made|met|ran|said|sat|saw|sent|shut|stood|thought|told|took|went|won|wrote))$/;
/** The third person of verbs that tests begin with where nobody says who does it. */
const BARE_VERB =
  /^(?:accepts|adds|agrees|allows|answers|asks|begins|brings|builds|can|carries|changes|checks|cleans|closes|colours|comes|completes|could|counts|cuts|decides|denies|does|doubles|draws|ends|escapes|exits|explains|fails|finds|follows|forgets|gives|goes|has|hides|holds|ignores|is|judges|keeps|knows|leaves|lets|lifts|lists|looks|makes|marks|matches|mentions|names|needs|never|offers|opens|parses|passes|prints|puts|reads|refuses|remembers|removes|reports|resolves|returns|rejects|runs|says|sees|sends|shows|speaks|splits|squeezes|starts|stays|stops|takes|tells|throws|tries|turns|understands|uses|waits|warns|works|writes|multiplies|disturbs)$/;
