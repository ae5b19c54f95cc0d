import { quoteShellAlways } from "../../text/quote-shell.ts";
import { type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { optionValues, readLeadingOptions, readOptions, type ShellWord } from "../options.ts";
import { underNames } from "./under-names.ts";

/** How a program is told by options what to start: letters and long names, with a blank between them. */
interface Launch {
  /** Options whose value is a command line. */
  readonly runs?: string;
  /** Options whose value is a file of code or of settings that name programs. */
  readonly loads?: string;
  /** Other options that take a value, so that it is not read as options. */
  readonly takes?: string;
}

const TABLE: Record<string, Launch> = {
  sort: { runs: "--compress-program", takes: "-o -k -S -t -T --output" },
  man: { runs: "-P --pager -H --html", loads: "-C --config-file", takes: "-p -L -M -S -s -r -R -e --preprocessor" },
  rg: { runs: "--pre --hostname-bin", takes: "-A -B -C -e -f -m -g -t --pre-glob" },
  bat: { runs: "--pager" },
  delta: { runs: "--pager" },
  ag: { runs: "--pager" },
  ack: { runs: "--pager" },
  less: { loads: "-k --lesskey-file --lesskey-src --lesskey-content", takes: "-p -P -t -T -o -O -x -y -j -b -D" },
  rsync: { runs: "-e --rsh --rsync-path", takes: "-f -T -B -M --filter --exclude --include --exclude-from --files-from" },
  mosh: { runs: "--ssh --server --client" },
  split: { runs: "--filter", takes: "-a -b -C -l -n -t" },
  zip: { runs: "--unzip-command", takes: "-b -n -t -x -i" },
  cpio: { runs: "--rsh-command" },
  tcpdump: { runs: "-z", takes: "-w -r -i -C -G -W -c -s" },
  wget: { runs: "--use-askpass" },
  install: { runs: "--strip-program", takes: "-g -m -o -S -t --group --mode --owner --target-directory --suffix" },
  prove: { runs: "-e --exec", loads: "-P --harness --source --formatter --rc --modules", takes: "-I -j -a -M --jobs --state --ext" },
  dpkg: {
    runs: "--pre-invoke --post-invoke --status-logger",
    takes: "-D --admindir --root --instdir --path-exclude --path-include --status-fd --ignore-depends --log",
  },
  rpm: { runs: "--pipe", takes: "-D --define" },
  pacman: { loads: "--hookdir --config", takes: "-r -b" },
  nano: { runs: "-s --speller", takes: "-Y -T -r -o -C -Q --syntax --tabsize" },
  gpg: { runs: "--photo-viewer --agent-program --pinentry-program --dirmngr-program --gpg-program --exec-path", loads: "--options" },
  svn: { runs: "--editor-cmd --diff-cmd --diff3-cmd --merge-cmd", loads: "--config-dir --config-option", takes: "-m -r -F" },
  hg: { runs: "-e --ssh --remotecmd", takes: "-m -r -R -u --message" },
  cvs: { runs: "-e", takes: "-d -z -s" },
  bpftrace: { runs: "-c", takes: "-e -p -o" },
  stap: { runs: "-c", takes: "-e -p -o" },
  mysql: { runs: "--pager", takes: "-e -u -h -P -D -p" },
  dhclient: { runs: "-sf", takes: "-cf -lf -pf" },
  openvpn: { runs: "--up --down --route-up --ipchange --client-connect --tls-verify", loads: "--plugin" },
  latexmk: { runs: "-e -pdflatex -latex -xelatex -lualatex", loads: "-r" },
  gradle: { loads: "-I --init-script", takes: "-p -b -c -x" },
  emacsclient: { loads: "-e --eval" },
  ...Object.fromEntries(["pip", "pip3"].map((name) => [name, { runs: "--python --editor", takes: "-r -c -e -i -t" }])),
  screen: { loads: "-c", takes: "-S -e -h -p -s -t -T" },
};

/** Programs that name what they start in the value of an option. */
export const optionLaunchers = (): Record<string, ProgramReader> => ({
  ...Object.fromEntries(Object.entries(TABLE).map(([name, launch]) => [name, optionsOf(launch)])),
  batcat: optionsOf(TABLE.bat!),
});

/** Programs that name it in a way of their own. */
export const LAUNCHERS: Record<string, ProgramReader> = {
  ...underNames("tar gtar bsdtar", tar),
  ...underNames("apt apt-get aptitude apt-cache apt-config apt-mark", apt),
  ...underNames("rpm rpmbuild rpmspec", macros),
  fzf: (args) => [
    ...optionValues(readOptions(args, "--preview --bind --with-shell"), "--preview", "--with-shell").flatMap((text) => script(text, "fzf")),
    ...optionValues(readOptions(args, "--preview --bind"), "--bind").flatMap((text) =>
      text === null || /execute|become|reload|transform|preview/.test(text) ? boundCommands(text) : [],
    ),
  ],
  zip: (args) =>
    args.flatMap((arg, i) => {
      const [, attached] = /^-[a-zA-Z]*TT=?(.*)$/s.exec(arg ?? "") ?? [];
      return attached === undefined ? [] : script(attached === "" ? (args[i + 1] ?? null) : attached, "zip -TT");
    }),
  openssl: dashed(/^-{1,2}(engine|provider-path|provider|engine_impl|config)$/, /^(default|legacy|fips|base|null)$/),
  ...underNames("java javac javadoc jshell kotlinc scalac", java),
  hg: (args) =>
    args.flatMap((arg, i) => {
      const [, attached] = /^--config(?:=(.*))?$/s.exec(arg ?? "") ?? [];
      if (!arg?.startsWith("--config")) return [];
      const setting = attached ?? args[i + 1] ?? null;
      const [, , value] = /^(\w+)\.[^=]*=(.*)$/s.exec(setting ?? "") ?? [];
      return /^(ui|diff|merge-tools|progress|color|web|phases|devel)\./.test(setting ?? "") &&
        !/^ui\.(ssh|editor|merge|remotecmd)/.test(setting ?? "")
        ? []
        : [
            ...unknownEffect("hg --config changes what it runs"),
            ...(value === undefined ? [] : script(value.replace(/^!/, ""), "hg --config")),
          ];
    }),
  rsync: (args) => (args.includes("--daemon") ? unknownEffect("rsync --daemon runs what its settings name") : []),
  screen: (args) => {
    if (args.includes("-X")) return unknownEffect("screen -X sends commands to another session");
    const { operands } = readLeadingOptions(args, "SehpsTtcX");
    return runsProgram(operands, "screen");
  },
  gh: (args) => {
    const { operands, options } = readOptions(args);
    const [object, verb, name, text] = operands;
    if (
      object === "alias" &&
      verb === "set" &&
      (text === null || text?.startsWith("!") || options.some((option) => /^(-s|--shell)$/.test(option.name)))
    )
      return script(text?.replace(/^!/, "") ?? null, "gh alias");
    return object === "config" && verb === "set" && /^(pager|editor|browser)$/.test(name ?? "")
      ? script(text ?? null, `gh config ${name}`)
      : [];
  },
  tmux,
  crontab: (args) => (args.includes("-l") ? [] : unknownEffect("crontab changes what runs later")),
  ...underNames("tex latex pdflatex xelatex lualatex luatex pdftex", (args, program) =>
    args.some((arg) => arg !== null && /^--?(shell-escape|enable-write18)/.test(arg))
      ? unknownEffect(`${program} may run commands its text names`)
      : [],
  ),
  ...underNames("gs convert magick identify mogrify ps2pdf", (args, program) =>
    args.flatMap((arg) => (arg !== null && /%pipe%|^\|/.test(arg) ? script(arg.replace(/^.*%pipe%|^\|/s, ""), program) : [])),
  ),
};

function isLong(name: string): boolean {
  return name.startsWith("--");
}

function optionsOf({ runs = "", loads = "", takes = "" }: Launch): ProgramReader {
  const all = `${runs} ${loads} ${takes}`.split(" ").filter((name) => name !== "");
  const letters = all.filter((name) => /^-[^-]$/.test(name)).map((name) => name[1]);
  const valued = [letters.join(""), ...all.filter(isLong)].join(" ");
  const commands = runs.split(" ").filter((name) => name !== "");
  const files = loads.split(" ").filter((name) => name !== "");
  // `-sf cmd`: one dash and several letters, as older programs have it.
  const wide = commands.filter((name) => /^-[^-]{2,}$/.test(name));
  return (args, program) => {
    const read = readOptions(args, valued);
    return [
      ...optionValues(read, ...commands).flatMap((text) => (text === "" ? [] : script(text, `${program} ${commands[0]}`))),
      ...args.flatMap((arg, i) => {
        const name = arg === null ? undefined : wide.find((one) => arg === one || arg.startsWith(`${one}=`));
        return name === undefined ? [] : script(arg === name ? (args[i + 1] ?? null) : arg!.slice(name.length + 1), `${program} ${name}`);
      }),
      ...optionValues(read, ...files)
        .slice(0, 1)
        .flatMap(() => unknownEffect(`${program} loads code or settings that are not here`)),
    ];
  };
}

/** The first word of tar may be letters without a dash: then their values follow in the order of the letters. */
export function tarWords(args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args;
  if (!first || !/^[a-zA-Z]+$/.test(first)) return args;
  let used = 0;
  const own = [...first].flatMap((letter): ShellWord[] =>
    TAR_TAKES.includes(letter) ? [`-${letter}`, rest[used++] ?? null] : [`-${letter}`],
  );
  return [...own, ...rest.slice(used)];
}

export const TAR_TAKES = "fCTXbIFgKLNVH";
const TAR_RUNS = "-I -F --to-command --use-compress-program --rsh-command --info-script --new-volume-script --rmt-command".split(" ");

function tar(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const words = tarWords(args);
  const read = readOptions(words, [TAR_TAKES, ...TAR_RUNS.filter(isLong), "--checkpoint-action --file --directory"].join(" "));
  return [
    ...optionValues(read, ...TAR_RUNS).flatMap((text) => (text === "" ? [] : script(text, "tar"))),
    ...read.options.flatMap(({ name, value }) => {
      if (!/^--checkpoint-[a-z]*$/.test(name)) return [];
      if (value === null) return unknownEffect("tar may run a command at each checkpoint");
      return value?.startsWith("exec=") ? script(value.slice(5), "tar --checkpoint-action") : [];
    }),
  ];
}

/** `-o APT::Update::Pre-Invoke::=cmd`: some settings are commands, and some are folders programs are taken from. */
function apt(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(args, "ocat --option --config-file --target-release");
  return [
    ...optionValues(read, "-c", "--config-file")
      .slice(0, 1)
      .flatMap(() => unknownEffect("apt takes its settings from another file")),
    ...optionValues(read, "-o", "--option").flatMap((pair) => {
      const at = pair?.indexOf("=") ?? -1;
      if (pair === null || at === -1) return unknownEffect("a setting of apt is only known at run time");
      const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (/^dpkg::options/i.test(key)) return /^--force-[\w-]+$/.test(value) ? [] : script(`dpkg ${quoteShellAlways(value)}`, "apt -o");
      if (/dir::|solver|planner|methods/i.test(key))
        return [...unknownEffect(`apt -o ${key} changes which programs it runs`), ...script(value, `apt -o ${key}`)];
      return /invoke|::run|hook|pager|tools::|shell|command|program|external/i.test(key) ? script(value, `apt -o ${key}`) : [];
    }),
  ];
}

/** `%(cmd)` in a macro is run. */
function macros(args: readonly ShellWord[]): readonly ProgramFinding[] {
  return args.flatMap((arg) => [...(arg?.matchAll(/%\(([^)]*)\)/g) ?? [])].flatMap(([, text]) => script(text!, "rpm %(…)")));
}

