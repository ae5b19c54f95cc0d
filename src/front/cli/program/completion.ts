import { didYouMean } from "../../../text/nearest.ts";
import { quoteShellAlways } from "../../../text/quote-shell.ts";
import { UsageError } from "../io.ts";
import type { OptionSpec } from "./command-spec.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "./commands.ts";

/** An option as a shell completes it. */
interface Completed {
  readonly names: readonly string[];
  readonly help: string;
  /** The value that follows it: none, any text, a path, or one of these words. */
  readonly value: "none" | "text" | "file" | "folder" | readonly string[];
}

interface Completion {
  readonly name: string;
  readonly summary: string;
  readonly first: readonly string[];
  readonly options: readonly Completed[];
}

const SHELLS: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `zeph completion <shell>`: a script for that shell, made from the table of commands. */
export function completionFor(shell: string | undefined): string {
  const known = Object.keys(SHELLS);
  if (shell !== undefined && Object.hasOwn(SHELLS, shell)) return SHELLS[shell]!();
  if (shell === undefined) throw new UsageError(`Say for which shell: zeph completion ${known.join("|")}.`);
  throw new UsageError(`There is no completion for "${shell}".${didYouMean(shell, known) || ` There is ${known.join(", ")}.`}`);
}

function completed([flags, help]: OptionSpec, choices: Readonly<Record<string, readonly string[]>> = {}): Completed {
  const [, typed = "", value] = /^([^<[]+?)(?: ?<(.+)>| ?\[.+\])?$/.exec(flags)!;
  const names = typed.split(", ");
  const chosen = names.map((name) => choices[name]).find((words) => words !== undefined);
  return { names, help, value: chosen ?? (value === undefined ? "none" : (PATHS[value] ?? "text")) };
}

const PATHS: Readonly<Record<string, "file" | "folder">> = { file: "file", path: "file", folder: "folder" };

const HELP: Completed = { names: ["-h", "--help"], help: "show the help", value: "none" };
const GLOBAL: readonly Completed[] = [...GLOBAL_OPTIONS.map((one) => completed(one)), HELP];

/** The others belong to a chat, or to commands that name them. */
const EVERYWHERE = GLOBAL.filter(({ names }) => /^--(?:config|set|cwd|no-color|help)$/.test(names.at(-1)!));

const ALL: readonly Completion[] = [
  ...Object.entries(COMMANDS).map(([name, { summary, first = [], options, ownOptions = [], choices }]) => {
    const own = [...options, ...ownOptions].map((one) => completed(one, choices));
    const known = new Set(own.flatMap(({ names }) => names));
    return { name, summary, first, options: [...own, ...EVERYWHERE.filter(({ names }) => !names.some((one) => known.has(one)))] };
  }),
  { name: "help", summary: "show the help of a command", first: Object.keys(COMMANDS), options: [] },
];
const NAMES = ALL.map(({ name }) => name);

const namesOf = (options: readonly Completed[]): string[] => options.flatMap(({ names }) => names);
const isWanted = ({ value }: Completed) => value !== "none";
/** In front of the command, where its word is looked for, these take the next word with them. */
const GLOBAL_VALUES = namesOf(GLOBAL.filter(isWanted)).join("|");

/** The lines of a `case` over "command option": what comes after an option that wants a value. `draw` says how that is completed. */
function valueCases(draw: (value: Completed["value"]) => string): string {
  const patterns = new Map<string, string[]>();
  for (const { name, options } of [{ name: "", options: GLOBAL }, ...ALL])
    for (const { names, value } of options.filter(isWanted)) {
      const drawn = draw(value);
      patterns.set(drawn, [...(patterns.get(drawn) ?? []), ...names.map((one) => `"${name} ${one}"`)]);
    }
  return [...patterns].map(([drawn, all]) => `    ${all.join("|")}) ${drawn}return ;;`).join("\n");
}

/** Where a path is wanted nothing is offered, and bash completes file names itself. */
function bashScript(): string {
  const choose = (words: readonly string[]) => `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur")); `;
  const value = (wanted: Completed["value"]) => (typeof wanted === "string" ? "" : choose(wanted));
  const rows = [{ name: "", first: NAMES, options: [...GLOBAL, VERSION] }, ...ALL];
  return `# bash completion for zeph, made by: zeph completion bash
_zeph() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= before=0 i options= first=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) return ;;
      ${GLOBAL_VALUES}) [[ -n $command ]] || ((i++)) ;;
      -*) ;;
      *) if [[ -n $command ]]; then ((before++)); else command=\${COMP_WORDS[i]}; fi ;;
    esac
  done
  case "$command $prev" in
${valueCases(value)}
  esac
  case $command in
${rows.map(({ name, first, options }) => `    "${name}") first="${first.join(" ")}" options="${namesOf(options).join(" ")}" ;;`).join("\n")}
    *) return ;;
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif ((before == 0)); then COMPREPLY=($(compgen -W "$first" -- "$cur"))
  fi
}
complete -o default -F _zeph zeph
`;
}

