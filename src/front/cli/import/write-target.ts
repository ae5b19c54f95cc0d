import { changeFile } from "../../../config/edit/change.ts";
import { PRIVATE, replaceConfigFile, SHARED } from "../../../config/edit/write.ts";
import { ConfigError } from "../../../config/problem.ts";
import type { ImportTarget } from "./import-text.ts";

/** Writes what was shown, and only over what was read. */
export function writeTarget({ target, file, before, text, skills, inside }: ImportTarget): void {
  const modes = target === "project" ? { ...SHARED, inside } : PRIVATE;
  if (text !== (before ?? "")) {
    if (target === "project") replaceConfigFile(file, before, text, modes);
    else
      changeFile(file, (now) => {
        if (now === before) return text;
        throw new ConfigError([{ file, message: "Something else changed this file just now. Nothing was written; try again." }]);
      });
  }
  for (const skill of skills) replaceConfigFile(skill.file, skill.before, skill.text, modes);
}
