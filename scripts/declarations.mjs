// The declarations of the package: one file with every type that an entry leads to, each once, and for each entry a file that names its own.
// A program's compiler reads these and nothing else of ours: no module, and no types of a package it may have in another version.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/**
 * Writes `types.d.ts` and one file for each entry. `apart` are entries that name types of other packages: what only they lead to stays in their
 * own file, so that nobody else needs those packages.
 */
export function writeDeclarations({ from, to, entries, apart }) {
  const modules = createModules(from);
  const exportsOf = (names) => new Map(names.map((name) => [name, modules.exportsOf(`${entries[name]}.d.ts`)]));
  const shared = exportsOf(Object.keys(entries).filter((name) => !apart.includes(name)));
  const own = exportsOf(apart);
  const common = reach([...shared.values()].flat(), modules, new Set());
  const strangers = [...common].filter(({ packages }) => packages.length > 0).map(({ name, file }) => `${name} of ${file}`);
  if (strangers.length > 0) throw new Error(`Declarations may not lead to other packages, and these do: ${strangers.join(", ")}`);
  const names = nameAll(common);
  writeFileSync(join(to, "types.d.ts"), `${LIBRARY}${[...common].map((one) => render(one, names)).join("\n")}\n`);
  for (const [name, exported] of shared) writeFileSync(join(to, `${name}.d.ts`), reexport(exported, names));
  for (const [name, exported] of own) {
    const alone = reach(exported, modules, common);
    const all = nameAll(alone, names);
    const lent = [...new Set([...alone].flatMap((one) => one.refs.map(({ to }) => to)).filter((one) => common.has(one)))];
    const packages = [...new Map([...alone].flatMap((one) => one.packages).map((one) => [`${one.from} ${one.name}`, one])).values()];
    const lines = [
      ...packages.map((one) => `import type { ${one.name} } from "${one.from}";`),
      ...(lent.length === 0 ? [] : [`import type { ${lent.map((one) => all.get(one)).join(", ")} } from "./types.js";`]),
      ...[...alone].map((one) => (isRenamed(one, exported, all) ? hidden(render(one, all)) : render(one, all))),
      ...renamed(
        exported.filter(({ declared }) => alone.has(declared)),
        all,
      ),
    ];
    const shares = exported.filter(({ declared }) => common.has(declared));
    if (shares.length > 0) lines.push(reexport(shares, all).trimEnd());
    writeFileSync(join(to, `${name}.d.ts`), `${lines.join("\n")}\n`);
  }
}

/** For `await using`, whatever library a program has chosen. */
const LIBRARY = '/// <reference lib="esnext.disposable" />\n';

function reexport(exported, names) {
  const list = exported.map(({ name, declared }) => (names.get(declared) === name ? name : `${names.get(declared)} as ${name}`));
  return `export { ${list.join(", ")} } from "./types.js";\n`;
}

/** Whether an entry hands it out under other names alone: its own name is then nothing that could be imported. */
const isRenamed = (one, exported, names) => {
  const given = exported.filter(({ declared }) => declared === one);
  return given.length > 0 && given.every(({ name }) => name !== names.get(one));
};

const hidden = (text) => text.replace(/^((?:\/\*\*[\s\S]*?\*\/\n)?)export (?=declare )/, "$1");

/** Names under which an entry hands out what is declared in its own file under another. */
function renamed(exported, names) {
  const list = exported.filter(({ name, declared }) => names.get(declared) !== name);
  return list.map(({ name, declared }) => `export { ${names.get(declared)} as ${name} };`);
}

/** Every declaration that these lead to, without what is known already. */
function reach(exported, modules, known) {
  const found = new Set(exported.map(({ declared }) => declared).filter((one) => !known.has(one)));
  for (const one of found) for (const { to } of modules.look(one).refs) if (!known.has(to)) found.add(to);
  return found;
}

/** Two that are named alike in different files get names of their own. */
function nameAll(declared, taken = new Map()) {
  const names = new Map(taken);
  const used = new Set(taken.values());
  for (const one of declared) {
    let name = one.name;
    for (let n = 2; used.has(name); n++) name = `${one.name}${n}`;
    used.add(name);
    names.set(one, name);
  }
  return names;
}

/** The text of a declaration, with the names that it and those it mentions got. */
function render(one, names) {
  const changes = [
    ...one.refs.map(({ start, end, to }) => ({ start, end, text: names.get(to) })),
    ...one.heads.map(({ start, end }) => ({ start, end, text: names.get(one) })),
  ].sort((a, b) => b.start - a.start);
  return changes.reduce((text, { start, end, text: next }) => text.slice(0, start) + next + text.slice(end), one.text);
}

