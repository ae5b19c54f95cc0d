import { type Finding, joined, type Reader, run, script, unknown } from "./finding.ts";
import { type Options, readOptions, type Shape, valuesOf, type Word } from "./options.ts";

/** Programs whose arguments are another command. */
export const WRAPPERS: Record<string, Reader> = {
  env,
  ...same(plain({ short: "a" }), ["exec"]),
  ...same(plain({}), [
    "builtin",
    "nohup",
    "unbuffer",
    "fakeroot",
    "dbus-run-session",
    "catchsegv",
    "pkexec",
    "setarch",
    "linux64",
    "linux32",
    "tini",
    "dumb-init",
    "winpty",
    "torsocks",
    "proxychains",
    "proxychains4",
    "caffeinate",
  ]),
  command: (args) => (args.some((arg) => arg === "-v" || arg === "-V") ? [] : plain({})(args, "command", NONE)),
  time: plain({ short: "fo", long: ["--format", "--output"] }),
  timeout: skipping(1, { short: "ks", long: ["--kill-after", "--signal"] }),
  nice: plain({ short: "n", long: ["--adjustment"] }),
  ionice: plain({ short: "cnpPu", long: ["--class", "--classdata", "--pid"] }),
  chrt: skipping(1, { short: "TPD" }),
  taskset: skipping(1),
  stdbuf: plain({ short: "ioe", long: ["--input", "--output", "--error"] }),
  setsid: plain({}),
  chroot: skipping(1, { long: ["--userspec", "--groups"] }),
  prlimit: plain({ short: "p", long: ["--pid"] }),
  choom: plain({ short: "np" }),
  setpriv: plain({ long: ["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set"] }),
  unshare: plain({ short: "SGRw", long: ["--setuid", "--setgid", "--root", "--wd", "--map-users"] }),
  nsenter: plain({ short: "tSGrw", long: ["--target", "--setuid", "--setgid"] }),
  "systemd-run": plain({ short: "puMEHt", long: ["--unit", "--property", "--setenv", "--machine", "--host", "--slice", "--uid", "--gid"] }),
  strace: plain({ short: "aeEIopPsSuOX", long: ["--output", "--attach", "--user"] }),
  ltrace: plain({ short: "aAeEFlnopsuwx" }),
  valgrind: plain({}),
  perf: (args) => plain({ short: "eopCt" })(args.slice(1), "perf", NONE),
  rlwrap: plain({ short: "abcfgHlMOpPqSsth" }),
  gosu: skipping(1),
  "su-exec": skipping(1),
  sudo: plain({ short: "ugpChrtTUDR", long: ["--user", "--group", "--prompt", "--chdir", "--host"] }),
  doas: plain({ short: "uC" }),
  run0: plain({ short: "ugD", long: ["--user", "--group", "--chdir"] }),
  su: asUser,
  runuser: asUser,
  flock: locked,
  script: (args) => scriptOption(args, { short: "coEIOBmT", long: ["--command"] }, ["-c", "--command"], "script -c"),
  watch: watched,
  xargs,
  parallel,
  ssh,
  trap,
  eval: (args) => (args.length > 0 ? script(joined(args), "eval") : []),
  busybox: (args) => run(args, "busybox"),
  toybox: (args) => run(args, "toybox"),
  entr: plain({}),
  ...same((args) => run(after(args, "run"), "run"), ["poetry", "uv", "pipenv", "rye", "pdm", "hatch"]),
  ...same((args) => run(after(args, "exec"), "exec"), ["bundle", "direnv", "mise", "asdf", "rbenv", "pyenv"]),
  ...same(inlineScript, ["npx", "bunx"]),
  ...same(packages, ["npm", "pnpm", "yarn"]),
  bun: (args) => (args[0] === "x" ? inlineScript(args.slice(1), "bun x") : []),
  go: goTools,
  cmake,
  capsh: (args) => (args.includes("--") ? run(["bash", ...args.slice(args.indexOf("--") + 1)], "capsh") : []),
  sg: asGroup,
  "start-stop-daemon": daemon,
  scp: (args) => sshOptions(readOptions(args, { short: "cDFiJloPSX" })),
  sftp: (args) => sshOptions(readOptions(args, { short: "bBcDFiJloPRsSX" })),
  coproc: plain({}),
  mapfile: callback,
  readarray: callback,
  alias: definitions,
  complete: (args) => scriptOption(args, { short: "ACFGPSWX" }, ["-C", "-F"], "complete"),
  bind: (args) => (args.includes("-x") ? unknown("bind -x runs a command later") : []),
  enable: (args) => (args.includes("-f") ? unknown("enable -f loads code from a file into the shell") : []),
  hash: (args) => (args.includes("-p") ? unknown("hash -p makes a name run another program") : []),
  at: () => unknown("at runs commands later that are not here"),
  batch: () => unknown("batch runs commands later that are not here"),
};

const NONE = { stdin: undefined };

/** The loader runs any program handed to it. */
export const isLoader = (program: string): boolean => /^ld(-linux|-musl)?[\w.-]*\.so(\.\d+)*$/.test(program);

