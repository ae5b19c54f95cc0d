import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Texts about packages, what they were made from, and programs for other machines. */
const LEFT_OUT = /\.(?:md|map|ts|mts|cts|c|cc|h)$|\/prebuilds\/(?!linux-x64|linux-arm64)|\/sqlite\/src$/;
const ROOT = resolve(".");
/** What the command does not have inside. */
const BESIDE_COMMAND = new Set(["@photostructure/sqlite", "@vscode/ripgrep"]);

/**
 * Lays Zeph into a project as `npm install zeph` does: the files that the package ships, and the packages it needs, each a file of its own. Nothing is
 * asked of a registry. Returns the folder of the package.
 */
export function installZeph(project: string, purpose: "command" | "library"): string {
  const modules = join(project, "node_modules");
  const zeph = join(modules, "zeph");
  mkdirSync(join(zeph, "dist"), { recursive: true });
  const copy = (from: string, to: string) =>
    cpSync(from, to, { recursive: true, filter: (path) => !/\.code$|\/\.[^/]*$/.test(path) && !LEFT_OUT.test(path) });
  for (const name of ["bin", "vendor", "dist/cli", "config.schema.json"]) copy(join(ROOT, name), join(zeph, name));
  // Declarations are part of the list of files.
  for (const name of ["dist/lib", "dist/files.json", "package.json", "vendor/README.md"])
    cpSync(join(ROOT, name), join(zeph, name), { recursive: true });
  const seen = new Set<string>();
  const open = [join(ROOT, "package.json")];
  for (let manifest = open.pop(); manifest !== undefined; manifest = open.pop()) {
    const { name: of, dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (of === "zeph" && purpose === "command" && !BESIDE_COMMAND.has(name)) continue;
      const folder = join(ROOT, "node_modules", name);
      if (seen.has(name) || !existsSync(folder)) continue;
      seen.add(name);
      copy(realpathSync(folder), join(modules, name));
      open.push(join(folder, "package.json"));
    }
  }
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../zeph/bin/zeph.cjs", join(modules, ".bin/zeph"));
  writeFileSync(join(project, "package.json"), '{"name":"p","version":"1.0.0"}\n');
  return zeph;
}

/** ripgrep as it is installed there. */
export const ripgrepIn = (project: string): string =>
  join(project, "node_modules/@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin/rg");