function createModules(root) {
  const opened = new Map();
  const open = (file) => {
    if (!opened.has(file)) opened.set(file, readModule(file, readFileSync(join(root, file), "utf8")));
    return opened.get(file);
  };
  const follow = (file, spec) => join(dirname(file), spec.replace(/\.[jt]s$/, ".d.ts"));
  /** The declaration a name stands for in a file; a package's name; or null for what the language brings. */
  const resolve = (file, name) => {
    const { declared, imported, exported } = open(file);
    if (declared.has(name)) return declared.get(name);
    const origin = imported.get(name) ?? exported.get(name);
    if (!origin) return null;
    return origin.from.startsWith(".") ? resolve(follow(file, origin.from), origin.name) : { package: true, ...origin };
  };
  const look = (one) => {
    if (one.refs) return one;
    one.refs = [];
    one.packages = [];
    for (const { name, start, end, from } of one.mentions) {
      const target =
        from === undefined
          ? resolve(one.file, name)
          : from.startsWith(".")
            ? resolve(follow(one.file, from), name)
            : { package: true, from, name };
      if (target?.package) one.packages.push(target);
      else if (target) one.refs.push({ start, end, to: target });
      else if (from !== undefined) throw new Error(`${one.file}: ${from} has no ${name}`);
    }
    return one;
  };
  const exportsOf = (file) =>
    [...open(file).exported].map(([name, origin]) => {
      const declared = resolve(follow(file, origin.from), origin.name);
      if (!declared || declared.package) throw new Error(`${file} exports ${name}, and no file declares it`);
      return { name, declared: look(declared) };
    });
  return { exportsOf, look };
}

/** What a file declares, and where it has its other names from. */
function readModule(file, text) {
  const { program, comments, errors } = parseSync(file, text, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const declared = new Map();
  const imported = new Map();
  const exported = new Map();
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration")
      for (const one of statement.specifiers)
        imported.set(one.local.name, { from: statement.source.value, name: one.type === "ImportSpecifier" ? nameOf(one.imported) : "*" });
    else if (statement.type === "ExportNamedDeclaration" && statement.source)
      for (const one of statement.specifiers) exported.set(nameOf(one.exported), { from: statement.source.value, name: nameOf(one.local) });
    else if (statement.type === "ExportNamedDeclaration" && !statement.declaration) {
      for (const one of statement.specifiers)
        if (imported.has(nameOf(one.local))) exported.set(nameOf(one.exported), imported.get(nameOf(one.local)));
    } else
      for (const one of declarationsIn(file, text, statement, comments)) {
        const before = declared.get(one.name);
        // Overloads are one declaration.
        if (before) addOverload(before, one);
        else declared.set(one.name, one);
      }
  }
  return { declared, imported, exported };
}

const nameOf = (node) => node.name ?? node.value;

function addOverload(before, one) {
  const shift = before.text.length + 1;
  const moved = (list) => list.map((part) => ({ ...part, start: part.start + shift, end: part.end + shift }));
  before.text += `\n${one.text}`;
  before.mentions.push(...moved(one.mentions));
  before.heads.push(...moved(one.heads));
}

function* declarationsIn(file, text, statement, comments) {
  const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const ids = node.type === "VariableDeclaration" ? node.declarations.map(({ id }) => id) : node.id ? [node.id] : [];
  if (node.type === "VariableDeclaration" && ids.length > 1) throw new Error(`${file}: several constants in one statement`);
  for (const id of ids) {
    const comment = comments.findLast(({ end, type, value }) => type === "Block" && value.startsWith("*") && end <= statement.start);
    const isOurs = comment && text.slice(comment.end, statement.start).trim() === "";
    const head = isOurs ? `${text.slice(comment.start, comment.end)}\n` : "";
    const plain = text.slice(node.start, node.end).replace(/^declare /, "");
    const lead = /^(?:interface|type) /.test(plain) ? "export " : "export declare ";
    const base = node.start + (text.slice(node.start, node.end).length - plain.length);
    const shift = head.length + lead.length - base;
    const at = ({ start, end }) => ({ start: start + shift, end: end + shift });
    const idEnd = id.start + id.name.length;
    yield {
      file,
      name: id.name,
      text: head + lead + plain,
      heads: [at({ start: id.start, end: idEnd })],
      mentions: mentionsIn(node).map((one) => ({ ...one, ...at(one) })),
    };
  }
}

/** The names of other declarations inside one. */
function mentionsIn(node) {
  const found = [];
  const parameters = new Set();
  const add = (name) => {
    let first = name;
    while (first.type === "TSQualifiedName") first = first.left;
    while (first.type === "MemberExpression") first = first.object;
    if (first.type === "Identifier") found.push({ name: first.name, start: first.start, end: first.start + first.name.length });
  };
  new Visitor({
    TSTypeParameter: ({ name }) => void parameters.add(nameOf(name)),
    TSTypeReference: ({ typeName }) => add(typeName),
    TSTypeQuery: ({ exprName }) => exprName.type !== "TSImportType" && add(exprName),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    ClassDeclaration: ({ superClass }) => superClass && add(superClass),
    TSImportType(one) {
      if (one.qualifier?.type !== "Identifier") throw new Error("A declaration names a whole module.");
      found.push({ name: one.qualifier.name, from: one.source.value, start: one.start, end: one.qualifier.end });
    },
  }).visit({ type: "Program", body: [node], sourceType: "module", start: node.start, end: node.end, hashbang: null });
  return found.filter(({ name, from }) => from !== undefined || !parameters.has(name));
}
