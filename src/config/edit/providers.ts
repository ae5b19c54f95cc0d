import { complaints } from "../complain.ts";
import { ConfigError } from "../problem.ts";
import { setAtPath } from "../shape.ts";
import { changeFile } from "./change.ts";
import { entryBlock, insertEntry } from "./entries.ts";

const PATH = ["llm", "providers"];

/** Writes a provider into the user's file, behind all others. The file is made when there is none. */
export function saveProvider(userFile: string, provider: Readonly<Record<string, unknown>>): void {
  const wrong = complaints(setAtPath({}, PATH, [provider]));
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ message }) => ({ message: message.replaceAll("llm.providers[0].", "") })));
  changeFile(userFile, (before) => {
    const edited = insertEntry(before ?? "", PATH, provider, "last");
    if (edited !== null) return edited;
    throw new ConfigError([
      { file: userFile, message: `No safe place was found for the provider. Write it yourself:\n\n${entryBlock("\n", PATH, provider)}` },
    ]);
  });
}
