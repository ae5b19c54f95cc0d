import { join } from "node:path";
import { listNames } from "../../files/list-names.ts";
import type { ImportedFile } from "./plan-import.ts";

const MOST_FILES = 200;

/** Commands that are texts. Zeph reads them where they are, so there is nothing to write. */
export const readCommands = (base: string, nameOf: (path: string) => string): readonly ImportedFile[] =>
  listNames(join(base, "commands"), ".md", MOST_FILES).map((file) => ({
    name: nameOf(join(base, "commands", file)),
    rules: [],
    entries: [
      {
        line: 1,
        written: "the command",
        action: null,
        fate: { list: "taken", pieces: [], why: `it is read where it is, as /${file.slice(0, -".md".length)}` },
        leaves: [["the text"]],
      },
    ],
  }));
