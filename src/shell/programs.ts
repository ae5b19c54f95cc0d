import { awk } from "./awk.ts";
import { FILES } from "./files.ts";
import { find } from "./find.ts";
import { type Finding, type Reader, run, script, unknown } from "./finding.ts";
import { git } from "./git.ts";
import { readOptions, type Shape, valuesOf, type Word } from "./options.ts";
import { isInput } from "./places.ts";
import { sed } from "./sed.ts";
import { SHELLS } from "./shells.ts";
import { isLoader, WRAPPERS } from "./wrappers.ts";

/** Everything known about what a program does with its arguments. */
export function readersOf(program: string): readonly Reader[] {
  const known = READERS.get(program);
  if (known) return known;
  return isLoader(program)
    ? [(args) => run(readOptions(args, { long: ["--library-path", "--preload"], leading: true }).operands, program)]
    : [];
}

/** Options whose value is a command. The shape lists every option that takes a value. */
const COMMAND_OPTIONS: Record<string, { readonly shape: Shape; readonly names: readonly string[] }> = {
  tar: {
    shape: {
      short: "fCTXbIF",
      long: ["--to-command", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script", "--rmt-command"],
    },
    names: ["--to-command", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script", "--new-volume-script", "--rmt-command"],
  },
  sort: { shape: { short: "okStT", long: ["--compress-program", "--output"] }, names: ["--compress-program"] },
  man: { shape: { short: "PpLMSsrRecC", long: ["--pager", "--preprocessor", "--html"] }, names: ["-P", "--pager", "--html"] },
  rg: { shape: { short: "ABCefmgt", long: ["--pre", "--hostname-bin"] }, names: ["--pre", "--hostname-bin"] },
  bat: { shape: { long: ["--pager"] }, names: ["--pager"] },
  rsync: { shape: { short: "e", long: ["--rsh", "--rsync-path"] }, names: ["-e", "--rsh", "--rsync-path"] },
  scp: { shape: { short: "cDFiJloPSX" }, names: ["-S"] },
  sftp: { shape: { short: "bBcDFiJloPRsSX" }, names: ["-S"] },
  split: { shape: { short: "abClnt", long: ["--filter"] }, names: ["--filter"] },
  zip: { shape: { long: ["--unzip-command"] }, names: ["--unzip-command"] },
  cpio: { shape: { long: ["--rsh-command"] }, names: ["--rsh-command"] },
  nodemon: { shape: { short: "xwei", long: ["--exec", "--watch", "--ext"] }, names: ["-x", "--exec"] },
  tcpdump: { shape: { short: "zwriCGWc" }, names: ["-z"] },
  wget: { shape: { long: ["--use-askpass"] }, names: ["--use-askpass"] },
  fzf: { shape: { long: ["--preview", "--bind"] }, names: ["--preview"] },
};

/** Programs that take commands in a language of their own, and how a shell command shows in it. */
const ESCAPES: Record<string, RegExp> = {
  ...same(/^\s*:?\s*(?:silent!?\s+)?!+(.*)$|\b(?:system|libcall|py3?|python3?|lua|ruby|perl|term(?:inal)?)\b/s, [
    "vim",
    "vi",
    "nvim",
    "ex",
    "view",
    "rvim",
    "gvim",
    "vimdiff",
  ]),
  ...same(/\\!\s*(.*)$/s, ["psql", "mysql", "mariadb"]),
  sqlite3: /^\s*\.(?:shell|system)\s+(.*)$/s,
  gdb: /^\s*(?:shell|!)\s*(.*)$|\b(?:python|run|call)\b/s,
  ftp: /^\s*!(.*)$/s,
  less: /^\+?!(.*)$/s,
  ed: /^!(.*)$/s,
};

function escapes(args: readonly Word[], program: string): readonly Finding[] {
  return args.flatMap((arg, i) => {
    const text = arg === null ? null : arg.replace(/^(\+|-c|--cmd=|--command=|-ex=)(?=.)/, "");
    if (text === null) return [];
    const isCommand =
      text !== arg ||
      /^(-[a-zA-Z]*c|--cmd|--command|-e|-ex|-eval-command)$/.test(args[i - 1] ?? "") ||
      program === "sqlite3" ||
      program === "psql";
    const found = isCommand ? ESCAPES[program]!.exec(text) : null;
    if (!found) return [];
    return found[1] === undefined ? unknown(`${program} runs code that could do anything`) : script(found[1], `${program} !`);
  });
}

function commandOptions(args: readonly Word[], program: string): readonly Finding[] {
  const { shape, names } = COMMAND_OPTIONS[program]!;
  return valuesOf(readOptions(args, shape), ...names).flatMap((text) => (text === "" ? [] : script(text, `${program} ${names[0]}`)));
}

const CHECKPOINT = /^--checkpoint-[a-z]*$/;
const checkpoint: Reader = (args) =>
  args.flatMap((arg, i) => {
    const action =
      arg === null
        ? undefined
        : CHECKPOINT.test(arg)
          ? args[i + 1]
          : CHECKPOINT.exec(arg.split("=", 1)[0]!)
            ? arg.slice(arg.indexOf("=") + 1)
            : undefined;
    if (action === undefined) return [];
    return action?.startsWith("exec=")
      ? script(action.slice(5), "tar --checkpoint-action")
      : action === null
        ? unknown("tar may run a command at each checkpoint")
        : [];
  });

/** Addresses such as EXEC:… and SYSTEM:… */
const socat: Reader = (args) =>
  args.flatMap((arg) => (arg !== null && /^(exec|system):/i.test(arg) ? script(arg.replace(/^\w+:/, ""), "socat") : []));
const crontab: Reader = (args) => (args.includes("-l") ? [] : unknown("crontab changes what runs later"));
const tmux: Reader = (args) => {
  const { operands } = readOptions(args, { short: "cFnstxyeLSf" });
  return /^(new|new-session|neww|new-window|splitw|split-window|run|run-shell|if|if-shell|send|send-keys)/.test(operands[0] ?? "") &&
    operands.length > 1
    ? operands.slice(1).flatMap((text) => script(text, "tmux"))
    : [];
};
/** A makefile is code of the project; what stands in the arguments is not. */
const make: Reader = (args, _program, { stdin }) =>
  args.some(
    (arg, i) => arg !== null && (/^(--eval|-E|SHELL=)/.test(arg) || /^-f(-|\/dev\/)/.test(arg) || (isInput(arg) && args[i - 1] === "-f")),
  ) && stdin !== ""
    ? unknown("make runs what stands in its arguments or on its input")
    : [];
const emacs: Reader = (args) =>
  args.some((arg) => arg !== null && /^--?(eval|funcall|load|execute|l|f)/.test(arg))
    ? unknown("emacs runs code that could do anything")
    : [];
const zipTest: Reader = (args) => args.flatMap((arg, i) => (arg === "-TT" ? script(args[i + 1] ?? null, "zip -TT") : []));

const NETWORK = [
  "curl",
  "wget",
  "git",
  "http",
  "https",
  "aria2c",
  "pip",
  "pip3",
  "npm",
  "lynx",
  "links",
  "w3m",
  "ftp",
  "svn",
  "hg",
  "rsync",
  "youtube-dl",
  "yt-dlp",
];
const urls: Reader = (args) =>
  args.flatMap((arg): Finding[] => (arg !== null && /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(arg) ? [{ kind: "url", url: arg }] : []));

function same(value: RegExp, names: readonly string[]): Record<string, RegExp> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

const SPECIAL: Record<string, Reader> = {
  git,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  find,
  gfind: find,
  socat,
  crontab,
  make,
  gmake: make,
  tmux,
  emacs,
  tar: checkpoint,
  zip: zipTest,
};

const READERS = new Map<string, readonly Reader[]>();
const collect = (name: string, reader: Reader) => READERS.set(name, [...(READERS.get(name) ?? []), reader]);
for (const readers of [WRAPPERS, SHELLS, SPECIAL, FILES]) for (const [name, reader] of Object.entries(readers)) collect(name, reader);
for (const name of Object.keys(COMMAND_OPTIONS)) collect(name, commandOptions);
for (const name of Object.keys(ESCAPES)) collect(name, escapes);
for (const name of NETWORK) collect(name, urls);
