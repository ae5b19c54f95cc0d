import { deletes, joinedWords, type ProgramFinding, runsProgram, script, unknownEffect, writes } from "../finding.ts";
import { mentionsForbidden } from "../mentions.ts";
import { has, isShort, type Options, optionValues, readLeadingOptions, readOptions, type ShellWord } from "../options.ts";

/** Git runs programs in many ways that do not look like it. What it runs is listed; what it deletes or overwrites is too. */
export function git(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const { globals, verb, rest, folder } = splitGit(args);
  const found: ProgramFinding[] = optionValues(globals, "-c").flatMap(setting);
  if (has(globals, "--config-env")) found.push(...unknownEffect("git takes a setting from a variable"));
  if (globals.options.some(({ name, value }) => name === "--exec-path" && value !== undefined))
    found.push(...unknownEffect("git --exec-path makes git run programs from another folder"));
  if (verb === undefined) return found;
  if (verb === null) return [...found, ...unknownEffect("what git does is only known at run time")];
  found.push(...rest.flatMap(remote));
  if (CHECKS_OUT.test(verb))
    for (const tree of optionValues(globals, "--work-tree")) found.push(verb === "clean" ? deletes(tree, true) : writes(tree, true));
  const inside = (finding: ProgramFinding): ProgramFinding =>
    finding.kind === "path" && folder !== undefined ? { ...finding, path: below(folder, finding.path) } : finding;
  return [...found, ...(VERBS[verb]?.(rest) ?? []), ...named(rest), ...outputs(rest)].map(inside);
}

/** Options in front of the verb that take the next word, in any version of git. The others have their value behind a `=`, or none. */
const GLOBALS_WITH_WORD = "cC --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file";
const GLOBALS =
  /^(-[cCpPvh]|--(git-dir|work-tree|namespace|super-prefix|config-env|attr-source|shallow-file|list-cmds|exec-path|html-path|man-path|info-path|version|help|paginate|no-pager|bare|no-replace-objects|no-lazy-fetch|no-optional-locks|no-advice|(literal|glob|noglob|icase)-pathspecs))$/;

/** Global options, the verb, and what belongs to the verb; the verb is null where an option that nobody knows may take the next word. Rules about `git push` look at the verb too. */
export function splitGit(args: readonly ShellWord[]): {
  globals: Options;
  verb: ShellWord | undefined;
  rest: readonly ShellWord[];
  folder: ShellWord | undefined;
} {
  const globals = readLeadingOptions(args, GLOBALS_WITH_WORD);
  const [verb, ...rest] = globals.operands;
  const isKnown = globals.options.every(({ name }) => GLOBALS.test(name));
  return { globals, verb: isKnown ? verb : null, rest, folder: optionValues(globals, "-C").at(-1) };
}

const below = (folder: ShellWord, path: ShellWord): ShellWord =>
  folder === null || path === null ? null : /^[/~]/.test(path) ? path : `${folder}/${path}`;

/** Settings whose value is a command: those git has, and by their last word those its helpers may have. An alias that starts with `!` is one too. */
const LAST_WORD =
  /(cmd|command|program|helper|hook|editor|pager|driver|textconv|process|clean|smudge|filter|tunnel|proxy|browser|shell|exec|httpd|viewer|askpass|fsmonitor)$/i;
const RUNS =
  /^(core\.(pager|editor|sshcommand|fsmonitor|gitproxy|askpass)|sequence\.editor|diff\.external|diff\..*\.(command|textconv)|(diff|merge)tool\..*\.(cmd|path)|merge\..*\.driver|filter\..*\.(clean|smudge|process)|pager\..*|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|credential\.(.*\.)?helper|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack)|browser\..*\.(cmd|path)|man\..*\.(cmd|path)|interactive\.difffilter|sendemail\.(sendmailcmd|tocmd|cccmd)|trailer\..*\.(command|cmd)|tar\..*\.command|guitool\..*\.cmd|instaweb\.httpd|web\.browser|sendemail\.smtpserver|lfs\..*\.(path|clean|smudge)|(diff|merge)\.(gui)?tool)$/i;
const OPENS =
  /^(core\.(hookspath|attributesfile|worktree)|include\.path|includeif\..*\.path|protocol\.(ext\.)?allow|init\.templatedir|submodule\..*\.update|remote\..*\.vcs|extensions\.(partialclone|worktreeconfig))$/i;

function setting(pair: ShellWord): readonly ProgramFinding[] {
  if (pair === null) return unknownEffect("a setting of git is only known at run time");
  const at = pair.indexOf("=");
  return at === -1 ? [] : settingOf(pair.slice(0, at), pair.slice(at + 1));
}

