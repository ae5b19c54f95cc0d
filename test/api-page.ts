import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import {
  type ArrowFunctionExpression,
  type Class,
  type Comment,
  type Function as FunctionNode,
  type Node,
  parseSync,
  Visitor,
} from "oxc-parser";
import { ENTRIES } from "../scripts/entries.mjs";

/** docs/api.md: every name that an entry of the package exports, with its comment and its types. */
export function apiPage(root: string): string {
  const { entries, exported } = readApi(root);
  const names = new Set(exported.map(({ name }) => name));
  const section = (symbol: Declared) => renderSection(symbol, names);
  const ofKind = (...kinds: readonly string[]) => sortByName(exported.filter(({ node }) => kinds.includes(kindOf(node))));
  return `# API reference

This page is generated from the types of the package; \`npm run docs\` writes it again, and a test compares it with the source. [embedding.md](embedding.md) shows how the parts work together, and [entries.md](entries.md) the parts that are usable alone.

${entries.map(({ name, symbols }) => `* \`${name}\`: ${importedLinks(sortByName(symbols.filter(({ node }) => kindOf(node) !== "type")))}`).join("\n")}

* Functions and constants: ${links(ofKind("function", "constant"))}
* Classes: ${links(ofKind("class"))}
* Types: ${links(ofKind("type"))}

## Functions and constants

${ofKind("function", "constant").map(section).join("\n")}
## Classes

${ofKind("class").map(section).join("\n")}
## Types

