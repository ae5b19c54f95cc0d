// Which file imports which, over src/ and test/. The test projects and the mutation check are decided by it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";

/** Statements as the formatter writes them: at the start of a line. A type that is imported alone is nothing at run time. */
const STATIC = /^(?:import|export)(?! type\b)(?:[^;"'`]*? from)? "([^"]+)";?$/gm;
const DYNAMIC = /\bimport\("([^"]+)"\)/g;

/** Every TypeScript file of the folders with what it imports: paths from the root for our own files, names for all others. */
export function readImports(root = ".", folders = ["src", "test"]) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
      .map((name) => join(folder, name)),
  );
  return new Map(files.sort().map((file) => [file, importsOf(file, readFileSync(join(root, file), "utf8"))]));
}

export function importsOf(file, text) {
  return namesIn(file, [...text.matchAll(STATIC), ...text.matchAll(DYNAMIC)]);
}

/** What is loaded together with the file; `import("…")` waits until it is needed. */
export const importsAtOnce = (file, text) => namesIn(file, [...text.matchAll(STATIC)]);

function namesIn(file, matches) {
  const found = matches.map(([, name]) => name);
  return [...new Set(found.map((name) => (name.startsWith(".") ? join(dirname(file), name) : name)))];
}

/** Everything a file loads, directly or through others, itself included. */
export function reachOf(file, imports) {
  const reached = new Set([file]);
  for (const one of reached) for (const next of imports.get(one) ?? []) reached.add(next);
  return reached;
}
