import { COMMANDS } from "./commands.ts";

const ID = /^[0-9a-f][0-9a-f-]{5,35}$/i;

/** `--continue` takes the next word only when it is an id or may be the beginning of one: in `run --continue "and now?"` the word is the task. */
export function continueLast(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const command = argv.find((word) => Object.hasOwn(COMMANDS, word));
  if (command !== undefined && command !== "run") return argv;
  return argv.map((word, at) => {
    const isOption = word === "--continue" && (end === -1 || at < end);
    return isOption && !ID.test(argv[at + 1] ?? "") ? "--continue=last" : word;
  });
}
