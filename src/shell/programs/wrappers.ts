import { type Finding, joined, type Reader, run, script, unknown } from "../finding.ts";
import { readOptions, type Shape, valuesOf, type Word } from "../options.ts";

/** Programs whose arguments are another command. The letters and names are the options that take a value. */
export const WRAPPERS: Record<string, Reader> = {
  env,
  ...same(plain({}), [
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
  ...same(architecture, ["setarch", "linux64", "linux32", "i386", "i686", "x86_64", "uname26", "ppc", "sparc", "s390x"]),
  ...same(plain({ short: "fo", long: ["--format", "--output"] }), ["time", "gtime"]),
  ...same(skipping(1, { short: "ks", long: ["--kill-after", "--signal"] }), ["timeout", "gtimeout"]),
  nice: plain({ short: "n", long: ["--adjustment"] }),
  ionice: plain({ short: "cnpPu", long: ["--class", "--classdata", "--pid"] }),
  chrt: skipping(1, { short: "TPD", long: ["--sched-runtime", "--sched-period", "--sched-deadline"] }),
  taskset: skipping(1),
  stdbuf: plain({ short: "ioe", long: ["--input", "--output", "--error"] }),
  fakeroot: plain({ short: "lsib", long: ["--lib", "--faked"] }),
  faketime: skipping(1, { short: "pm" }),
  chroot: skipping(1, { long: ["--userspec", "--groups"] }),
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
  ...same((args) => plain({ short: "eopCt" })(args.slice(1), "perf", NONE), ["perf", "rr", "uftrace", "trace-cmd", "gprofng"]),
  rlwrap: plain({ short: "abcfgHlMOpPqSsth" }),
  ...same(skipping(1), ["gosu", "su-exec", "setuidgid", "envdir", "lckdo", "logsave", "runcon"]),
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
  ...same(skipping(1, { short: "r" }), ["dtach", "abduco"]),
  tcpserver: skipping(2, { short: "ugclbtx" }),
  libtool: plain({ long: ["--tag"] }),
  sudo: plain({ short: "ugpChrtTUDR", long: ["--user", "--group", "--prompt", "--chdir", "--host"] }),
  doas: plain({ short: "uC" }),
  run0: plain({ short: "ugD", long: ["--user", "--group", "--chdir"] }),
  ...same(asUser, ["su", "runuser"]),
  flock: locked,
  script: scripted,
  watch: watched,
  entr: (args, program) =>
    /^-[a-z]*s/.test(args[0] ?? "")
      ? script(joined(readOptions(args, { leading: true }).operands), program)
      : plain({})(args, program, NONE),
  busybox: (args) => run(args, "busybox"),
  toybox: (args) => run(args, "toybox"),
  capsh,
  ...same(asGroup, ["sg", "newgrp"]),
  "start-stop-daemon": daemon,
  ip: inNamespace,
  ...same(behindDashes, [
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
  at: () => unknown("at runs commands later that are not here"),
  batch: () => unknown("batch runs commands later that are not here"),
};

const NONE = { stdin: undefined };

/** The loader runs any program handed to it. */
export const isLoader = (program: string): boolean => /^(ld(-linux|-musl)?[\w.-]*\.so(\.\d+)*|qemu-[a-z0-9_]+|box(64|86))$/.test(program);

export function same(reader: Reader, names: readonly string[]): Record<string, Reader> {
  return Object.fromEntries(names.map((name) => [name, reader]));
}

/** Options first, then the command. */
export function plain(shape: Shape): Reader {
  return (args, program) => run(dropAssignments(readOptions(args, { ...shape, leading: true }).operands), program);
}

/** Options, some words of its own, then the command. */
export function skipping(count: number, shape: Shape = {}): Reader {
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

export function env(args: readonly Word[]): Finding[] {
  const shape: Shape = { short: "uCSPa", long: ["--unset", "--chdir", "--split-string", "--argv0"], leading: true };
  const read = readOptions(args, shape);
  const split = valuesOf(read, "-S", "--split-string");
  // What follows the text is a word each: it is put together with quotes, so that the text is read as options and a command.
  if (split.length > 0) {
    const rest = read.operands.map((word) => (word === null ? null : `'${word.replaceAll("'", "'\\''")}'`));
    return script(joined(["env", ...split, ...rest]), "env -S");
  }
  const operands = read.operands[0] === "-" ? read.operands.slice(1) : read.operands;
  const at = operands.findIndex((word) => word === null || !word.includes("="));
  const command = at === -1 ? [] : operands.slice(at);
  const set = operands.slice(0, operands.length - command.length);
  return [...set.map((word): Finding => ({ kind: "set", ...pair(word!) })), ...run(command, "env")];
}

const pair = (word: string) => ({ name: word.slice(0, word.indexOf("=")), value: word.slice(word.indexOf("=") + 1) });

/** `setarch x86_64 -R cmd`: the architecture may be left out, and may be the program's own name. */
function architecture(args: readonly Word[], program: string): Finding[] {
  const { operands } = readOptions(args, { short: "p", leading: true });
  const named =
    program === "setarch" &&
    operands[0] !== null &&
    /^(x86_64|i[3-6]86|linux(32|64)|uname26|\w*(64|32|390x?|arm\w*|ppc\w*|sparc\w*|mips\w*))$/.test(operands[0] ?? "");
  return run(readOptions(operands.slice(named ? 1 : 0), { leading: true }).operands, program);
}

function asUser(args: readonly Word[], program: string): Finding[] {
  const read = readOptions(args, { short: "cgGsuwT", long: ["--command", "--session-command", "--group", "--shell", "--user"] });
  const scripts = valuesOf(read, "-c", "--command", "--session-command").flatMap((text) => script(text, `${program} -c`));
  return scripts.length === 0 && valuesOf(read, "-u", "--user").length > 0 ? run(read.operands, program) : scripts;
}

function locked(args: readonly Word[]): Finding[] {
  const read = readOptions(args, { short: "wEc", long: ["--timeout", "--wait", "--conflict-exit-code", "--command"], leading: true });
  const rest = readOptions(read.operands.slice(1), { short: "c", long: ["--command"], leading: true });
  const scripts = [...valuesOf(read, "-c", "--command"), ...valuesOf(rest, "-c", "--command")];
  return [...scripts.flatMap((text) => script(text, "flock -c")), ...run(rest.operands, "flock")];
}

/** `script -c 'cmd' file`, and newer ones `script file -- cmd`. */
function scripted(args: readonly Word[]): Finding[] {
  const end = args.indexOf("--");
  const read = readOptions(end === -1 ? args : args.slice(0, end), { short: "coEIOBmT", long: ["--command"] });
  const behind = end === -1 ? [] : args.slice(end + 1);
  return [
    ...valuesOf(read, "-c", "--command").flatMap((text) => script(text, "script -c")),
    ...(behind.length > 0 ? script(joined(behind), "script") : []),
  ];
}

function watched(args: readonly Word[]): Finding[] {
  const read = readOptions(args, { short: "nqs", long: ["--interval", "--equexit"], leading: true });
  if (read.operands.length === 0) return [];
  const direct = read.options.some(({ name }) => name === "-x" || name === "--exec");
  return direct ? run(read.operands, "watch") : script(joined(read.operands), "watch");
}

/** `--` and `==` start a shell with what follows; `--shell=` says which. */
function capsh(args: readonly Word[]): Finding[] {
  const at = args.findIndex((arg) => arg === "--" || arg === "==" || arg === "-+" || arg === "=+");
  const shell = args.find((arg) => arg?.startsWith("--shell="))?.slice(8) ?? "bash";
  return at === -1 ? [] : run([shell, ...args.slice(at + 1)], "capsh");
}

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

/** `ip netns exec name cmd`; its words may be cut short. */
function inNamespace(args: readonly Word[]): Finding[] {
  const { operands } = readOptions(args, { short: "nfbl", long: ["--netns", "--family", "--batch"], leading: true });
  if (args.some((arg) => arg !== null && /^--?b(atch)?$/.test(arg))) return unknown("ip runs commands from a file");
  const [object, verb] = operands;
  if (!/^(net|netn|netns|vrf)$/.test(object ?? "") || !/^e/.test(verb ?? "")) return [];
  return run(operands.slice(args.some((arg) => arg !== null && /^--?a(ll)?$/.test(arg)) ? 2 : 3), "ip netns exec");
}

/** `xterm -e cmd`, `gdb --args cmd`, `lldb -- cmd`. */
function behindDashes(args: readonly Word[], program: string): Finding[] {
  const at = args.findIndex((arg) => arg === "-e" || arg === "--" || arg === "--args" || arg === "-x");
  if (at === -1) return [];
  const command = args.slice(at + 1);
  return args[at] === "-e" && command.length === 1 && program !== "lldb" ? script(command[0]!, program) : run(command, program);
}
