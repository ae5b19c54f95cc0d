import { makeOnce } from "../../text/make-once.ts";
import { type ProgramFinding, type ProgramReader, runsProgram, script, unknownEffect } from "../finding.ts";
import { mentionsForbidden, takesText } from "../mentions.ts";
import { readLeadingOptions } from "../options.ts";
import { awk } from "./awk.ts";
import { COMPILERS } from "./compilers.ts";
import { escapingPrograms } from "./escapes.ts";
import { FILE_PROGRAMS } from "./files.ts";
import { find } from "./find.ts";
import { git } from "./git.ts";
import { LAUNCHERS, optionLaunchers } from "./launchers.ts";
import { PACKAGES } from "./packages.ts";
import { REMOTE } from "./remote.ts";
import { REPEATERS } from "./repeaters.ts";
import { sed } from "./sed.ts";
import { BUILTINS } from "./shell-builtins.ts";
import { textPrograms } from "./shells.ts";
import { underNames } from "./under-names.ts";
import { isLoader, WRAPPERS } from "./wrappers.ts";

/** Everything a program does with its arguments, as far as the tables tell. */
export const deedsOf: ProgramReader = (args, name, around) => {
  const program = knownAs(name);
  const found = (readers().get(program) ?? (isLoader(name) ? [loader] : [])).flatMap((reader) => reader(args, program, around));
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
  const known = readers();
  if (known.has(name)) return name;
  const bare = name
    .replace(/^(?:[a-z0-9_]+-){1,3}(?=(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|gfortran|ld|ar|nm|ranlib)(?:-[\d.]+)?$)/, "")
    .replace(/\.(basic|tiny|nox|gtk3?|athena|bfd|gold|lld|bpo|traditional|openbsd)$/, "")
    .replace(/-?\d[\d.]*(-?(dbg|debug|m|t))?$|-(dbg|static)$/, "");
  return known.has(bare) ? bare : name.startsWith("original-") && known.has(name.slice(9)) ? name.slice(9) : name;
}

const loader: ProgramReader = (args, program) => runsProgram(readLeadingOptions(args, "LEU --library-path --preload").operands, program);

const NETWORK = "curl wget git http https aria2c pip pip3 npm lynx links w3m ftp svn hg rsync youtube-dl yt-dlp";
const urls: ProgramReader = (args) =>
  args.flatMap((arg): ProgramFinding[] => (arg !== null && /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(arg) ? [{ kind: "url", url: arg }] : []));

const SPECIAL: Record<string, ProgramReader> = {
  git,
  "git-remote-ext": (args) => script(args[1] ?? null, "git-remote-ext"),
  ...underNames("sed gsed", sed),
  ...underNames("awk gawk mawk nawk", awk),
  ...underNames("find gfind", find),
};

/** Put together for the first command: whoever only imports this does not wait for it. */
const readers = makeOnce(() => {
  const all = new Map<string, readonly ProgramReader[]>();
  const known = [WRAPPERS, REPEATERS, BUILTINS, PACKAGES, REMOTE, textPrograms(), SPECIAL, COMPILERS, optionLaunchers(), LAUNCHERS];
  for (const table of [...known, escapingPrograms(), FILE_PROGRAMS, underNames(NETWORK, urls)])
    for (const [name, reader] of Object.entries(table)) all.set(name, [...(all.get(name) ?? []), reader]);
  return all;
});
