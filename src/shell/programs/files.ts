import { deletes, type ProgramFinding, type ProgramReader, reads, writes } from "../finding.ts";
import { has, optionValues, readLeadingOptions, readOptions, type ShellWord, type ValuedOptions } from "../options.ts";
import { TAR_TAKES, tarWords } from "./launchers.ts";
import { underNames } from "./under-names.ts";

/** Which files well-known programs read, change and delete. A program that is not here may touch anything the walls leave open. */
export const FILE_PROGRAMS: Record<string, ProgramReader> = {
  rm: (args) => {
    const read = readOptions(args);
    const tree = has(read, "-r", "-R", "--recursive") || undefined;
    return read.operands.map((path) => deletes(path, tree));
  },
  rmdir: each(deletes),
  unlink: each(deletes),
  shred: each(deletes, "ns --iterations --size"),
  mv: toLast((path) => deletes(path, true)),
  cp: toLast(reads),
  ln: toLast(() => null),
  install: toLast(reads, "gmoSt --group --mode --owner --target-directory --suffix --strip-program"),
  rsync: toLast(reads, "efTBM --rsh --filter --exclude --include --exclude-from --files-from --temp-dir"),
  scp: toLast(reads, "cDFiJloPSX"),
  ...underNames("tee sponge mkfifo", each(writes)),
  touch: each(writes, "drt --date --reference --time"),
  mkdir: each(writes, "m --mode"),
  truncate: each(writes, "sr --size --reference"),
  mknod: writesOperand(0, "m"),
  ...underNames("chmod chown chgrp setfacl chattr", owned),
  ...underNames("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd", each(writes)),
  dd: (args) =>
    args.flatMap((arg) =>
      arg === null || arg.startsWith("of=") ? [writes(arg?.slice(3) ?? null)] : arg.startsWith("if=") ? [reads(arg.slice(3))] : [],
    ),
  tar,
  unzip: (args) => {
    const read = readOptions(args, "d");
    return has(read, "-l", "-t", "-p", "-Z") ? [] : [writes(optionValues(read, "-d")[0] ?? ".", true)];
  },
  zip: writesOperand(0, "bntxi"),
  patch: (args) => {
    const read = readOptions(args, "pioBDdFrVYzg --strip --input --output --directory --reject-file --fuzz --prefix --suffix");
    const named = [...read.operands.slice(0, 1), ...optionValues(read, "-o", "--output", "-r", "--reject-file")];
    return [
      writes(optionValues(read, "-d", "--directory")[0] ?? ".", true),
      ...named.filter((path) => path !== "-").map((path) => writes(path)),
    ];
  },
  split: writesOperand(1, "abClnt --bytes --lines --number --suffix-length --filter --additional-suffix"),
  csplit: writesTo("-f --prefix", "fbn --prefix"),
  xxd: (args) => {
    const [from, to] = readOptions(args, "cglosnR").operands;
    return [...(from === undefined ? [] : [reads(from)]), ...(to === undefined ? [] : [writes(to)])];
  },
  ...underNames("gcc g++ cc c++ clang clang++ tcc ld as rustc go ar", compiled),
  openssl: (args) =>
    args.flatMap((arg, i) => (arg !== null && /^--?(out|keyout|writerand|sigfile_out)$/.test(arg) ? [writes(args[i + 1] ?? null)] : [])),
  sort: writesTo("-o --output", "okStT --output"),
  uniq: writesOperand(1, "fsw"),
  history: (args, ...about) => (has(readLeadingOptions(args), "-a", "-w") ? writesOperand(0)(args, ...about) : []),
  curl: writesTo("-o --output", "AbcdDeEFHKmoPQrtTuUwxXyYz --output --data --header --upload-file --request --user", "-"),
  wget: writesTo(
    "-O -P -o --output-document --directory-prefix --output-file",
    "aAeBDgiIloOPQRtTUwX --output-document --directory-prefix --output-file",
    "-",
  ),
  perl: edited,
  ruby: edited,
  prettier: (args) => (has(readOptions(args), "--write", "-w") ? readOptions(args).operands.map((path) => writes(path, true)) : []),
  ...underNames("head tail", each(reads, "nc --lines --bytes")),
  ...underNames(
    `cat tac less more bat nl wc file stat md5sum sha1sum sha256sum sha512sum cksum od hexdump strings base64 base32 diff cmp comm paste rev
    column ls du tree readlink realpath`,
    each(reads),
  ),
  ...underNames("grep egrep fgrep zgrep rg ag ack jq yq", searched),
  cut: each(reads, "bcdf"),
};