function settingOf(key: string, value: ShellWord): readonly ProgramFinding[] {
  if (OPENS.test(key)) return unknownEffect(`the setting ${key} changes what git runs`);
  if (/^alias\./i.test(key))
    return value?.startsWith("!") ? script(value.slice(1), key) : script(value === null ? null : `git ${value}`, key);
  // `url.ext::cmd.insteadOf`: the key itself is the address.
  const [, address] = /^url\.(ext::.*)\.(?:push)?insteadof$/is.exec(key) ?? [];
  if (address !== undefined) return remote(address);
  if (/^remote\..*\.(push)?url$/i.test(key)) return remote(value);
  if (value !== null && /^(true|false|yes|no|on|off|auto|always|never|0|1|)$/i.test(value)) return [];
  if (!RUNS.test(key) && !(LAST_WORD.test(key) && !/^(color|advice|trace2?)\./i.test(key)))
    return value !== null && mentionsForbidden(value) ? unknownEffect(`the setting ${key} names a program that is never run`) : [];
  if (/smtpserver$/i.test(key) && value !== null && !value.startsWith("/")) return [];
  if (/helper$/i.test(key) && value !== null && /^[\w-]+( --?[\w=-]+)*$/.test(value)) return [];
  return script(value?.startsWith("!") ? value.slice(1) : value, key);
}

/** A verb nobody described may start what an option of it names. What people write is not looked at. */
const named = (rest: readonly ShellWord[]): readonly ProgramFinding[] =>
  rest.some((word, n) => {
    if (word === null || !mentionsForbidden(word)) return false;
    return /^--?[\w-]+=/.test(word) ? !SAID.test(word) : STARTS.test(rest[n - 1] ?? "");
  })
    ? unknownEffect("git is given a program that is never run, and may start it")
    : [];
const SAID = /^--(message|grep|author|committer|format|pretty|trailer|date|since|until|subject-prefix|cover-letter)/;
const STARTS = /^--([\w-]+-)?(exec|command|cmd|run|extcmd|prog|program|hook|pack)$/;

/** `ext::cmd` is a remote that is a command; in it `% ` is a blank inside a word. */
const remote = (word: ShellWord): readonly ProgramFinding[] =>
  word !== null && /^ext::/i.test(word)
    ? script(
        word.slice(5).replace(/%([% ])/g, (_all, sign: string) => (sign === " " ? "\\ " : "%")),
        "git ext::",
      )
    : [];

const outputs = (rest: readonly ShellWord[]): ProgramFinding[] =>
  rest.flatMap((word, i) => {
    const [name] = word?.split("=", 1) ?? [];
    if (name === undefined || name.length < 5 || !(isShort(name, "--output") || isShort(name, "--output-directory"))) return [];
    return [writes(word === name ? (rest[i + 1] ?? null) : word!.slice(name.length + 1))];
  });

/** Hooks are copied out of it and run later. */
const templates = (read: Options): readonly ProgramFinding[] =>
  optionValues(read, "--template").some((path) => path !== "") ? unknownEffect("git --template brings hooks from another folder") : [];

const scriptsIn = (rest: readonly ShellWord[], short: string, ...long: readonly string[]): readonly ProgramFinding[] => {
  const names = [...[...short].map((letter) => `-${letter}`), ...long];
  return optionValues(readOptions(rest, [short, ...long].join(" ")), ...names).flatMap((text) => script(text, `git ${names.at(-1)}`));
};

/** `-O` may share its dash with flags, not with an option that takes the rest. */
const PAGED = /^(-[^-efABCmO]*O(?=.)|--op[a-z-]*=)/s;
const CLONE = "cboju --config --branch --origin --depth --template --reference --separate-git-dir";
/** What changes the files of the work tree, wherever that is. */
const CHECKS_OUT =
  /^(checkout|checkout-index|reset|restore|read-tree|switch|stash|merge|pull|rebase|apply|am|cherry-pick|revert|rm|mv|clean)$/;

