import { posix } from "node:path";
import { programName, readOptions, type ShellWord } from "../../shell/options.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob } from "../../text/glob.ts";
import { isWithin } from "../../text/path.ts";
import { wordSet } from "../../text/words.ts";
import type { SelfParts } from "./self.ts";

const OWN = /^(zeph|zeph-hook|zeph-hookd|zeph-exec|hookd|zeph-hook-linux-\w+)(@.*)?(\.c?js|\.mjs|\.exe)?$/;
/** Names that a glob may stand for. */
const OWN_NAMES = ["zeph", "zeph-hook", "zeph-hookd", "zeph-exec", "zeph.cjs", "zeph.js", "hook-client.cjs", "main.cjs"];
const COPIERS = wordSet("cp ln link install mv");
/** Run the file that they are given. */
const INTERPRETERS = wordSet("node nodejs bun deno tsx ts-node electron sh bash dash zsh ksh source .");
const REPEATERS = wordSet("xargs parallel find fd fdfind");
/** Print the words that they are given, or where a program lies. */
const PRINTERS = wordSet("which type command whereis locate plocate find fd ls echo printf readlink realpath cat");
const IS_GLOB = /[*?[]/;

/** Whether a command of a line runs a program of Zeph's own, or copies it to another name. */
export function runsOwnProgram(command: SimpleCommand, line: readonly SimpleCommand[], parts: SelfParts): boolean {
  const [program = null, ...args] = command.argv;
  // `$(which zeph) hook remove`: nobody knows what it runs, but the line says what it may be.
  if (program === null) return command.argv.length > 0 && printsOwn(line, parts);
  if (isOwnWord(program, command.cwd, parts)) return true;
  const name = programName(program);
  const { operands } = readOptions(args);
  if (COPIERS.has(name)) return operands.slice(0, -1).some((word) => word?.includes("/") && isOwnWord(word, command.cwd, parts));
  if (name === "find" || name === "fd" || name === "fdfind") return findsOwn(command, parts);
  if (REPEATERS.has(name)) return args.some((word) => startsFile(word)) && printsOwn(line, parts);
  if (!INTERPRETERS.has(name)) return false;
  return (
    operands
      .slice(0, /^(run|x|exec)$/.test(operands[0] ?? "") ? 2 : 1)
      .some((word) => word !== null && isOwnWord(word, command.cwd, parts)) ||
    args.slice(0, 6).some((word) => word !== null && isOwnFile(word.replace(/^--?[\w-]+=/, ""), command.cwd, parts)) ||
    (operands[0] === null && printsOwn(line, parts))
  );
}

/** By its name, by where it leads, or by what a glob in it may stand for. */
const isOwnWord = (word: string, cwd: string | null, parts: SelfParts): boolean =>
  [programName(word), posix.basename(word)].some((name) => OWN.test(name)) || isOwnFile(word, cwd, parts);

/** A path that leads to a file of this package, or through a link to one of its names. */
function isOwnFile(word: string, cwd: string | null, { facts, root }: SelfParts): boolean {
  const path = posix.join(cwd ?? ".", word);
  if (!IS_GLOB.test(word)) {
    if (!word.includes("/") && !facts.exists(path)) return false;
    const real = attempt(() => facts.canonical(word.startsWith("/") || word.startsWith("~") ? word : path), word);
    return OWN.test(posix.basename(real)) || (root !== null && PROGRAM_FOLDERS.some((folder) => isWithin(`${root}/${folder}`, real)));
  }
  const whole = word.startsWith("/") ? word : posix.resolve(facts.cwd, path);
  if (root !== null && leadsInto(whole, root)) return true;
  const folder = posix.dirname(whole);
  const names = OWN_NAMES.filter((name) => matches(posix.basename(whole), name));
  // In a folder that is known a glob stands for what lies there.
  return names.some((name) => (IS_GLOB.test(folder) || cwd === null ? OWN.test(name) : facts.exists(`${folder}/${name}`)));
}

const PROGRAM_FOLDERS = ["bin", "dist", "vendor"];

/** Whether a path with globs may be one below this folder. */
function leadsInto(path: string, folder: string): boolean {
  const [globs, names] = [path.split("/"), folder.split("/")];
  return globs.length > names.length && names.every((name, n) => matches(globs[n]!, name));
}

const matches = (glob: string, name: string): boolean =>
  !IS_GLOB.test(glob) ? glob === name : attempt(() => compileGlob(glob, { flavour: "path", letters: "exact" })(name), true);

/** `find / -name 'ze*.cjs' -exec node {} …`: what it would find is run. */
function findsOwn({ argv, cwd }: SimpleCommand, { facts, root }: SelfParts): boolean {
  const at = argv.findIndex((word) => /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word ?? ""));
  if (at === -1 || !startsFile(argv[at + 1] ?? null)) return false;
  const globs = argv.flatMap((word, n) => (/^-i?(name|path|wholename)$/.test(argv[n - 1] ?? "") && word !== null ? [word] : []));
  const isNamed = globs.length === 0 || globs.some((glob) => OWN_NAMES.some((name) => matches(posix.basename(glob).toLowerCase(), name)));
  if (!isNamed) return false;
  if (globs.some((glob) => OWN.test(posix.basename(glob)))) return true;
  const roots = argv.slice(1, at).filter((word) => word === null || !/^[-(!]/.test(word));
  return roots.some((word) => {
    if (word === null || root === null) return word === null;
    const real = attempt(() => facts.canonical(word.startsWith("/") ? word : posix.join(cwd ?? ".", word)), word);
    return isWithin(real, root) || isWithin(root, real);
  });
}

/** The file itself, or an interpreter that runs it. */
const startsFile = (word: ShellWord): boolean => word === null || word.includes("{}") || INTERPRETERS.has(programName(word));

const printsOwn = (line: readonly SimpleCommand[], parts: SelfParts): boolean =>
  line.some(
    ({ argv: [name, ...args], cwd }) =>
      typeof name === "string" && PRINTERS.has(programName(name)) && args.some((word) => word !== null && isOwnWord(word, cwd, parts)),
  );
