import { mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { readOwnText } from "../../files/own-file.ts";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { pinDirectory, withPinned } from "../files/pin.ts";
import { MAX_GIT_FILE } from "../protected/git-folders.ts";

/**
 * What is not there cannot be held read-only, and commands could make it: so the folder of hooks is made, as git itself does, and so is the
 * file of settings that git would read.
 */
export function prepareOuter(folder: string): void {
  const prepare = () =>
    withPinned(pinDirectory(folder), (dir) => {
      if (statEntry(dir.at("hooks")) === null) mkdirSync(dir.at("hooks"));
      const config = readOwnText(dir.at("config"), { maxBytes: MAX_GIT_FILE, links: "refuse" }) ?? "";
      const isWanted = /^\s*worktreeconfig\s*(?:=\s*(?:true|yes|on|1)\s*)?$/im.test(config);
      if (isWanted && statEntry(dir.at("config.worktree")) === null) writeFileSync(dir.at("config.worktree"), "", { flag: "wx" });
    });
  attempt(prepare, undefined);
}

/** A repository with this file takes its settings and hooks from elsewhere, and git never makes it there: whoever did meant harm. */
export function clearOuter(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const file = `${folder}/commondir`;
    const remove = (): "none" | "removed" =>
      withPinned(pinDirectory(folder), (dir) => {
        const stats = statEntry(dir.at("commondir"));
        if (stats === null || stats.isDirectory()) return "none";
        unlinkSync(dir.at("commondir"));
        return "removed";
      });
    const done = attempt(remove, statEntry(folder) === null ? "none" : "failed");
    if (done === "none") return [];
    return done === "failed"
      ? [`${file} was made by a command and could not be removed. Remove it before you use git there.`]
      : [`${file} was made by a command, which would have had git obey settings from elsewhere. It was removed.`];
  });
}
