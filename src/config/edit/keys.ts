import { createKeyReader, keyFilePath } from "../api-keys.ts";
import type { ConfigEnvironment } from "../paths.ts";
import { ConfigError } from "../problem.ts";
import { changeFile } from "./change.ts";
import { tomlValue } from "./toml.ts";

/** Writes a key into the private file, which is made for its owner alone where there is none. Throws a ConfigError where that file cannot be trusted. Returns its path. */
export function saveKey(at: Pick<ConfigEnvironment, "home" | "env">, name: string, value: string): string {
  const file = keyFilePath(at);
  // The environment comes first for a reader, and here only the file counts.
  const inFile = () => createKeyReader({ home: at.home, env: { XDG_CONFIG_HOME: at.env.XDG_CONFIG_HOME } })(name);
  inFile();
  changeFile(file, (before) => withKey(before ?? "", name, value));
  if (inFile() !== value)
    throw new ConfigError([{ file, message: `${name} could not be written here. Write the line yourself: ${name} = "…"` }]);
  return file;
}

/** The file is one line for each key: a line of this name gives way, and everything else stays. */
export function withKey(text: string, name: string, value: string): string {
  const line = `${name} = ${tomlValue(value)}`;
  const known = new RegExp(`^[ \\t]*(?:${name}|"${name}"|'${name}')[ \\t]*=.*$`, "m");
  if (known.test(text)) return text.replace(known, () => line);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
}
