// dist/files.json: a hash of each file that the package ships and runs, and the packages that the command loads from beside itself.
// Where commands may write the package, only what agrees with it is started (src/files/private-copy.ts).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Code that V8 made of a bundle at an earlier start lies beside the bundle, and is no part of the package. */
const MADE_LATER = /\.code$|\/\./;

export function writeFileList(packages, root = ".") {
  const files = ["package.json", ...["bin", "dist/cli", "dist/lib", "vendor"].flatMap((folder) => below(root, folder))];
  const hashes = Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(root, name)))
        .digest("hex"),
    ]),
  );
  const list = `${JSON.stringify({ files: hashes, packages })}\n`;
  writeFileSync(join(root, "dist/files.json"), list);
  return list;
}

const below = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${folder}/${join(entry.parentPath ?? entry.path, entry.name).slice(join(root, folder).length + 1)}`)
    .filter((name) => !MADE_LATER.test(name))
    .sort();
