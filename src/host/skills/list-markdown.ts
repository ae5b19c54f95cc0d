import { readdirSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";

/** The names of the `.md` files of a folder, sorted, as many as that; none where there is no such folder. */
export const listMarkdownFiles = (folder: string, most: number): readonly string[] =>
  attempt(() => readdirSync(folder), [])
    .filter((name) => name.endsWith(".md") && !name.startsWith("."))
    .sort()
    .slice(0, most);