const boundCommands = (text: ShellWord): readonly ProgramFinding[] => {
  const found =
    text === null
      ? []
      : [
          ...text.matchAll(
            /(?:execute(?:-silent|-multi)?|become|(?:change-)?preview|reload(?:-sync)?|transform(?:-\w+)?)(?:\(([^)]*)\)|:(.*))/gs,
          ),
        ];
  return found.length === 0
    ? unknownEffect("fzf --bind may run commands")
    : found.flatMap(([, inner, rest]) => script(inner ?? rest ?? null, "fzf --bind"));
};

/** Options with one dash and a name, whose value loads code unless it is one of the calm ones. */
function dashed(names: RegExp, calm: RegExp): ProgramReader {
  return (args, program) =>
    args.some(
      (arg, i) => arg !== null && (i > 0 && args[0] === "engine" ? /[/.]/.test(arg) : names.test(arg) && !calm.test(args[i + 1] ?? "")),
    )
      ? unknownEffect(`${program} loads code or settings it is given`)
      : [];
}

function java(args: readonly ShellWord[], program: string): readonly ProgramFinding[] {
  return args.flatMap((arg) => {
    const [, command] = /^(?:-J)?-XX:On(?:Error|OutOfMemoryError)=(.*)$/s.exec(arg ?? "") ?? [];
    if (command !== undefined) return script(command, `${program} -XX`);
    return arg !== null && /^(-J)?-(javaagent|agentpath|agentlib|XX:Flags|XX:VMOptionsFile)|^@/.test(arg)
      ? unknownEffect(`${program} loads code or options it is given`)
      : [];
  });
}

/** tmux runs what some of its commands are given, now or when something happens. */
function tmux(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(args, "cFnstxyeLSf");
  const verb = read.operands.find((word) => word !== null && TMUX.test(word));
  if (verb === undefined && optionValues(read, "-c").length === 0) return [];
  const words = read.operands.slice(read.operands.indexOf(verb ?? null) + 1);
  return [...optionValues(read, "-c"), ...words, ...(words.length > 1 ? [words.join(" ")] : [])].flatMap((text) =>
    text === null || (/^[\w.:@%+=-]*$/.test(text) && !/^(sudo|su|doas)$/.test(text)) ? [] : script(text, "tmux"),
  );
}
const TMUX = /^(new|neww|splitw|split|run|if|send|pipe|respawn|popup|display-popup|set|bind|confirm|command-prompt|source)/;
