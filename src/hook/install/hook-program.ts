import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readOwnFile } from "../../files/own-file.ts";
import { version } from "../../files/version.ts";
import { attempt } from "../../text/attempt.ts";

/**
 * What a client runs, by its absolute path: of two versions on PATH the older one would answer. The small client where this package brings one, else
 * the whole program, which takes longer to start.
 */
export function hookProgram(): readonly string[] {
  const root = rootOfPackage();
  const small = join(root, "bin", "zeph-hook");
  return existsSync(small) ? [small] : [process.execPath, join(root, "bin", "zeph.cjs"), "hook", "run"];
}

const rootOfPackage = (): string => realpathSync(dirname(createRequire(import.meta.url).resolve("zeph/package.json")));

/** The folder of this package as it really is; null where it was bundled into another program. */
export const packageRoot = (): string | null => attempt(rootOfPackage, null);

/** What a program was when hooks were installed. */
export interface ProgramSign {
  readonly version: string;
  readonly hash: string;
}

const MOST_BYTES = 4 * 1024 * 1024;
/** Beside the program: what it hands on to. */
const PARTS = ["../vendor/zeph-hook-linux-x64", "../vendor/zeph-hook-linux-arm64", "hook-client.cjs"];

/** The program and what it hands on to, as they are now; null where the program is not there. */
export function signOfProgram([program = ""]: readonly string[]): ProgramSign | null {
  const bytesOf = (path: string) => attempt(() => readOwnFile(path, { maxBytes: MOST_BYTES }).bytes, null);
  if (bytesOf(program) === null) return null;
  const hash = createHash("sha256");
  for (const path of [program, ...PARTS.map((name) => join(dirname(program), name))]) hash.update(bytesOf(path) ?? "").update("\0");
  return { version: version(), hash: hash.digest("hex") };
}

/** How a program is not what it was; null where it is, or nobody knows what it was. */
export function programFault(program: readonly string[], before: ProgramSign | undefined): string | null {
  if (before === undefined) return null;
  const now = signOfProgram(program);
  if (now === null) return `The program is gone: ${program[0]}`;
  if (now.hash === before.hash || now.version !== before.version) return null;
  return `The program is another one than when the hooks were written: ${program[0]}. If you did not change it, install Zeph again.`;
}