${ofKind("type").map(section).join("\n")}`;
}

/** What a program cannot name although a type leads to it, and what an editor shows without a word. */
export function apiGaps(root: string): { readonly unexported: readonly string[]; readonly uncommented: readonly string[] } {
  const { sources, exported } = readApi(root);
  const placed = ({ name, file }: Declared) => `${name} (${relative(root, file)})`;
  return {
    unexported: reachableFrom(exported, sources).map(placed),
    uncommented: exported.filter((symbol) => commentOf(symbol) === "").map(placed),
  };
}

function readApi(root: string) {
  const sources = createSources(root);
  const entries = Object.entries(ENTRIES).map(([name, module]) => ({
    name: name === "index" ? "zeph" : `zeph/${name}`,
    symbols: sources.exportsOf(join(root, "src", `${module}.ts`)),
  }));
  const exported = [...new Map(entries.flatMap(({ symbols }) => symbols).map((symbol) => [symbol.node, symbol])).values()];
  return { sources, entries, exported };
}

interface Declared {
  readonly name: string;
  /** The name that programs import, where an entry gives it another one. */
  readonly importedAs?: string;
  readonly node: Node;
  readonly file: string;
  readonly source: Source;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly Comment[];
}

type Sources = ReturnType<typeof createSources>;

/** Files are parsed once; a name is followed through re-exports and imports to the file that declares it. */
function createSources(root: string) {
  const parsed = new Map<string, Source>();
  const open = (file: string): Source => {
    const known = parsed.get(file);
    if (known) return known;
    const text = readFileSync(file, "utf8");
    const { program, comments, errors } = parseSync(file, text, { lang: "ts" });
    if (errors.length > 0) throw new Error(`${relative(root, file)}: ${errors[0]!.message}`);
    const source = { file, text, body: program.body, comments };
    parsed.set(file, source);
    return source;
  };
  const declared = (file: string, name: string): Declared | null => {
    const source = open(file);
    for (const statement of source.body) {
      const node = statement.type === "ExportNamedDeclaration" && statement.declaration ? statement.declaration : statement;
      if (namesOf(node).includes(name)) return { name, node, file, source };
    }
    for (const statement of source.body) {
      const origin = originOf(statement, name);
      if (origin?.from.startsWith(".")) return declared(join(dirname(file), origin.from), origin.name);
    }
    return null;
  };
  const exportsOf = (file: string): readonly Declared[] =>
    open(file).body.flatMap((statement) =>
      statement.type !== "ExportNamedDeclaration" || !statement.source
        ? []
        : statement.specifiers.map((specifier) => {
            const name = nameOf(specifier.local);
            const found = declared(join(dirname(file), statement.source!.value), name);
            if (!found) throw new Error(`${relative(root, file)} exports ${name}, and no file declares it.`);
            const given = nameOf(specifier.exported);
            return given === name ? found : { ...found, importedAs: given };
          }),
    );
  return { declared, exportsOf };
}

/** Where a file has a name from: an import of it, or a re-export. */
function originOf(statement: Node, name: string): { readonly from: string; readonly name: string } | null {
  if (statement.type === "ImportDeclaration")
    for (const specifier of statement.specifiers)
      if (specifier.type === "ImportSpecifier" && specifier.local.name === name)
        return { from: statement.source.value, name: nameOf(specifier.imported) };
  if (statement.type === "ExportNamedDeclaration" && statement.source)
    for (const specifier of statement.specifiers)
      if (nameOf(specifier.exported) === name) return { from: statement.source.value, name: nameOf(specifier.local) };
  return null;
}

const nameOf = (node: Node): string => ("name" in node ? String(node.name) : "value" in node ? String(node.value) : "");

function namesOf(node: Node): readonly string[] {
  if (node.type === "VariableDeclaration") return node.declarations.map(({ id }) => nameOf(id));
  return "id" in node && node.id && kindOf(node) !== "other" ? [nameOf(node.id as Node)] : [];
}

function kindOf(node: Node): "function" | "constant" | "class" | "type" | "other" {
  if (node.type === "VariableDeclaration") return node.declarations[0]?.init?.type === "ArrowFunctionExpression" ? "function" : "constant";
  if (node.type === "FunctionDeclaration" || node.type === "TSDeclareFunction") return "function";
  if (node.type === "ClassDeclaration") return "class";
  return node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration" ? "type" : "other";
}

/** Types that the signatures name, and those that these name, without the exported ones. */
function reachableFrom(exported: readonly Declared[], sources: Sources): readonly Declared[] {
  const known = new Map(exported.map((symbol) => [symbol.name, symbol]));
  const found: Declared[] = [];
  const queue = [...exported];
  for (let symbol = queue.shift(); symbol; symbol = queue.shift())
    for (const name of typesNamedBy(symbol)) {
      const next = sources.declared(symbol.file, name);
      if (!next || !["type", "class"].includes(kindOf(next.node))) continue;
      const same = known.get(name);
      // A heading and its links hold one meaning.
      if (same && same.node !== next.node) throw new Error(`Two types of the API are named ${name}: ${same.file}, ${next.file}.`);
      if (same) continue;
      known.set(name, next);
      found.push(next);
      queue.push(next);
    }
  return found;
}

/** Names in the text that is shown, not those inside a function's body. */
function typesNamedBy(symbol: Declared): readonly string[] {
  const { program } = parseSync("shown.ts", signatureOf(symbol), { lang: "dts" });
  const names = new Set<string>();
  new Visitor({
    TSTypeReference: ({ typeName }) => void names.add(nameOf(typeName)),
    TSInterfaceHeritage: ({ expression }) => void names.add(nameOf(expression)),
  }).visit(program);
  names.delete(symbol.name);
  return [...names];
}

function renderSection(symbol: Declared, names: ReadonlySet<string>): string {
  const mentioned = typesNamedBy(symbol).filter((name) => names.has(name));
  const refers = mentioned.length === 0 ? "" : `\nTypes named here: ${mentioned.map((name) => linkTo(name)).join(", ")}.\n`;
  const imported = symbol.importedAs === undefined ? "" : `Programs import it as \`${symbol.importedAs}\`.\n\n`;
  return `### ${symbol.name}

${commentOf(symbol)}${imported}\`\`\`ts
${signatureOf(symbol)}
\`\`\`
${refers}`;
}

