import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder as it really lies. */
export const makeBase = (name: string): string => realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));

/** What a command or a partner left in it may be shut, or longer than Node takes as a path. */
export function removeBase(base: string): void {
  execFileSync("sh", ["-c", 'chmod -R u+rwX "$1"; rm -rf "$1"', "sh", base], { stdio: "ignore" });
}

/** Writes a file, and makes the folders above it. */
export function writeWithFolders(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
