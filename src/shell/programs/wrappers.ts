import { quoteShellAlways } from "../../text/quote-shell.ts";
import { joinedWords, type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { optionValues, readLeadingOptions, readOptions, type ShellWord, type ValuedOptions } from "../options.ts";
import { underNames } from "./under-names.ts";

/** Programs whose arguments are another command. The letters and names are the options that take a value. */
export const WRAPPERS: Record<string, ProgramReader> = {
  env,
  ...underNames(
    `nohup unbuffer dbus-run-session catchsegv pkexec tini dumb-init winpty torsocks torify tsocks proxychains proxychains4
    caffeinate eatmydata fakechroot chronic ifne run-one nocache setsid valgrind heaptrack coproc ccache sccache distcc icecc xcrun
    pasuspender primusrun optirun systemd-inhibit daemonize firejail ssh-agent flatpak-spawn colormake scan-build bear checkinstall`,
    plain(),
  ),
  ...underNames("setarch linux64 linux32 i386 i686 x86_64 uname26 ppc sparc s390x", architecture),
  ...underNames("time gtime", plain("fo --format --output")),
  ...underNames("timeout gtimeout", skipOptions(1, "ks --kill-after --signal")),
  nice: plain("n --adjustment"),
  ionice: plain("cnpPu --class --classdata --pid"),
  chrt: skipOptions(1, "TPD --sched-runtime --sched-period --sched-deadline"),
  taskset: skipOptions(1),
  stdbuf: plain("ioe --input --output --error"),
  fakeroot: plain("lsib --lib --faked"),
  faketime: skipOptions(1, "pm"),
  chroot: skipOptions(1, "--userspec --groups"),
  prlimit: plain("p --pid"),
  choom: plain("np --adjust --pid"),
  setpriv: plain(
    "--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --ptracer --selinux-label --apparmor-profile --landlock-access --landlock-rule",
  ),
  unshare: plain("SGRw --setuid --setgid --root --wd --map-user --map-users --map-group --map-groups --propagation"),
  nsenter: plain("tSGrw --target --setuid --setgid"),
  "systemd-run": plain(
    "puMEHt --unit --property --setenv --machine --host --slice --uid --gid --description --working-directory --nice --service-type --timer-property --on-active --on-calendar",
  ),
  "systemd-cat": plain("tp --identifier --priority --stderr-priority"),
  strace: plain("aeEIopPsSuOX --output --attach --user --trace --env"),
  ltrace: plain("aAeEFlnopsuwx"),
  ...underNames("perf rr uftrace trace-cmd gprofng", (args) => plain("eopCt")(args.slice(1), "perf", NONE)),
  rlwrap: plain("abcfgHlMOpPqSsth"),
  ...underNames("gosu su-exec setuidgid envdir lckdo logsave runcon", skipOptions(1)),
  chpst: plain("ueUbmdofpcrtlLn"),
  cgexec: plain("g"),
  numactl: plain("ipmNPCl --interleave --preferred --membind --cpunodebind --physcpubind"),
  "aa-exec": plain("pn --profile --namespace"),
  cpulimit: plain("lpec --limit --pid --exe"),
  trickle: plain("duwtlnL"),
  sshpass: plain("fdpP"),
  "xvfb-run": plain("efnps --error-file --auth-file --server-num --server-args --xauth-protocol"),
  "dbus-launch": plain("--config-file"),
  "gpg-agent": plain("--options --homedir"),
  ...underNames("dtach abduco", skipOptions(1, "r")),
  tcpserver: skipOptions(2, "ugclbtx"),
  libtool: plain("--tag"),
  sudo: plain("ugpChrtTUDR --user --group --prompt --chdir --host"),
  doas: plain("uC"),
  run0: plain("ugD --user --group --chdir"),
  ...underNames("su runuser", asUser),
  flock: locked,
  script: scripted,
  watch: watched,
  entr: (args, program) =>
    /^-[a-z]*s/.test(args[0] ?? "") ? script(joinedWords(readLeadingOptions(args).operands), program) : plain()(args, program, NONE),
  busybox: (args) => runsProgram(args, "busybox"),
  toybox: (args) => runsProgram(args, "toybox"),
  capsh,
  ...underNames("sg newgrp", asGroup),
  "start-stop-daemon": daemon,
  ip: inNamespace,
  ...underNames("xterm urxvt rxvt konsole alacritty kitty foot gnome-terminal xfce4-terminal lldb gdb", behindDashes),
  watchexec: plain("wiefdsN --watch --exts --ignore --filter --shell --signal --delay-run"),
  at: () => unknownEffect("at runs commands later that are not here"),
  batch: () => unknownEffect("batch runs commands later that are not here"),
};

const NONE = { stdin: undefined };

/** The loader runs any program handed to it. */
export const isLoader = (program: string): boolean => /^(ld(-linux|-musl)?[\w.-]*\.so(\.\d+)*|qemu-[a-z0-9_]+|box(64|86))$/.test(program);

/** Options first, then the command. */
export function plain(valued?: ValuedOptions): ProgramReader {
  return (args, program) => runsProgram(dropAssignments(readLeadingOptions(args, valued).operands), program);
}

/** Options, some words of its own, then the command. */
export function skipOptions(count: number, valued?: ValuedOptions): ProgramReader {
  return (args, program) => {
    const { operands } = readLeadingOptions(args, valued);
    return runsProgram(readLeadingOptions(operands.slice(count)).operands, program);
  };
}

/** `sudo A=b cmd`: the assignment is not the command. */
function dropAssignments(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex((word) => word === null || !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : words.slice(at);
}

export function env(args: readonly ShellWord[]): ProgramFinding[] {
  const read = readLeadingOptions(args, "uCSPa --unset --chdir --split-string --argv0");
  const split = optionValues(read, "-S", "--split-string");
  // What follows the text is a word each: it is put together with quotes, so that the text is read as options and a command.
  if (split.length > 0) {
    const rest = read.operands.map((word) => (word === null ? null : quoteShellAlways(word)));
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
  const { operands } = readLeadingOptions(args, "p");
  const named =
    program === "setarch" &&
    operands[0] !== null &&
    /^(x86_64|i[3-6]86|linux(32|64)|uname26|\w*(64|32|390x?|arm\w*|ppc\w*|sparc\w*|mips\w*))$/.test(operands[0] ?? "");
  return runsProgram(readLeadingOptions(operands.slice(named ? 1 : 0)).operands, program);
}

function asUser(args: readonly ShellWord[], program: string): ProgramFinding[] {
  const read = readOptions(args, "cgGsuwT --command --session-command --group --shell --user");
  const scripts = optionValues(read, "-c", "--command", "--session-command").flatMap((text) => script(text, `${program} -c`));
  return scripts.length === 0 && optionValues(read, "-u", "--user").length > 0 ? runsProgram(read.operands, program) : scripts;
}

function locked(args: readonly ShellWord[]): ProgramFinding[] {
  const read = readLeadingOptions(args, "wEc --timeout --wait --conflict-exit-code --command");
  const rest = readLeadingOptions(read.operands.slice(1), "c --command");
  const scripts = [...optionValues(read, "-c", "--command"), ...optionValues(rest, "-c", "--command")];
  return [...scripts.flatMap((text) => script(text, "flock -c")), ...runsProgram(rest.operands, "flock")];
}

/** `script -c 'cmd' file`, and newer ones `script file -- cmd`. */
function scripted(args: readonly ShellWord[]): ProgramFinding[] {
  const end = args.indexOf("--");
  const read = readOptions(end === -1 ? args : args.slice(0, end), "coEIOBmT --command");
  const behind = end === -1 ? [] : args.slice(end + 1);
  return [
    ...optionValues(read, "-c", "--command").flatMap((text) => script(text, "script -c")),
    ...(behind.length > 0 ? script(joinedWords(behind), "script") : []),
  ];
}

function watched(args: readonly ShellWord[]): ProgramFinding[] {
  const read = readLeadingOptions(args, "nqs --interval --equexit");
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
  const read = readOptions(
    own,
    "xapnugsRcrdNPIkOT --exec --startas --pidfile --name --user --group --signal --retry --chuid --chroot --chdir",
  );
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
  const { operands } = readLeadingOptions(args, "nfbl --netns --family --batch");
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
