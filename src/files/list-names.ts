import { readdirSync } from "node:fs";
import { attempt } from "../text/attempt.ts";

/** The names in a folder that end so, sorted, as many as that; none where there is no such folder. */
export const listNames = (folder: string, ending: string, most: number): readonly string[] =>
  attempt(() => readdirSync(folder), [])
    .filter((name) => name.endsWith(ending) && !name.startsWith("."))
    .sort()
    .slice(0, most);
