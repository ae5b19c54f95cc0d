import { joinedWords, type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { has, type OptionShape, optionValues, readOptions, type ShellWord } from "../options.ts";
import { plain, sameReader } from "./wrappers.ts";

/** The shell's own commands that run another, or write one down for later. */
export const TABLES: Record<string, ProgramReader> = {
  exec: plain({ short: "a" }),
  builtin: plain({}),
  command: (args, program, around) => {
    const { options, operands } = readOptions(args, { leading: true });
    // `command -v sudo` only looks; in `command sudo -v` the option is not its own.
    return options.some(({ name }) => name === "-v" || name === "-V") ? [] : plain({})(operands, program, around);
  },
  eval: (args) => {
    const words = args[0] === "--" ? args.slice(1) : args;
    return words.length > 0 ? script(joinedWords(words), "eval") : [];
  },
  trap: (args) => {
    const { operands, options } = readOptions(args, { leading: true });
    if (options.length > 0 || operands.length < 2 || operands[0] === "-" || operands[0] === "") return [];
    return script(operands[0]!, "trap");
  },
  alias: (args) =>
    args.flatMap((arg) => {
      if (arg === null) return unknownEffect("an alias is defined by a value only known at run time");
      const at = arg.indexOf("=");
      return at > 0 ? script(arg.slice(at + 1), `alias ${arg.slice(0, at)}`) : [];
    }),
  ...sameReader(
    (args, program) => optionValues(readOptions(args, { short: "dnOsuCc" }), "-C").flatMap((text) => script(text, `${program} -C`)),
    ["mapfile", "readarray"],
  ),
  ...sameReader(completion, ["complete", "compgen"]),
  bind: (args) => {
    const read = readOptions(args, { short: "xfmqruS" });
    return has(read, "-x", "-f") ? unknownEffect("bind makes keys run commands later") : [];
  },
  enable: (args) => (has(readOptions(args, { short: "f" }), "-f") ? unknownEffect("enable -f loads code from a file into the shell") : []),
  hash: (args) => {
    const programs = optionValues(readOptions(args, { short: "p" }), "-p");
    return programs.length === 0
      ? []
      : [...unknownEffect("hash -p makes a name run another program"), ...programs.flatMap((path) => runsProgram([path], "hash -p"))];
  },
  jobs: (args) => {
    const at = args.findIndex((arg) => arg !== null && /^-[lnprs]*x/.test(arg));
    return at === -1 ? [] : runsProgram(args.slice(at + 1), "jobs -x");
  },
  fc: (args) => {
    const read = readOptions(args, { short: "e" });
    if (has(read, "-l")) return [];
    return [
      ...optionValues(read, "-e").flatMap((text) => (text === "-" ? [] : script(text, "fc -e"))),
      ...unknownEffect("fc runs earlier commands again"),
    ];
  },
};

/** `-C` runs a command, `-F` a function, and the words of `-W` are expanded like any others. */
function completion(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  const shape: OptionShape = { short: "ACFGPSVWXo" };
  const read = readOptions(args, shape);
  return [
    ...optionValues(read, "-C", "-F").flatMap((text) => script(text, `${program} -C`)),
    ...optionValues(read, "-W").flatMap((text) => (text === null ? [] : script(`: ${text}`, `${program} -W`))),
  ];
}
