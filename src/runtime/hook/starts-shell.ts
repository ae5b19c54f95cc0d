import type { StandInCall } from "../../hook/tools.ts";
import { programName, readOptions } from "../../shell/options.ts";
import { understand } from "../../shell/understand.ts";
import { wordSet } from "../../text/words.ts";

/** They read what they do from where they are typed into, unless they are given a file or a text. */
const TYPED_INTO = wordSet(
  "sh bash dash zsh ksh fish python python2 python3 ipython node deno bun irb ruby perl php lua psql mysql sqlite3 mongosh redis-cli ghci scala gdb lldb ssh tmux screen script expect",
);

/** Whether a command only starts something that one types into: a client that hooks no typing would be governed no longer. */
export function startsOnlyShell({ args: { command } }: StandInCall): boolean {
  if (typeof command !== "string") return false;
  return understand(command).commands.some(({ argv: [program, ...rest], redirections }) => {
    if (typeof program !== "string" || !isTypedInto(programName(program))) return false;
    if (redirections.some(({ access }) => access === "read")) return false;
    const isGiven = rest.some((word) => word === null || /^-\w*[cem]$|^--(eval|command|version|help)\b|^-V$/.test(word));
    return !isGiven && readOptions(rest).operands.length === 0 && !isFed(command, program);
  });
}

/** Also `python3.12`. */
const isTypedInto = (name: string): boolean => TYPED_INTO.has(name) || TYPED_INTO.has(name.replace(/[\d.]+$/, ""));

/** Something is piped into it, or a here-document. */
const isFed = (command: string, program: string): boolean => {
  const at = command.indexOf(program);
  return /\|\s*(\S+\/)?$/.test(command.slice(0, at)) || /<</.test(command.slice(at));
};
