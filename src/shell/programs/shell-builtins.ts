import { joinedWords, type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { has, optionValues, readLeadingOptions, readOptions, type ShellWord } from "../options.ts";
import { underNames } from "./under-names.ts";
import { plain } from "./wrappers.ts";

/** The shell's own commands that run another, or write one down for later. */
export const BUILTINS: Record<string, ProgramReader> = {
  exec: plain("a"),
  builtin: plain(),
  command: (args, program, around) => {
    const { options, operands } = readLeadingOptions(args);
    // `command -v sudo` only looks; in `command sudo -v` the option is not its own.
    return options.some(({ name }) => name === "-v" || name === "-V") ? [] : plain()(operands, program, around);
  },
  eval: (args) => {
    const words = args[0] === "--" ? args.slice(1) : args;
    return words.length > 0 ? script(joinedWords(words), "eval") : [];
  },
  trap: (args) => {
    const { operands, options } = readLeadingOptions(args);
    if (options.length > 0 || operands.length < 2 || operands[0] === "-" || operands[0] === "") return [];
    return script(operands[0]!, "trap");
  },
  alias: (args) =>
    args.flatMap((arg) => {
      if (arg === null) return unknownEffect("an alias is defined by a value only known at run time");
      const at = arg.indexOf("=");
      return at > 0 ? script(arg.slice(at + 1), `alias ${arg.slice(0, at)}`) : [];
    }),
  ...underNames("mapfile readarray", (args, program) =>
    optionValues(readOptions(args, "dnOsuCc"), "-C").flatMap((text) => script(text, `${program} -C`)),
  ),
  ...underNames("complete compgen", completion),
  bind: (args) => {
    const read = readOptions(args, "xfmqruS");
    return has(read, "-x", "-f") ? unknownEffect("bind makes keys run commands later") : [];
  },
  enable: (args) => (has(readOptions(args, "f"), "-f") ? unknownEffect("enable -f loads code from a file into the shell") : []),
  hash: (args) => {
    const programs = optionValues(readOptions(args, "p"), "-p");
    return programs.length === 0
      ? []
      : [...unknownEffect("hash -p makes a name run another program"), ...programs.flatMap((path) => runsProgram([path], "hash -p"))];
  },
  jobs: (args) => {
    const at = args.findIndex((arg) => arg !== null && /^-[lnprs]*x/.test(arg));
    return at === -1 ? [] : runsProgram(args.slice(at + 1), "jobs -x");
  },
  fc: (args) => {
    const read = readOptions(args, "e");
    if (has(read, "-l")) return [];
    return [
      ...optionValues(read, "-e").flatMap((text) => (text === "-" ? [] : script(text, "fc -e"))),
      ...unknownEffect("fc runs earlier commands again"),
    ];
  },
};

/** `-C` runs a command, `-F` a function, and the words of `-W` are expanded like any others. */
function completion(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  const read = readOptions(args, "ACFGPSVWXo");
  return [
    ...optionValues(read, "-C", "-F").flatMap((text) => script(text, `${program} -C`)),
    ...optionValues(read, "-W").flatMap((text) => (text === null ? [] : script(`: ${text}`, `${program} -W`))),
  ];
}
