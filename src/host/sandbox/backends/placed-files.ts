import { chownSync, copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { isWithin, parentOf } from "../../../text/path.ts";
import { HOME_INSIDE, type Policy } from "../policy.ts";
import type { OtherUser } from "../user.ts";

/** Where nothing can be mounted, files of ours for the home inside are copied into the folder that is the home, and links are made there. */
export function copyPlacedFiles(
  { files = [], links = [] }: Pick<Policy, "files" | "links">,
  home: string,
  user: OtherUser | undefined,
): void {
  for (const [from, to] of files) {
    if (!isWithin(HOME_INSIDE, to)) continue;
    const place = home + to.slice(HOME_INSIDE.length);
    const first = mkdirSync(parentOf(place), { recursive: true, mode: 0o755 });
    copyFileSync(from, place);
    // It may want to make others beside them.
    if (user) for (const path of between(first ?? place, place)) chownSync(path, user.uid, user.gid);
  }
  for (const [target, name] of links) {
    if (!isWithin(HOME_INSIDE, name)) continue;
    const place = home + name.slice(HOME_INSIDE.length);
    mkdirSync(parentOf(place), { recursive: true, mode: 0o755 });
    symlinkSync(target, place);
  }
}

const between = (first: string, last: string): string[] =>
  last.length <= first.length ? [last] : [last, ...between(first, parentOf(last))];

/** The variables for places in the home inside, where the cache is seen as it lies. */
export function placesOutside({ inner, cache }: Pick<Policy, "inner" | "cache">): Record<string, string> {
  if (!cache) return {};
  const named = Object.entries(inner ?? {}).map(([name, value]) => [name, value.replace(`${HOME_INSIDE}/.cache`, cache.cache)]);
  return { ...Object.fromEntries(named), XDG_CACHE_HOME: cache.cache };
}
