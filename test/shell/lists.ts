import { readFileSync } from "node:fs";

/** Commands of a list beside this file, each with its class. */
export function commandsOf(name: string): { readonly group: string; readonly command: string }[] {
  let group = "";
  return readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) group = line.slice(3);
      return line === "" || line.startsWith("#") ? [] : [{ group, command: line.replaceAll("\\n", "\n").replaceAll("\\t", "\t") }];
    });
}
