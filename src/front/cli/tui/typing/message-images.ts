import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ImageInput } from "../../../../runtime/person/images.ts";
import { attempt } from "../../../../text/attempt.ts";

const MOST = 8;
const KIND = String.raw`\.(?:png|jpe?g|gif|webp)`;
/** A file named with `@`; a path in quotes; a path as it is, whose blanks may stand behind backslashes. Windows write the last two where a file is dropped. */
const NAMED = new RegExp(
  String.raw`(?:^|\s)(?:@(?<named>\S+?${KIND})|(?<quote>["'])(?<quoted>(?:\.{0,2}|~)/[^"'\n]+?${KIND})\k<quote>|(?<bare>(?:\.{0,2}|~)/(?:\\.|[^\s\\])+?${KIND}))(?=[,;:.!?)]*(?:\s|$))`,
  "gi",
);

/** The images that go with a message: those it names with `@`, and paths of files that are there. Other paths are only spoken of. */
export function imagesIn(text: string): ImageInput[] {
  const found = [...text.matchAll(NAMED)].flatMap(({ groups = {} }) => {
    if (groups.named !== undefined) return [groups.named];
    const path = (groups.quoted ?? groups.bare!.replace(/\\(.)/g, "$1")).replace(/^~(?=\/)/, homedir());
    return attempt(() => statSync(resolve(path)).isFile(), false) ? [path] : [];
  });
  return found.slice(0, MOST).map((path) => ({ path }));
}
