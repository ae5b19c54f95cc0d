import { type Finding, type Reader, run, script, unknown } from "../finding.ts";
import { readOptions, type Shape, valuesOf, type Word } from "../options.ts";
import { env, same } from "./wrappers.ts";

/** Package managers and runners of projects: what they start is named behind a verb. */
export const PACKAGES: Record<string, Reader> = {
  ...same(
    behind(/^run$/, {
      short: "CPn",
      long: ["--with", "--python", "--project", "--directory", "--package", "--extra", "--group", "--name", "--prefix"],
    }),
    ["poetry", "uv", "pipenv", "rye", "pdm", "hatch", "conda", "mamba", "micromamba", "pixi", "devbox"],
  ),
  ...same(behind(/^(exec|x)$/), ["bundle", "mise", "asdf", "rbenv", "pyenv", "nodenv", "goenv", "stack", "cabal", "opam", "dune", "volta"]),
  direnv: (args) => (args[0] === "exec" ? run(args.slice(2), "direnv exec") : []),
  rustup: (args) => (args[0] === "run" ? run(args.slice(2), "rustup run") : []),
  pipx: (args) => (args[0] === "run" ? inline(args.slice(1), "pipx run") : []),
  ...same(inline, ["npx", "bunx", "uvx", "pnpx"]),
  ...same(packages, ["npm", "pnpm", "yarn"]),
  bun: (args) => (args[0] === "x" ? inline(args.slice(1), "bun x") : []),
  ...same(env, ["cross-env"]),
  ...same(
    (args) =>
      run(
        args.includes("--") ? args.slice(args.indexOf("--") + 1) : readOptions(args, { short: "efvpoc", leading: true }).operands,
        "dotenv",
      ),
    ["dotenv", "env-cmd", "onchange", "guix"],
  ),
  "nix-shell": valued(["--run", "--command"], "pAIE"),
  nix: (args) => {
    const at = args.findIndex((arg) => arg === "-c" || arg === "--command");
    return at === -1 ? [] : run(args.slice(at + 1), "nix -c");
  },
  just: (args) => {
    const at = args.findIndex((arg) => arg === "-c" || arg === "--command");
    return [...(at === -1 ? [] : run(args.slice(at + 1), "just")), ...valued(["--shell"], "fd")(args, "just", { stdin: undefined })];
  },
  flatpak: valued(["--command"]),
  ...same(valued(["--run_under"]), ["bazel", "bazelisk"]),
  chokidar: valued(["-c", "--command"], "cdtip"),
  nodemon: valued(["-x", "--exec"], "xwei", ["--watch", "--ext"]),
};

/** Options whose value is a command line. */
function valued(names: readonly string[], short = "", long: readonly string[] = []): Reader {
  const shape: Shape = { short, long: [...names.filter((name) => name.startsWith("--")), ...long] };
  return (args, program) => valuesOf(readOptions(args, shape), ...names).flatMap((text) => script(text, `${program} ${names[0]}`));
}

function behind(verb: RegExp, shape: Shape = {}): Reader {
  return (args, program) => {
    const at = args.findIndex((arg) => arg !== null && verb.test(arg));
    return at === -1 ? [] : run(readOptions(args.slice(at + 1), { ...shape, leading: true }).operands, `${program} ${args[at]}`);
  };
}

/** `npm exec x`, `pnpm -r exec x`, `npm explore pkg -- x`; a script of the project named `exec` is only its script. */
function packages(args: readonly Word[], program: string): Finding[] {
  const found = settings(args, program);
  const at = args.findIndex((arg, i) => arg !== null && /^(exec|x|dlx|explore)$/.test(arg) && !/^run/.test(args[i - 1] ?? ""));
  const end = args.indexOf("--");
  if (at === -1 || (end !== -1 && end < at)) return found;
  const rest = args.slice(at + 1);
  if (args[at] !== "explore") return [...found, ...inline(rest, `${program} exec`)];
  return [...found, ...run(readOptions(readOptions(rest, { leading: true }).operands.slice(1), { leading: true }).operands, "npm explore")];
}

const PROGRAMS =
  /^(?:--)?(script[-_]shell|shell|editor|git|viewer|browser|node[-_]options|node[-_]gyp|init[-_]module|userconfig|globalconfig)$/;

/** Settings that name a program, as an option or for good. What stands behind `--` belongs to the script that is run. */
function settings(args: readonly Word[], program: string): Finding[] {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const isSet = own.some((arg, i) => arg === "set" && (i === 0 || /^(c|config)$/.test(own[i - 1] ?? "")));
  return own.flatMap((arg, i) => {
    const [name = "", value] = arg?.split(/=(.*)/s, 2) ?? [];
    if (!PROGRAMS.test(name) || (!name.startsWith("--") && !isSet)) return [];
    const given = value ?? own[i + 1] ?? null;
    // Who names a program there changes what runs; which one it is, is read too.
    return [...unknown(`${program} ${name} changes what it runs`), ...(given === null ? [] : script(given, `${program} ${name}`))];
  });
}

function inline(args: readonly Word[], program: string): Finding[] {
  const read = readOptions(args, { short: "cp", long: ["--call", "--package", "--from", "--with", "--python", "--spec"], leading: true });
  const scripts = valuesOf(read, "-c", "--call").flatMap((text) => script(text, `${program} -c`));
  return [...scripts, ...run(read.operands, program)];
}
