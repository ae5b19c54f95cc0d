import { COMMANDS } from "../../src/front/cli/program/commands.ts";

/** Commands, words and options that Zeph does not have. */
export function findCommandMistakes([command, ...rest]: readonly string[]): readonly string[] {
  const spec = COMMANDS[command!];
  if (!spec) return [`zeph ${command}`];
  const options = new Map(spec.options.map(([flags]) => [/--[\w-]+/.exec(flags)![0], flags.includes("<")]));
  const wrong: string[] = [];
  for (let n = 0; n < rest.length; n++) {
    const word = rest[n]!;
    if (!word.startsWith("--")) {
      if (n === 0 && spec.first && !spec.first.includes(word)) wrong.push(`zeph ${command} ${word}`);
      continue;
    }
    const takesValue = options.get(word);
    if (takesValue === undefined) wrong.push(`zeph ${command} ${word}`);
    if (takesValue) n++;
  }
  return wrong;
}
