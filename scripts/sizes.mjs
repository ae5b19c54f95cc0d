// Warns about files and folders of src that have grown large. A warning and no error: a file is split when it has two ideas, not because of its length.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const MAX_LINES = 400;
const MAX_FILES = 30;
/** Made by the build. */
const GENERATED = /(?:built-in|built-in-assets|config-input)\.ts$/;

export function findLargeOnes(root = ".") {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !GENERATED.test(name))
    .map((name) => join("src", name));
  const folders = new Map();
  for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  return [
    ...files
      .map((file) => [file, readFileSync(join(root, file), "utf8").split("\n").length - 1])
      .filter(([, lines]) => lines > MAX_LINES)
      .map(([file, lines]) => `${file} has ${lines} lines (more than ${MAX_LINES}): does it have two ideas?`),
    ...[...folders]
      .filter(([, count]) => count > MAX_FILES)
      .map(([folder, count]) => `${folder} holds ${count} files (more than ${MAX_FILES}): are some of them a group of their own?`),
  ];
}

export function printSizes() {
  for (const warning of findLargeOnes()) process.stdout.write(`warning: ${warning}\n`);
}
