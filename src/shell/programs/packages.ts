import { type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { optionValues, readLeadingOptions, readOptions, type ShellWord, type ValuedOptions } from "../options.ts";
import { underNames } from "./under-names.ts";
import { env } from "./wrappers.ts";

/** Package managers and runners of projects: what they start is named behind a verb. */
export const PACKAGES: Record<string, ProgramReader> = {
  ...underNames(
    "poetry uv pipenv rye pdm hatch conda mamba micromamba pixi devbox",
    behind(/^run$/, "CPn --with --python --project --directory --package --extra --group --name --prefix"),
  ),
  ...underNames("bundle mise asdf rbenv pyenv nodenv goenv stack cabal opam dune volta", behind(/^(exec|x)$/)),
  direnv: (args) => (args[0] === "exec" ? runsProgram(args.slice(2), "direnv exec") : []),
  rustup: (args) => (args[0] === "run" ? runsProgram(args.slice(2), "rustup run") : []),
  pipx: (args) => (args[0] === "run" ? inline(args.slice(1), "pipx run") : []),
  ...underNames("npx bunx uvx pnpx", inline),
  ...underNames("npm pnpm yarn", packages),
  bun: (args) => (args[0] === "x" ? inline(args.slice(1), "bun x") : []),
  "cross-env": env,
  ...underNames("dotenv env-cmd onchange guix", (args) =>
    runsProgram(args.includes("--") ? args.slice(args.indexOf("--") + 1) : readLeadingOptions(args, "efvpoc").operands, "dotenv"),
  ),
  "nix-shell": commandsIn(["--run", "--command"], "pAIE --run --command"),
  nix: (args) => {
    const at = args.findIndex((arg) => arg === "-c" || arg === "--command");
    return at === -1 ? [] : runsProgram(args.slice(at + 1), "nix -c");
  },
  just: (args) => {
    const at = args.findIndex((arg) => arg === "-c" || arg === "--command");
    return [
      ...(at === -1 ? [] : runsProgram(args.slice(at + 1), "just")),
      ...commandsIn(["--shell"], "fd --shell")(args, "just", { stdin: undefined }),
    ];
  },
  flatpak: commandsIn(["--command"], "--command"),
  ...underNames("bazel bazelisk", commandsIn(["--run_under"], "--run_under")),
  chokidar: commandsIn(["-c", "--command"], "cdtip --command"),
  nodemon: commandsIn(["-x", "--exec"], "xwei --exec --watch --ext"),
};

/** Options whose value is a command line. */
function commandsIn(names: readonly string[], valued: ValuedOptions): ProgramReader {
  return (args, program) => optionValues(readOptions(args, valued), ...names).flatMap((text) => script(text, `${program} ${names[0]}`));
}

function behind(verb: RegExp, valued?: ValuedOptions): ProgramReader {
  return (args, program) => {
    const at = args.findIndex((arg) => arg !== null && verb.test(arg));
    return at === -1 ? [] : runsProgram(readLeadingOptions(args.slice(at + 1), valued).operands, `${program} ${args[at]}`);
  };
}

/** `npm exec x`, `pnpm -r exec x`, `npm explore pkg -- x`; a script of the project named `exec` is only its script. */
function packages(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const found = settings(args, program);
  const at = args.findIndex((arg, i) => arg !== null && /^(exec|x|dlx|explore)$/.test(arg) && !/^run/.test(args[i - 1] ?? ""));
  const end = args.indexOf("--");
  if (at === -1 || (end !== -1 && end < at)) return found;
  const rest = args.slice(at + 1);
  if (args[at] !== "explore") return [...found, ...inline(rest, `${program} exec`)];
  return [...found, ...runsProgram(readLeadingOptions(readLeadingOptions(rest).operands.slice(1)).operands, "npm explore")];
}

const PROGRAMS =
  /^(?:--)?(script[-_]shell|shell|editor|git|viewer|browser|node[-_]options|node[-_]gyp|init[-_]module|userconfig|globalconfig)$/;

/** Settings that name a program, as an option or for good. What stands behind `--` belongs to the script that is run. */
function settings(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const isSet = own.some((arg, i) => arg === "set" && (i === 0 || /^(c|config)$/.test(own[i - 1] ?? "")));
  return own.flatMap((arg, i) => {
    const [name = "", value] = arg?.split(/=(.*)/s, 2) ?? [];
    if (!PROGRAMS.test(name) || (!name.startsWith("--") && !isSet)) return [];
    const given = value ?? own[i + 1] ?? null;
    // A program that is named there changes what runs; which one it is, is read too.
    return [...unknownEffect(`${program} ${name} changes what it runs`), ...(given === null ? [] : script(given, `${program} ${name}`))];
  });
}

function inline(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const read = readLeadingOptions(args, "cp --call --package --from --with --python --spec");
  const scripts = optionValues(read, "-c", "--call").flatMap((text) => script(text, `${program} -c`));
  return [...scripts, ...runsProgram(read.operands, program)];
}
