import { ConfigError } from "../problem.ts";
import { changeFile } from "./change.ts";
import { entriesAt, insertValue } from "./entries.ts";

const PATH = ["tools", "sandbox", "allow_domains"];

/** Writes a name that commands may reach into the user's file. The file is made when there is none. */
export function saveDomain(userFile: string, name: string): void {
  changeFile(userFile, (before) => addDomain(before ?? "", name));
}

/** Adds a name behind all others. Only inserts: every byte that was there stays. One that is there already is not added again. */
export function addDomain(text: string, name: string): string {
  if (entriesAt(text, PATH, "names").includes(name)) return text;
  const edited = insertValue(text, PATH, name);
  if (edited !== null) return edited;
  throw new ConfigError([{ message: `No safe place was found for ${name}. Add it yourself to ${PATH.join(".")}.` }]);
}
