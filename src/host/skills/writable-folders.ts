import { statEntry } from "../../files/stat.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import { realDisk } from "../sandbox/disk.ts";
import { realOrParent } from "../sandbox/listed-paths.ts";

export interface WritableSettings {
  /** Canonical. */
  readonly workspace: string;
  readonly home: string;
  /** What the settings let tools and commands write, absolute; a glob may be among them. */
  readonly listed: readonly string[];
}

/** Where tools or commands can write, or could after a yes of the person: too much rather than too little, because what lies there is believed less. */
export function writableFolders({ workspace, home, listed }: WritableSettings): string[] {
  const real = (path: string) => realOrParent(path.replace(/(?<=.)\/+$/, ""), realDisk);
  const top = repositoryAround(workspace);
  // Commands may never write all of the home, also where it is a repository.
  const around = top === null || isWithin(top, real(home)) ? [] : [top];
  return [...new Set([workspace, ...around, ...listed.map((path) => real(beforeWildcard(path)))])];
}

const beforeWildcard = (path: string): string => {
  const segments = path.split("/");
  const wild = segments.findIndex((name) => /[*?[\]{}]/.test(name));
  return wild === -1 || realDisk.kind(path) !== null ? path : segments.slice(0, wild).join("/") || "/";
};

function repositoryAround(folder: string): string | null {
  if (statEntry(`${folder}/.git`) !== null) return folder;
  const above = parentOf(folder);
  return above.length >= folder.length ? null : repositoryAround(above);
}