const VERBS: Record<string, (rest: readonly ShellWord[]) => readonly ProgramFinding[]> = {
  config: (rest) => {
    const { operands, options } = readOptions(rest, "f --file --type --default --blob");
    if (options.some(({ name }) => name === "-e" || name === "--edit") || operands[0] === "edit")
      return unknownEffect("git config -e opens an editor on the settings");
    const set = operands[0] === "set" ? operands.slice(1) : operands;
    if (options.some(({ name }) => /^--(get|list|unset|remove|show)/.test(name) || name === "-l") || set.length < 2) return [];
    return set[0] === null ? unknownEffect("a setting of git is only known at run time") : settingOf(set[0]!, set[1]!);
  },
  clone: (rest) => [
    ...templates(readOptions(rest, CLONE)),
    ...scriptsIn(rest, "u", "--upload-pack"),
    ...optionValues(readOptions(rest, CLONE), "-c", "--config").flatMap(setting),
    ...[...readOptions(rest, CLONE).operands.slice(1, 2), ...optionValues(readOptions(rest, CLONE), "--separate-git-dir")].map((path) =>
      writes(path, true),
    ),
  ],
  init: (rest) => {
    const read = readOptions(rest, "b --template --separate-git-dir --initial-branch --object-format");
    return [
      ...templates(read),
      ...[...read.operands.slice(0, 1), ...optionValues(read, "--separate-git-dir")].map((path) => writes(path, true)),
    ];
  },
  worktree: (rest) => {
    const [verb, ...paths] = readOptions(rest, "bB --reason").operands;
    if (verb === "remove") return paths.slice(0, 1).map((path) => deletes(path, true));
    return verb === "add" ? paths.slice(0, 1).map((path) => writes(path, true)) : verb === "move" ? paths.map((path) => writes(path)) : [];
  },
  bundle: (rest) => {
    const [verb, file] = readOptions(rest).operands;
    return verb === "create" && file !== undefined && file !== "-" ? [writes(file)] : [];
  },
  "format-patch": (rest) => optionValues(readOptions(rest, "ov"), "-o").map((path) => writes(path, true)),
  "checkout-index": (rest) => optionValues(readOptions(rest, "--prefix --stage"), "--prefix").map((path) => writes(path, true)),
  "send-pack": (rest) => scriptsIn(rest, "", "--receive-pack", "--exec"),
  instaweb: (rest) => scriptsIn(rest, "db", "--httpd", "--browser"),
  fetch: (rest) => scriptsIn(rest, "", "--upload-pack"),
  pull: (rest) => scriptsIn(rest, "", "--upload-pack"),
  "ls-remote": (rest) => scriptsIn(rest, "", "--upload-pack", "--exec"),
  "fetch-pack": (rest) => scriptsIn(rest, "", "--upload-pack", "--exec"),
  push: (rest) => scriptsIn(rest, "", "--receive-pack", "--exec"),
  archive: (rest) => [...scriptsIn(rest, "", "--exec"), ...optionValues(readOptions(rest, "o"), "-o").map((path) => writes(path))],
  rebase: (rest) => scriptsIn(rest, "x", "--exec"),
  difftool: (rest) => scriptsIn(rest, "x", "--extcmd"),
  grep: (rest) => rest.flatMap((word) => (word !== null && PAGED.test(word) ? script(word.replace(PAGED, ""), "git grep -O") : [])),
  "filter-branch": (rest) =>
    rest.flatMap((word, i) =>
      word !== null && /^--([\w-]+-filter|setup)(=|$)/.test(word)
        ? script(word.includes("=") ? word.slice(word.indexOf("=") + 1) : (rest[i + 1] ?? null), `git filter-branch ${word}`)
        : [],
    ),
  submodule: each,
  "submodule--helper": each,
  bisect: (rest) => (rest[0] === "run" ? runsProgram(rest.slice(1), "git bisect run") : []),
  "send-email": (rest) => [
    ...scriptsIn(rest, "", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"),
    ...optionValues(readOptions(rest, "--smtp-server"), "--smtp-server").flatMap((text) =>
      text?.startsWith("/") ? script(text, "git --smtp-server") : [],
    ),
  ],
  daemon: (rest) => scriptsIn(rest, "", "--access-hook"),
  svn: (rest) => scriptsIn(rest, "", "--authors-prog"),
  shell: (rest) => scriptsIn(rest, "c"),
  "remote-ext": (rest) => script(rest[1] ?? null, "git remote-ext"),
  "for-each-repo": (rest) => {
    const { operands } = readLeadingOptions(rest, "--config");
    return runsProgram(["git", ...operands], "git for-each-repo");
  },
  rm: (rest) => files(rest).map((path) => deletes(path, true)),
  clean: (rest) => (has(readOptions(rest), "-n", "--dry-run") ? [] : [deletes(".", true)]),
  reset: (rest) => (has(readOptions(rest), "--hard") ? [writes(".", true)] : []),
  restore: (rest) => files(rest).map((path) => writes(path, true)),
  checkout: (rest) => (rest.includes("--") ? rest.slice(rest.indexOf("--") + 1).map((path) => writes(path, true)) : []),
  mv: (rest) => files(rest).map((path) => writes(path)),
  apply: () => [writes(".", true)],
};

const files = (rest: readonly ShellWord[]) => readOptions(rest, "s --source").operands;

function each(rest: readonly ShellWord[]): readonly ProgramFinding[] {
  const at = rest.indexOf("foreach");
  const command = at === -1 ? [] : readLeadingOptions(rest.slice(at + 1)).operands;
  return command.length > 0 ? script(joinedWords(command), "git submodule foreach") : [];
}
