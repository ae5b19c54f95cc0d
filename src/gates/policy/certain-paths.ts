import { programName, type ShellWord } from "../../shell/options.ts";
import { joinFolder } from "../../shell/relative-path.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { wordSet } from "../../text/words.ts";

/** A path of which it is certain that the command touches it, and what else it touches there. */
export interface Sure {
  readonly path: string;
  /** A folder is touched with everything below it, or only what is below it is looked at. */
  readonly whole?: "tree" | "searches";
  /** Nobody wrote it: where the command stands. */
  readonly isImplied?: true;
}

/**
 * Every file that a command touches, from the folder the whole line starts in. Null when that cannot be told: an option or a program that is
 * not listed here may open anything.
 */
export function surely({ argv, cwd }: SimpleCommand): readonly Sure[] | null {
  const [name, ...args] = argv;
  if (name === undefined) return [];
  if (name === null || args.includes(null) || !/^((\/usr)?\/bin\/)?[^/]+$/.test(name)) return null;
  const program = programName(name);
  if (QUIET.has(program)) return [];
  const shape = PROGRAMS.get(program);
  const read = shape && operandsOf(args as string[], shape);
  if (!read) return null;
  const found: Sure[] = [];
  for (const path of read.paths) {
    const place = joinFolder(cwd, path);
    if (place === null) return null;
    found.push({ path: place, ...(read.whole && { whole: read.whole }), ...(read.isImplied && { isImplied: true }) });
  }
  return found;
}

interface Shape {
  /** Letters of options that take nothing. */
  readonly flags?: string;
  /** Letters of options that take a value which is no file. */
  readonly values?: string;
  /** Letters of options that take a file. */
  readonly files?: string;
  /** Long options, `--name` or `--name=…`, which name no file. */
  readonly long?: string;
  /** How many of the first words are no files. */
  readonly skip?: number;
  /** An option that takes the place of them. */
  readonly unless?: RegExp;
  /** What the first of them has to look like. */
  readonly script?: RegExp;
  /** Without a file it looks where it stands: always, or with one of these options. */
  readonly here?: true | RegExp;
  /** What it does with a folder: always, or with one of these options. */
  readonly searches?: true | RegExp;
  readonly tree?: true | RegExp;
}

interface Operands {
  readonly paths: readonly string[];
  readonly isImplied: boolean;
  readonly whole?: Sure["whole"];
}

function operandsOf(args: readonly string[], shape: Shape): Operands | null {
  const { flags = "", values = "", files = "", long = "", skip = 0 } = shape;
  const operands: string[] = [];
  const paths: string[] = [];
  const options: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (arg === "-") continue;
    if (!arg.startsWith("-")) operands.push(arg);
    else if (arg.startsWith("--")) {
      if (!long.split(" ").includes(arg.slice(2).split("=", 1)[0]!)) return null;
    } else if (!(/^-\d+$/.test(arg) && values.includes("n")))
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at]!;
        options.push(`-${letter}`);
        if (flags.includes(letter)) continue;
        if (!values.includes(letter) && !files.includes(letter)) return null;
        const value: ShellWord | undefined = arg.slice(at + 1) || args[++i];
        if (value === undefined) return null;
        if (files.includes(letter)) paths.push(value);
        break;
      }
  }
  const has = (wanted: true | RegExp | undefined) => wanted === true || (wanted !== undefined && options.some((one) => wanted.test(one)));
  const skipped = shape.unless && has(shape.unless) ? 0 : skip;
  if (shape.script && skipped > 0 && !shape.script.test(operands[0] ?? "")) return null;
  const named = operands.slice(skipped);
  const isImplied = named.length === 0 && has(shape.here);
  const whole = has(shape.tree) ? "tree" : has(shape.searches) ? "searches" : undefined;
  return { paths: isImplied ? [...paths, "."] : [...paths, ...named], isImplied, ...(whole && { whole }) };
}

/** They open nothing, whatever they are given. */
const QUIET = wordSet("echo printf true false : pwd sleep exit return break continue cd tr basename dirname seq");

const PROGRAMS = new Map<string, Shape>(
  Object.entries({
    cat: { flags: "AbeEnstTuv" },
    "tac rev": {},
    nl: { flags: "p", values: "bdfhilnsvw" },
    "head tail": { flags: "qvz", values: "nc", long: "lines bytes" },
    wc: { flags: "clmwL" },
    "md5sum sha1sum sha256sum sha512sum b2sum cksum": { flags: "btz" },
    sort: { flags: "bdfgiMhnRrVcCmsuz", values: "kSt", files: "oT" },
    uniq: { flags: "cdDiuz", values: "fsw" },
    cut: { flags: "nsz", values: "bcdf" },
    paste: { flags: "sz", values: "d" },
    fold: { flags: "bs", values: "w" },
    diff: { flags: "uNrqbBwiEaysd", values: "UCW", tree: /r/, long: "unified color brief" },
    cmp: { flags: "bls", values: "in" },
    comm: { flags: "123" },
    ls: { flags: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", long: "all color human-readable", here: true, searches: true },
    du: { flags: "ahsck", values: "d", here: true, searches: true },
    stat: { flags: "Lft", values: "c" },
    file: { flags: "bikLh" },
    "readlink realpath": { flags: "fem" },
    od: { flags: "abcdfiloxsv", values: "AjNtw" },
    hexdump: { flags: "Cbcdovx", values: "ns" },
    strings: { flags: "a", values: "nt" },
    "base64 base32": { flags: "di", values: "w" },
    "grep egrep fgrep": {
      flags: "EFGPivwxcLlohHnqsTZzabrI",
      values: "ABCme",
      files: "f",
      long: "color include exclude exclude-dir",
      skip: 1,
      unless: /[ef]/,
      here: /r/,
      searches: /r/,
    },
    rg: { flags: "iSwnlcvFNHo", values: "ABCmegtT", skip: 1, unless: /e/, here: true, searches: true },
    cp: { flags: "afinpruvRTxdP", files: "t", tree: /[rRa]/ },
    mv: { flags: "finuvT", files: "t", tree: true },
    ln: { flags: "fnvTi", files: "t" },
    rm: { flags: "rRfidvI", tree: /[rR]/ },
    rmdir: { flags: "pv" },
    mkdir: { flags: "pv", values: "m" },
    touch: { flags: "acmh", values: "dt", files: "r" },
    tee: { flags: "aip" },
    truncate: { flags: "co", values: "s" },
    chmod: { flags: "Rvcf", skip: 1, tree: /R/ },
    // Its addresses are told elsewhere. `-L` goes where a stranger says.
    curl: { flags: "sSfIikvgN", values: "mXA", files: "o", long: "silent fail show-error url max-time", skip: Number.POSITIVE_INFINITY },
    // Only scripts that can neither run, read nor write.
    sed: {
      flags: "nEris",
      skip: 1,
      script: /^((\d+|\$)?(,(\d+|\$))?[pdq]|s\/([^/\\\n]|\\[^\n])*\/([^/\\\n]|\\[^\n])*\/[gIip\d]*)$/,
    },
    jq: { flags: "rcnSsMCaje", skip: 1, script: /^(?!.*\b(import|include|input_filename|modulemeta)\b)/s },
  } satisfies Record<string, Shape>).flatMap(([names, shape]) => names.split(" ").map((name): [string, Shape] => [name, shape])),
);
