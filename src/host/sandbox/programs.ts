import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";

/** Where a program lies: as it is named, or in the first folder of a PATH that has it. Null when it is nowhere. */
export function findProgram(name: string, path: string, cwd: string): string | null {
  if (name.includes("/")) return isExecutable(resolve(cwd, name)) ? resolve(cwd, name) : null;
  const folder = path.split(":").find((folder) => folder.startsWith("/") && isExecutable(`${folder}/${name}`));
  return folder === undefined ? null : `${folder}/${name}`;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