function each(finding: (path: ShellWord) => ProgramFinding, valued?: ValuedOptions): ProgramReader {
  return (args) => readOptions(args, valued).operands.map((path) => finding(path));
}

/** The operand at this place is a file it writes. */
function writesOperand(place: number, valued?: ValuedOptions): ProgramReader {
  return (args) =>
    readOptions(args, valued)
      .operands.slice(place, place + 1)
      .map((path) => writes(path));
}

/** The last operand is written, or the folder named by -t; the others are what it is made from. */
function toLast(
  source: (path: ShellWord) => ProgramFinding | null,
  valued: ValuedOptions = "tS --target-directory --suffix",
): ProgramReader {
  return (args) => {
    const read = readOptions(args, valued);
    const folder = optionValues(read, "-t", "--target-directory");
    const sources = folder.length > 0 || read.operands.length < 2 ? read.operands : read.operands.slice(0, -1);
    const targets = folder.length > 0 ? folder : read.operands.length < 2 ? [] : read.operands.slice(-1);
    const local = (path: ShellWord) => path === null || !/^[^/]+:/.test(path);
    return [...sources.filter(local).map(source), ...targets.filter(local).map((path) => writes(path))].filter(
      (finding) => finding !== null,
    );
  };
}

/** The mode or owner comes first, unless a reference file stands in for it. */
function owned(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(
    args.map((arg) => (arg !== null && /^-[rwxXst]+$/.test(arg) ? `u${arg}` : arg)),
    "mx --reference --from",
  );
  const tree = has(read, "-R", "--recursive") || undefined;
  const paths = has(read, "--reference", "-m", "-x") ? read.operands : read.operands.slice(1);
  return paths.map((path) => writes(path, tree));
}

function tar(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(tarWords(args), `${TAR_TAKES} --file --directory --files-from --exclude --use-compress-program --transform`);
  const archive = optionValues(read, "-f", "--file")[0];
  if (has(read, "-x", "--extract", "--get")) return [writes(optionValues(read, "-C", "--directory")[0] ?? ".", true)];
  return has(read, "-c", "-r", "-u", "--create", "--append", "--update") && archive !== undefined && archive !== "-"
    ? [writes(archive)]
    : [];
}

function compiled(args: readonly ShellWord[]): readonly ProgramFinding[] {
  return args.flatMap((arg, i) => {
    if (arg === "-o" || arg === "--output") return [writes(args[i + 1] ?? null)];
    const [, path] = /^(?:-o=?|--output=)(.+)$/s.exec(arg ?? "") ?? [];
    return path === undefined ? [] : [writes(path)];
  });
}

/** The values of these options are files it writes, but for `nothing`, which is standard output. */
function writesTo(outputs: string, valued: ValuedOptions, nothing?: "-"): ProgramReader {
  return (args) =>
    optionValues(readOptions(args, valued), ...outputs.split(" "))
      .filter((path) => path !== nothing)
      .map((path) => writes(path));
}

/** `-i` edits the files it is given. */
function edited(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const at = args.findIndex((arg) => arg !== null && /^-[a-zA-Z0]*i/.test(arg));
  if (at === -1) return [];
  const code = args.findIndex((arg) => arg !== null && /^-[a-zA-Z0]*[eE]$/.test(arg));
  return readOptions(args.slice(code === -1 ? at + 1 : code + 2)).operands.map((path) => writes(path));
}

/** The first operand is what to look for, unless -e or -f says so. */
function searched(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(args, "ABCefmgt --regexp --file --glob --include --exclude --type --arg --argjson");
  const paths = has(read, "-e", "--regexp", "-f", "--file", "--files") ? read.operands : read.operands.slice(1);
  return paths.map(reads);
}
