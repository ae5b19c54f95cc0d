import { resolve } from "node:path";
import { isExecutable } from "../../files/programs.ts";

/** Where a program lies: as it is named, or in the first folder of a PATH that has it. Null when it is nowhere. */
export function findProgram(name: string, path: string, cwd: string): string | null {
  if (name.includes("/")) return isExecutable(resolve(cwd, name)) ? resolve(cwd, name) : null;
  const folder = path.split(":").find((folder) => folder.startsWith("/") && isExecutable(`${folder}/${name}`));
  return folder === undefined ? null : `${folder}/${name}`;
}
