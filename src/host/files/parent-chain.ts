import { lstatSync } from "node:fs";
import { entryIdentity } from "../../files/stat.ts";
import { parentOf } from "../../text/path.ts";

/** The folders a name leads through, up to the root, as what they are: two that are equal led to the same place. Null when one of them is no folder. */
export function parentChain(canonical: string): string | null {
  const links: string[] = [];
  for (let at = parentOf(canonical); ; at = parentOf(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return null;
    links.push(entryIdentity(stats));
    if (at === "/") return links.join(" ");
  }
}
