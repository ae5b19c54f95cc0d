import { joinedWords, type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { type OptionShape, optionValues, readOptions, type ShellWord } from "../options.ts";

/** Programs whose arguments are another command. The letters and names are the options that take a value. */
export const WRAPPERS: Record<string, ProgramReader> = {
  env,
  ...sameReader(plain({}), [
    "nohup",
    "unbuffer",
    "dbus-run-session",
    "catchsegv",
    "pkexec",
    "tini",
    "dumb-init",
    "winpty",
    "torsocks",
    "torify",
    "tsocks",
    "proxychains",
    "proxychains4",
    "caffeinate",
    "eatmydata",
    "fakechroot",
    "chronic",
    "ifne",
    "run-one",
    "nocache",
    "setsid",
    "valgrind",
    "heaptrack",
    "coproc",
    "ccache",
    "sccache",
    "distcc",
    "icecc",
    "xcrun",
    "pasuspender",
    "primusrun",
    "optirun",
    "systemd-inhibit",
    "daemonize",
    "firejail",
    "ssh-agent",
    "flatpak-spawn",
    "colormake",
    "scan-build",
    "bear",
    "checkinstall",
  ]),
  ...sameReader(architecture, ["setarch", "linux64", "linux32", "i386", "i686", "x86_64", "uname26", "ppc", "sparc", "s390x"]),
  ...sameReader(plain({ short: "fo", long: ["--format", "--output"] }), ["time", "gtime"]),
  ...sameReader(skipOptions(1, { short: "ks", long: ["--kill-after", "--signal"] }), ["timeout", "gtimeout"]),
  nice: plain({ short: "n", long: ["--adjustment"] }),
  ionice: plain({ short: "cnpPu", long: ["--class", "--classdata", "--pid"] }),
  chrt: skipOptions(1, { short: "TPD", long: ["--sched-runtime", "--sched-period", "--sched-deadline"] }),
  taskset: skipOptions(1),
  stdbuf: plain({ short: "ioe", long: ["--input", "--output", "--error"] }),
  fakeroot: plain({ short: "lsib", long: ["--lib", "--faked"] }),
  faketime: skipOptions(1, { short: "pm" }),
  chroot: skipOptions(1, { long: ["--userspec", "--groups"] }),
  prlimit: plain({ short: "p", long: ["--pid"] }),
  choom: plain({ short: "np", long: ["--adjust", "--pid"] }),
  setpriv: plain({
    long: [
      "--reuid",
      "--regid",
      "--ruid",
      "--euid",
      "--rgid",
      "--egid",
      "--groups",
      "--inh-caps",
      "--ambient-caps",
      "--bounding-set",
      "--securebits",
      "--pdeathsig",
      "--ptracer",
      "--selinux-label",
      "--apparmor-profile",
      "--landlock-access",
      "--landlock-rule",
    ],
  }),
  unshare: plain({
    short: "SGRw",
    long: ["--setuid", "--setgid", "--root", "--wd", "--map-user", "--map-users", "--map-group", "--map-groups", "--propagation"],
  }),
  nsenter: plain({ short: "tSGrw", long: ["--target", "--setuid", "--setgid"] }),
  "systemd-run": plain({
    short: "puMEHt",
    long: [
      "--unit",
      "--property",
      "--setenv",
      "--machine",
      "--host",
      "--slice",
      "--uid",
      "--gid",
      "--description",
      "--working-directory",
      "--nice",
      "--service-type",
      "--timer-property",
      "--on-active",
      "--on-calendar",
    ],
  }),
  "systemd-cat": plain({ short: "tp", long: ["--identifier", "--priority", "--stderr-priority"] }),
  strace: plain({ short: "aeEIopPsSuOX", long: ["--output", "--attach", "--user", "--trace", "--env"] }),
  ltrace: plain({ short: "aAeEFlnopsuwx" }),
  ...sameReader((args) => plain({ short: "eopCt" })(args.slice(1), "perf", NONE), ["perf", "rr", "uftrace", "trace-cmd", "gprofng"]),
  rlwrap: plain({ short: "abcfgHlMOpPqSsth" }),
  ...sameReader(skipOptions(1), ["gosu", "su-exec", "setuidgid", "envdir", "lckdo", "logsave", "runcon"]),
  chpst: plain({ short: "ueUbmdofpcrtlLn" }),
  cgexec: plain({ short: "g" }),
  numactl: plain({ short: "ipmNPCl", long: ["--interleave", "--preferred", "--membind", "--cpunodebind", "--physcpubind"] }),
  "aa-exec": plain({ short: "pn", long: ["--profile", "--namespace"] }),
  cpulimit: plain({ short: "lpec", long: ["--limit", "--pid", "--exe"] }),
  trickle: plain({ short: "duwtlnL" }),
  sshpass: plain({ short: "fdpP" }),
  "xvfb-run": plain({ short: "efnps", long: ["--error-file", "--auth-file", "--server-num", "--server-args", "--xauth-protocol"] }),
  "dbus-launch": plain({ long: ["--config-file"] }),
  "gpg-agent": plain({ long: ["--options", "--homedir"] }),
  ...sameReader(skipOptions(1, { short: "r" }), ["dtach", "abduco"]),
  tcpserver: skipOptions(2, { short: "ugclbtx" }),
  libtool: plain({ long: ["--tag"] }),
  sudo: plain({ short: "ugpChrtTUDR", long: ["--user", "--group", "--prompt", "--chdir", "--host"] }),
  doas: plain({ short: "uC" }),
  run0: plain({ short: "ugD", long: ["--user", "--group", "--chdir"] }),
  ...sameReader(asUser, ["su", "runuser"]),
  flock: locked,
  script: scripted,
  watch: watched,
  entr: (args, program) =>
    /^-[a-z]*s/.test(args[0] ?? "")
      ? script(joinedWords(readOptions(args, { leading: true }).operands), program)
      : plain({})(args, program, NONE),
  busybox: (args) => runsProgram(args, "busybox"),
  toybox: (args) => runsProgram(args, "toybox"),
  capsh,
  ...sameReader(asGroup, ["sg", "newgrp"]),
  "start-stop-daemon": daemon,
  ip: inNamespace,
  ...sameReader(behindDashes, [
    "xterm",
    "urxvt",
    "rxvt",
    "konsole",
    "alacritty",
    "kitty",
    "foot",
    "gnome-terminal",
    "xfce4-terminal",
    "lldb",
    "gdb",
  ]),
  watchexec: plain({ short: "wiefdsN", long: ["--watch", "--exts", "--ignore", "--filter", "--shell", "--signal", "--delay-run"] }),
  at: () => unknownEffect("at runs commands later that are not here"),
  batch: () => unknownEffect("batch runs commands later that are not here"),
};

const NONE = { stdin: undefined };

/** The loader runs any program handed to it. */
export const isLoader = (program: string): boolean => /^(ld(-linux|-musl)?[\w.-]*\.so(\.\d+)*|qemu-[a-z0-9_]+|box(64|86))$/.test(program);

export function sameReader(reader: ProgramReader, names: readonly string[]): Record<string, ProgramReader> {
  return Object.fromEntries(names.map((name) => [name, reader]));
}

/** Options first, then the command. */
export function plain(shape: OptionShape): ProgramReader {
  return (args, program) => runsProgram(dropAssignments(readOptions(args, { ...shape, leading: true }).operands), program);
}

/** Options, some words of its own, then the command. */
export function skipOptions(count: number, shape: OptionShape = {}): ProgramReader {
  return (args, program) => {
    const { operands } = readOptions(args, { ...shape, leading: true });
    return runsProgram(readOptions(operands.slice(count), { leading: true }).operands, program);
  };
}

/** `sudo A=b cmd`: the assignment is not the command. */
function dropAssignments(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex((word) => word === null || !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : words.slice(at);
}

export function env(args: readonly ShellWord[]): ProgramFinding[] {
  const shape: OptionShape = { short: "uCSPa", long: ["--unset", "--chdir", "--split-string", "--argv0"], leading: true };
  const read = readOptions(args, shape);
  const split = optionValues(read, "-S", "--split-string");
  // What follows the text is a word each: it is put together with quotes, so that the text is read as options and a command.
  if (split.length > 0) {
    const rest = read.operands.map((word) => (word === null ? null : `'${word.replaceAll("'", "'\\''")}'`));
    return script(joinedWords(["env", ...split, ...rest]), "env -S");
  }
  const operands = read.operands[0] === "-" ? read.operands.slice(1) : read.operands;
  const at = operands.findIndex((word) => word === null || !word.includes("="));
  const command = at === -1 ? [] : operands.slice(at);
  const set = operands.slice(0, operands.length - command.length);
  return [...set.map((word): ProgramFinding => ({ kind: "set", ...pair(word!) })), ...runsProgram(command, "env")];
}

const pair = (word: string) => ({ name: word.slice(0, word.indexOf("=")), value: word.slice(word.indexOf("=") + 1) });

/** `setarch x86_64 -R cmd`: the architecture may be left out, and may be the program's own name. */
function architecture(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const { operands } = readOptions(args, { short: "p", leading: true });
  const named =
    program === "setarch" &&
    operands[0] !== null &&
    /^(x86_64|i[3-6]86|linux(32|64)|uname26|\w*(64|32|390x?|arm\w*|ppc\w*|sparc\w*|mips\w*))$/.test(operands[0] ?? "");
  return runsProgram(readOptions(operands.slice(named ? 1 : 0), { leading: true }).operands, program);
}

function asUser(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const read = readOptions(args, { short: "cgGsuwT", long: ["--command", "--session-command", "--group", "--shell", "--user"] });
  const scripts = optionValues(read, "-c", "--command", "--session-command").flatMap((text) => script(text, `${program} -c`));
  return scripts.length === 0 && optionValues(read, "-u", "--user").length > 0 ? runsProgram(read.operands, program) : scripts;
}

function locked(args: readonly ShellWord[]): ProgramFinding[] {
  const read = readOptions(args, { short: "wEc", long: ["--timeout", "--wait", "--conflict-exit-code", "--command"], leading: true });
  const rest = readOptions(read.operands.slice(1), { short: "c", long: ["--command"], leading: true });
  const scripts = [...optionValues(read, "-c", "--command"), ...optionValues(rest, "-c", "--command")];
  return [...scripts.flatMap((text) => script(text, "flock -c")), ...runsProgram(rest.operands, "flock")];
}

/** `script -c 'cmd' file`, and newer ones `script file -- cmd`. */
function scripted(args: readonly ShellWord[]): ProgramFinding[] {
  const end = args.indexOf("--");
  const read = readOptions(end === -1 ? args : args.slice(0, end), { short: "coEIOBmT", long: ["--command"] });
  const behind = end === -1 ? [] : args.slice(end + 1);
  return [
    ...optionValues(read, "-c", "--command").flatMap((text) => script(text, "script -c")),
    ...(behind.length > 0 ? script(joinedWords(behind), "script") : []),
  ];
}

function watched(args: readonly ShellWord[]): ProgramFinding[] {
  const read = readOptions(args, { short: "nqs", long: ["--interval", "--equexit"], leading: true });
  if (read.operands.length === 0) return [];
  const direct = read.options.some(({ name }) => name === "-x" || name === "--exec");
  return direct ? runsProgram(read.operands, "watch") : script(joinedWords(read.operands), "watch");
}

/** `--` and `==` start a shell with what follows; `--shell=` says which. */
function capsh(args: readonly ShellWord[]): ProgramFinding[] {
  const at = args.findIndex((arg) => arg === "--" || arg === "==" || arg === "-+" || arg === "=+");
  const shell = args.find((arg) => arg?.startsWith("--shell="))?.slice(8) ?? "bash";
  return at === -1 ? [] : runsProgram([shell, ...args.slice(at + 1)], "capsh");
}

function daemon(args: readonly ShellWord[]): ProgramFinding[] {
  // `--start` is an option of its own and not `--startas` cut short.
  const own = args.map((arg) => (arg === "--start" ? "-S" : arg));
  const read = readOptions(own, {
    short: "xapnugsRcrdNPIkOT",
    long: ["--exec", "--startas", "--pidfile", "--name", "--user", "--group", "--signal", "--retry", "--chuid", "--chroot", "--chdir"],
  });
  return optionValues(read, "-x", "--exec", "-a", "--startas").flatMap((program) =>
    runsProgram([program, ...read.operands], "start-stop-daemon"),
  );
}

function asGroup(args: readonly ShellWord[]): ProgramFinding[] {
  const words = args.filter((arg) => arg !== "-" && arg !== "-c").slice(1);
  return words.length > 0 ? script(joinedWords(words), "sg") : [];
}

/** `ip netns exec name cmd`; its words may be cut short. */
function inNamespace(args: readonly ShellWord[]): ProgramFinding[] {
  const { operands } = readOptions(args, { short: "nfbl", long: ["--netns", "--family", "--batch"], leading: true });
  if (args.some((arg) => arg !== null && /^--?b(atch)?$/.test(arg))) return unknownEffect("ip runs commands from a file");
  const [object, verb] = operands;
  if (!/^(net|netn|netns|vrf)$/.test(object ?? "") || !/^e/.test(verb ?? "")) return [];
  return runsProgram(operands.slice(args.some((arg) => arg !== null && /^--?a(ll)?$/.test(arg)) ? 2 : 3), "ip netns exec");
}

/** `xterm -e cmd`, `gdb --args cmd`, `lldb -- cmd`. */
function behindDashes(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const at = args.findIndex((arg) => arg === "-e" || arg === "--" || arg === "--args" || arg === "-x");
  if (at === -1) return [];
  const command = args.slice(at + 1);
  return args[at] === "-e" && command.length === 1 && program !== "lldb" ? script(command[0]!, program) : runsProgram(command, program);
}