const VERSION: Completed = { names: ["-V", "--version"], help: "print the version", value: "none" };

function zshScript(): string {
  const value = (wanted: Completed["value"]) =>
    wanted === "file"
      ? "_files; "
      : wanted === "folder"
        ? "_files -/; "
        : wanted === "text"
          ? ""
          : `compadd -- ${(wanted as readonly string[]).join(" ")}; `;
  const described = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, help]) => quoteShellAlways(`${name}:${help.replaceAll(":", "\\:")}`)).join(" ");
  const optionRows = (options: readonly Completed[]) =>
    described(options.flatMap(({ names, help }) => names.map((name) => [name, help] as const)));
  const commands = described(ALL.map(({ name, summary }) => [name, summary] as const));
  return `#compdef zeph
# zsh completion for zeph, made by: zeph completion zsh
_zeph() {
  local command= i before=0
  local -a first options
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      --) _files; return ;;
      ${GLOBAL_VALUES}) [[ -n $command ]] || ((i++)) ;;
      -*) ;;
      *) if [[ -n $command ]]; then ((before++)); else command=$words[i]; fi ;;
    esac
  done
  case "$command $words[CURRENT-1]" in
${valueCases(value)}
  esac
  case $command in
    "") first=(${commands}) options=(${optionRows([...GLOBAL, VERSION])}) ;;
${ALL.map(({ name, first, options }) => `    ${name}) first=(${first.join(" ")}) options=(${optionRows(options)}) ;;`).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif ((before == 0 && $#first)); then _describe command first || _files
  else _files
  fi
}
if [[ $funcstack[1] == _zeph ]]; then _zeph "$@"; else compdef _zeph zeph; fi
`;
}

function fishScript(): string {
  const value = (wanted: Completed["value"]): string => {
    if (wanted === "none") return "";
    if (wanted === "file") return " -r -F";
    if (wanted === "folder") return " -x -a '(__fish_complete_directories)'";
    return wanted === "text" ? " -x" : ` -x -a '${wanted.join(" ")}'`;
  };
  const flag = (name: string) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`);
  const option = (one: Completed, when: string) =>
    `complete -c zeph${when} ${one.names.map(flag).join(" ")}${value(one.value)} -d ${quoteShellAlways(one.help)}`;
  const seen = (words: string) => `__fish_seen_subcommand_from ${words}`;
  return `# fish completion for zeph, made by: zeph completion fish
${[...GLOBAL, VERSION].map((one) => option(one, "")).join("\n")}
${ALL.map(({ name, summary }) => `complete -c zeph -f -n __fish_use_subcommand -a ${name} -d ${quoteShellAlways(summary)}`).join("\n")}
${ALL.flatMap(({ name, first, options }) => [
  ...(first.length === 0 ? [] : [`complete -c zeph -f -n '${seen(name)}; and not ${seen(first.join(" "))}' -a '${first.join(" ")}'`]),
  ...options.filter((one) => !GLOBAL.includes(one)).map((one) => option(one, ` -n '${seen(name)}'`)),
]).join("\n")}
`;
}