/** The comment in front of a declaration, as one paragraph. */
function commentOf({ node, source }: Declared): string {
  const start = source.body.find((statement) => statement.start <= node.start && node.end <= statement.end)!.start;
  const comment = source.comments.find(({ type, end }) => type === "Block" && end < start && source.text.slice(end, start).trim() === "");
  if (!comment) return "";
  const text = comment.value
    .split("\n")
    .map((line) => line.replace(/^\s*\*\s?/, "").trim())
    .join(" ")
    .trim();
  return `${text}\n\n`;
}

function signatureOf({ name, node, source: { text } }: Declared): string {
  const slice = (part: Node) => text.slice(part.start, part.end);
  if (node.type === "VariableDeclaration") {
    const { init, id } = node.declarations.find((declaration) => nameOf(declaration.id) === name)!;
    if (init?.type === "ArrowFunctionExpression") return `function ${name}${parametersOf(init, slice)}`;
    return "typeAnnotation" in id && id.typeAnnotation ? `const ${slice(id)};` : `const ${name} = ${slice(init!)};`;
  }
  if (node.type === "FunctionDeclaration") return `function ${name}${parametersOf(node, slice)}`;
  if (node.type === "ClassDeclaration") return classSignature(node, text, slice);
  return slice(node);
}

type Slice = (part: Node) => string;
type WithParameters = ArrowFunctionExpression | FunctionNode;

/** What a caller has to know: a default makes a parameter optional, and a pattern is named after what it takes apart. */
function parametersOf(node: WithParameters, slice: Slice, returns: "declared" | "nothing" = "declared"): string {
  const parameters = node.params.map((parameter, n) => {
    const optional = parameter.type === "AssignmentPattern";
    const target = optional ? parameter.left : parameter;
    if (target.type === "Identifier" && !optional) return slice(target);
    const name = target.type === "Identifier" ? target.name : n === 0 ? "request" : "options";
    if (optional && parameter.right.type === "Literal") return `${name}?: ${typeof parameter.right.value}`;
    if (!("typeAnnotation" in target) || !target.typeAnnotation) throw new Error(`${slice(parameter)} has no declared type.`);
    return `${name}${optional ? "?" : ""}${slice(target.typeAnnotation)}`;
  });
  if (returns === "declared" && !node.returnType)
    throw new Error(`A function of the API has no declared result: ${slice(node).slice(0, 80)}`);
  const generic = node.typeParameters ? slice(node.typeParameters) : "";
  return `${generic}(${parameters.join(", ")})${node.returnType ? slice(node.returnType) : ""};`;
}

/** Members without their bodies; private ones are nobody's business outside. */
function classSignature(node: Class, text: string, slice: Slice): string {
  const members = node.body.body.flatMap((member, n) => {
    const isPrivate =
      "key" in member && (member.key.type === "PrivateIdentifier" || ("accessibility" in member && member.accessibility === "private"));
    if (isPrivate) return [];
    const before = text.slice(n === 0 ? node.body.start + 1 : node.body.body[n - 1]!.end, member.start).trim();
    const comment = before === "" ? [] : [`  ${before}`];
    if (member.type === "PropertyDefinition") return [...comment, `  ${slice(member)}`];
    if (member.type !== "MethodDefinition" || member.value.type !== "FunctionExpression") return [];
    const isConstructor = member.kind === "constructor";
    const signature = parametersOf(member.value, slice, isConstructor ? "nothing" : "declared");
    return [...comment, `  ${member.static ? "static " : ""}${slice(member.key)}${signature}`];
  });
  const heading = text.slice(node.start, node.body.start).trim();
  return [`${heading} {`, ...members, "}"].join("\n");
}

const sortByName = (symbols: readonly Declared[]) => [...symbols].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
const links = (symbols: readonly Declared[]) => symbols.map(({ name }) => linkTo(name)).join(", ");
const importedLinks = (symbols: readonly Declared[]) => symbols.map(({ name, importedAs }) => linkTo(name, importedAs)).join(", ");
const linkTo = (name: string, shown = name) => `[${shown}](#${name.toLowerCase()})`;
