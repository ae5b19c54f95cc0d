import { type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { type OptionShape, optionValues, readOptions, type ShellWord } from "../options.ts";
import { env, sameReader } from "./wrappers.ts";

/** Package managers and runners of projects: what they start is named behind a verb. */
export const PACKAGES: Record<string, ProgramReader> = {
  ...sameReader(
    behind(/^run$/, {
      short: "CPn",
      long: ["--with", "--python", "--project", "--directory", "--package", "--extra", "--group", "--name", "--prefix"],
    }),
    ["poetry", "uv", "pipenv", "rye", "pdm", "hatch", "conda", "mamba", "micromamba", "pixi", "devbox"],
  ),
  ...sameReader(behind(/^(exec|x)$/), [
    "bundle",
    "mise",
    "asdf",
    "rbenv",
    "pyenv",
    "nodenv",
    "goenv",
    "stack",
    "cabal",
    "opam",
    "dune",
    "volta",
  ]),
  direnv: (args) => (args[0] === "exec" ? runsProgram(args.slice(2), "direnv exec") : []),
  rustup: (args) => (args[0] === "run" ? runsProgram(args.slice(2), "rustup run") : []),
  pipx: (args) => (args[0] === "run" ? inline(args.slice(1), "pipx run") : []),
  ...sameReader(inline, ["npx", "bunx", "uvx", "pnpx"]),
  ...sameReader(packages, ["npm", "pnpm", "yarn"]),
  bun: (args) => (args[0] === "x" ? inline(args.slice(1), "bun x") : []),
  ...sameReader(env, ["cross-env"]),
  ...sameReader(
    (args) =>
      runsProgram(
        args.includes("--") ? args.slice(args.indexOf("--") + 1) : readOptions(args, { short: "efvpoc", leading: true }).operands,
        "dotenv",
      ),
    ["dotenv", "env-cmd", "onchange", "guix"],
  ),
  "nix-shell": valued(["--run", "--command"], "pAIE"),
  nix: (args) => {
    const at = args.findIndex((arg) => arg === "-c" || arg === "--command");
    return at === -1 ? [] : runsProgram(args.slice(at + 1), "nix -c");
  },
  just: (args) => {
    const at = args.findIndex((arg) => arg === "-c" || arg === "--command");
    return [
      ...(at === -1 ? [] : runsProgram(args.slice(at + 1), "just")),
      ...valued(["--shell"], "fd")(args, "just", { stdin: undefined }),
    ];
  },
  flatpak: valued(["--command"]),
  ...sameReader(valued(["--run_under"]), ["bazel", "bazelisk"]),
  chokidar: valued(["-c", "--command"], "cdtip"),
  nodemon: valued(["-x", "--exec"], "xwei", ["--watch", "--ext"]),
};

/** Options whose value is a command line. */
function valued(names: readonly string[], short = "", long: readonly string[] = []): ProgramReader {
  const shape: OptionShape = { short, long: [...names.filter((name) => name.startsWith("--")), ...long] };
  return (args, program) => optionValues(readOptions(args, shape), ...names).flatMap((text) => script(text, `${program} ${names[0]}`));
}

function behind(verb: RegExp, shape: OptionShape = {}): ProgramReader {
  return (args, program) => {
    const at = args.findIndex((arg) => arg !== null && verb.test(arg));
    return at === -1 ? [] : runsProgram(readOptions(args.slice(at + 1), { ...shape, leading: true }).operands, `${program} ${args[at]}`);
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
  return [
    ...found,
    ...runsProgram(readOptions(readOptions(rest, { leading: true }).operands.slice(1), { leading: true }).operands, "npm explore"),
  ];
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
    // Who names a program there changes what runs; which one it is, is read too.
    return [...unknownEffect(`${program} ${name} changes what it runs`), ...(given === null ? [] : script(given, `${program} ${name}`))];
  });
}

function inline(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const read = readOptions(args, { short: "cp", long: ["--call", "--package", "--from", "--with", "--python", "--spec"], leading: true });
  const scripts = optionValues(read, "-c", "--call").flatMap((text) => script(text, `${program} -c`));
  return [...scripts, ...runsProgram(read.operands, program)];
}