function same(reader: Reader, names: readonly string[]): Record<string, Reader> {
  return Object.fromEntries(names.map((name) => [name, reader]));
}

/** Options first, then the command. */
function plain(shape: Shape): Reader {
  return (args, program) => run(dropAssignments(readOptions(args, { ...shape, leading: true }).operands), program);
}

/** Options, some words of its own, then the command. */
function skipping(count: number, shape: Shape = {}): Reader {
  return (args, program) => {
    const { operands } = readOptions(args, { ...shape, leading: true });
    return run(readOptions(operands.slice(count), { leading: true }).operands, program);
  };
}

/** `sudo A=b cmd`: the assignment is not the command. */
function dropAssignments(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex((word) => word === null || !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : words.slice(at);
}

function env(args: readonly Word[]): Finding[] {
  const shape: Shape = { short: "uCSPa", long: ["--unset", "--chdir", "--split-string", "--argv0"], leading: true };
  const read = readOptions(args, shape);
  const split = valuesOf(read, "-S", "--split-string");
  if (split.length > 0) return script(joined([...split, ...read.operands]), "env -S");
  const operands = read.operands[0] === "-" ? read.operands.slice(1) : read.operands;
  const at = operands.findIndex((word) => word === null || !word.includes("="));
  const command = at === -1 ? [] : operands.slice(at);
  const set = operands.slice(0, operands.length - command.length);
  return [...set.map((word): Finding => ({ kind: "set", ...pair(word!) })), ...run(command, "env")];
}

const pair = (word: string) => ({ name: word.slice(0, word.indexOf("=")), value: word.slice(word.indexOf("=") + 1) });

function scriptOption(args: readonly Word[], shape: Shape, names: readonly string[], via: string): Finding[] {
  return valuesOf(readOptions(args, shape), ...names).flatMap((text) => script(text, via));
}

function asUser(args: readonly Word[], program: string): Finding[] {
  const read = readOptions(args, { short: "cgGsuwT", long: ["--command", "--session-command", "--group", "--shell", "--user"] });
  const scripts = valuesOf(read, "-c", "--command", "--session-command").flatMap((text) => script(text, `${program} -c`));
  return scripts.length === 0 && valuesOf(read, "-u", "--user").length > 0 ? run(read.operands, program) : scripts;
}

function locked(args: readonly Word[]): Finding[] {
  const read = readOptions(args, { short: "wEcF", long: ["--timeout", "--wait", "--conflict-exit-code", "--command"], leading: true });
  const rest = readOptions(read.operands.slice(1), { short: "c", long: ["--command"], leading: true });
  const scripts = [...valuesOf(read, "-c", "--command"), ...valuesOf(rest, "-c", "--command")];
  return [...scripts.flatMap((text) => script(text, "flock -c")), ...run(rest.operands, "flock")];
}

function watched(args: readonly Word[]): Finding[] {
  const read = readOptions(args, { short: "nqs", long: ["--interval", "--equexit"], leading: true });
  if (read.operands.length === 0) return [];
  const direct = read.options.some(({ name }) => name === "-x" || name === "--exec");
  return direct ? run(read.operands, "watch") : script(joined(read.operands), "watch");
}

function xargs(args: readonly Word[]): Finding[] {
  const shape: Shape = {
    short: "adEILnPs",
    long: ["--arg-file", "--delimiter", "--max-args", "--max-chars", "--max-lines", "--max-procs", "--process-slot-var"],
    leading: true,
  };
  const read = readOptions(args, shape);
  const command = read.operands.length > 0 ? read.operands : ["echo"];
  const marks = [
    ...valuesOf(read, "-I", "--replace"),
    ...(read.options.some(({ name }) => name === "-i" || name === "--replace") ? ["{}"] : []),
  ];
  if (marks.length === 0) return run([...command, null], "xargs");
  const isMarked = (word: Word) => word !== null && marks.some((mark) => mark !== null && word.includes(mark));
  const filled = run(
    command.map((word) => (isMarked(word) ? null : word)),
    "xargs",
  );
  // `sh -c 'sudo rm {}'`: whatever is put in, the rest is there to be read.
  return command.some((word) => isMarked(word) && !marks.includes(word)) ? [...filled, ...run(command, "xargs")] : filled;
}

/** `parallel cmd ::: a b` runs `cmd a` and `cmd b` through a shell; without a command the inputs are the commands. */
function parallel(args: readonly Word[]): Finding[] {
  const read = readOptions(args, {
    short: "jaSINnPL",
    long: ["--jobs", "--arg-file", "--sshlogin", "--max-args", "--delay", "--timeout"],
    leading: true,
  });
  const at = read.operands.findIndex((word) => word?.startsWith(":::"));
  const command = at === -1 ? read.operands : read.operands.slice(0, at);
  if (at === -1)
    return command.length === 0 ? unknown("parallel runs commands it reads from its input") : script(joined(command), "parallel");
  const inputs = read.operands.slice(at + 1, at + 33);
  return inputs.flatMap((input) => script(joined([...command, input]), "parallel"));
}

function ssh(args: readonly Word[]): Finding[] {
  const read = readOptions(args, { short: "BbcDEeFIiJLlmOopPQRSWw", leading: true });
  return [...sshOptions(read), ...(read.operands.length > 1 ? script(joined(read.operands.slice(1)), "ssh") : [])];
}

const sshOptions = (read: Options): Finding[] =>
  valuesOf(read, "-o").flatMap((option) => {
    const found = /^\s*(proxycommand|localcommand|knownhostscommand)\s*[= ]\s*(.+)$/is.exec(option ?? "");
    return found ? script(found[2]!, `ssh -o ${found[1]}`) : [];
  });

/** `npm exec x`, `pnpm -r exec x`, `npm explore pkg -- x`; a script of the project named `exec` is only its script. */
function packages(args: readonly Word[], program: string): Finding[] {
  const shell = args.some((arg) => arg !== null && /^--script[-_]shell/.test(arg));
  const found = shell ? unknown(`${program} --script-shell changes what runs its scripts`) : [];
  const at = args.findIndex((arg, i) => arg !== null && /^(exec|x|dlx|explore)$/.test(arg) && !/^run/.test(args[i - 1] ?? ""));
  const end = args.indexOf("--");
  if (at === -1 || (end !== -1 && end < at)) return found;
  const rest = args.slice(at + 1);
  if (args[at] !== "explore") return [...found, ...inlineScript(rest, `${program} exec`)];
  return [...found, ...run(readOptions(readOptions(rest, { leading: true }).operands.slice(1), { leading: true }).operands, "npm explore")];
}

function goTools(args: readonly Word[]): Finding[] {
  return args.flatMap((arg, i) => {
    const found = /^--?(?:exec|toolexec|vettool)(?:=(.*))?$/s.exec(arg ?? "");
    return found ? script(found[1] ?? args[i + 1] ?? null, "go -exec") : [];
  });
}

/** `cmake -E` has small programs of its own. */
function cmake(args: readonly Word[]): Finding[] {
  const [tool, ...rest] = args[0] === "-E" ? args.slice(1) : [];
  if (tool === undefined) return [];
  if (tool === null) return unknown("what cmake -E does is only known at run time");
  if (tool === "chdir") return run(rest.slice(1), "cmake -E");
  const argv = CMAKE[tool];
  return argv ? run([...argv, ...rest], "cmake -E") : [];
}

const CMAKE: Record<string, readonly string[]> = {
  env: ["env"],
  time: ["time"],
  rm: ["rm"],
  remove: ["rm"],
  remove_directory: ["rm", "-r"],
  copy: ["cp"],
  copy_if_different: ["cp"],
  copy_directory: ["cp", "-r"],
  rename: ["mv"],
  touch: ["touch"],
  make_directory: ["mkdir"],
  create_symlink: ["ln"],
  create_hardlink: ["ln"],
  tar: ["tar"],
};

function daemon(args: readonly Word[]): Finding[] {
  // `--start` is an option of its own and not `--startas` cut short.
  const own = args.map((arg) => (arg === "--start" ? "-S" : arg));
  const read = readOptions(own, {
    short: "xapnugsRcrdNPIkOT",
    long: ["--exec", "--startas", "--pidfile", "--name", "--user", "--group", "--signal", "--retry", "--chuid", "--chroot", "--chdir"],
  });
  return valuesOf(read, "-x", "--exec", "-a", "--startas").flatMap((program) => run([program, ...read.operands], "start-stop-daemon"));
}

function asGroup(args: readonly Word[]): Finding[] {
  const words = args.filter((arg) => arg !== "-" && arg !== "-c").slice(1);
  return words.length > 0 ? script(joined(words), "sg") : [];
}

function trap(args: readonly Word[]): Finding[] {
  const { operands, options } = readOptions(args, { leading: true });
  if (options.length > 0 || operands.length < 2 || operands[0] === "-" || operands[0] === "") return [];
  return script(operands[0]!, "trap");
}

function inlineScript(args: readonly Word[], program: string): Finding[] {
  const read = readOptions(args, { short: "cp", long: ["--call", "--package"], leading: true });
  const scripts = valuesOf(read, "-c", "--call").flatMap((text) => script(text, `${program} -c`));
  return [...scripts, ...run(read.operands, program)];
}

function callback(args: readonly Word[], program: string): Finding[] {
  return scriptOption(args, { short: "dnOsuCc" }, ["-C"], `${program} -C`);
}

function definitions(args: readonly Word[]): Finding[] {
  return args.flatMap((arg) => {
    if (arg === null) return unknown("an alias is defined by a value only known at run time");
    const at = arg.indexOf("=");
    return at > 0 ? script(arg.slice(at + 1), `alias ${arg.slice(0, at)}`) : [];
  });
}

function after(args: readonly Word[], verb: string): readonly Word[] {
  const at = args.indexOf(verb);
  if (at === -1) return [];
  return readOptions(args.slice(at + 1), { leading: true }).operands;
}
