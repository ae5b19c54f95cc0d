import { type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { mentionsForbidden, takesText } from "../mentions.ts";
import { readOptions } from "../options.ts";
import { awk } from "./awk.ts";
import { COMPILERS } from "./compilers.ts";
import { ESCAPES } from "./escapes.ts";
import { FILE_PROGRAMS } from "./files.ts";
import { find } from "./find.ts";
import { git } from "./git.ts";
import { LAUNCHERS, OPTION_LAUNCHERS } from "./launchers.ts";
import { PACKAGES } from "./packages.ts";
import { REMOTE } from "./remote.ts";
import { REPEATERS } from "./repeaters.ts";
import { sed } from "./sed.ts";
import { SHELLS } from "./shells.ts";
import { TABLES } from "./tables.ts";
import { isLoader, WRAPPERS } from "./wrappers.ts";

/** Everything a program does with its arguments, as far as somebody has written it down. */
export const deedsOf: ProgramReader = (args, name, around) => {
  const program = knownAs(name);
  const found = (READERS.get(program) ?? (isLoader(name) ? [loader] : [])).flatMap((reader) => reader(args, program, around));
  if (takesText(program)) return found;
  // What another program is run with is looked at there.
  const handedOn = new Set(found.flatMap((one) => (one.kind === "run" ? one.argv : [])));
  const isNamed =
    args.some((arg) => arg !== null && !handedOn.has(arg) && mentionsForbidden(arg)) ||
    (handedOn.size === 0 && typeof around.stdin === "string" && mentionsForbidden(around.stdin));
  return isNamed ? [...found, ...unknownEffect(`${name} is given a program that is never run, and may start it`)] : found;
};

/** The same program under another name: with a version, a machine or a flavour. */
function knownAs(name: string): string {
  if (READERS.has(name)) return name;
  const bare = name
    .replace(/^(?:[a-z0-9_]+-){1,3}(?=(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|gfortran|ld|ar|nm|ranlib)(?:-[\d.]+)?$)/, "")
    .replace(/\.(basic|tiny|nox|gtk3?|athena|bfd|gold|lld|bpo|traditional|openbsd)$/, "")
    .replace(/-?\d[\d.]*(-?(dbg|debug|m|t))?$|-(dbg|static)$/, "");
  return READERS.has(bare) ? bare : name.startsWith("original-") && READERS.has(name.slice(9)) ? name.slice(9) : name;
}

const loader: ProgramReader = (args, program) =>
  runsProgram(readOptions(args, { short: "LEU", long: ["--library-path", "--preload"], leading: true }).operands, program);

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
const urls: ProgramReader = (args) =>
  args.flatMap((arg): ProgramFinding[] => (arg !== null && /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(arg) ? [{ kind: "url", url: arg }] : []));

const SPECIAL: Record<string, ProgramReader> = {
  git,
  "git-remote-ext": (args) => script(args[1] ?? null, "git-remote-ext"),
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  find,
  gfind: find,
};

const READERS = new Map<string, readonly ProgramReader[]>();
const collect = (name: string, reader: ProgramReader) => READERS.set(name, [...(READERS.get(name) ?? []), reader]);
for (const readers of [
  WRAPPERS,
  REPEATERS,
  TABLES,
  PACKAGES,
  REMOTE,
  SHELLS,
  SPECIAL,
  COMPILERS,
  OPTION_LAUNCHERS,
  LAUNCHERS,
  ESCAPES,
  FILE_PROGRAMS,
])
  for (const [name, reader] of Object.entries(readers)) collect(name, reader);
for (const name of NETWORK) collect(name, urls);
