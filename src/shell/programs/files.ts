import { deletes, type ProgramFinding, type ProgramReader, reads, writes } from "../finding.ts";
import { has, type OptionShape, optionValues, readOptions, type ShellWord } from "../options.ts";
import { TAR_TAKES, tarWords } from "./launchers.ts";

/** Which files well-known programs read, change and delete. A program that is not here may touch anything the walls leave open. */
export const FILE_PROGRAMS: Record<string, ProgramReader> = {
  rm: (args) => {
    const read = readOptions(args);
    const tree = has(read, "-r", "-R", "--recursive") || undefined;
    return read.operands.map((path) => deletes(path, tree));
  },
  rmdir: each((path) => deletes(path)),
  unlink: each((path) => deletes(path)),
  shred: each((path) => deletes(path), { short: "ns", long: ["--iterations", "--size"] }),
  mv: toLast((path) => deletes(path, true)),
  cp: toLast(reads),
  ln: toLast(() => null),
  install: toLast(reads, { short: "gmoSt", long: ["--group", "--mode", "--owner", "--target-directory", "--suffix", "--strip-program"] }),
  rsync: toLast(reads, {
    short: "efTBM",
    long: ["--rsh", "--filter", "--exclude", "--include", "--exclude-from", "--files-from", "--temp-dir"],
  }),
  scp: toLast(reads, { short: "cDFiJloPSX" }),
  ...table(
    each((path) => writes(path)),
    ["tee", "sponge", "mkfifo"],
  ),
  touch: each((path) => writes(path), { short: "drt", long: ["--date", "--reference", "--time"] }),
  mkdir: each((path) => writes(path), { short: "m", long: ["--mode"] }),
  truncate: each((path) => writes(path), { short: "sr", long: ["--size", "--reference"] }),
  mknod: (args) =>
    readOptions(args, { short: "m" })
      .operands.slice(0, 1)
      .map((path) => writes(path)),
  ...table(owned, ["chmod", "chown", "chgrp", "setfacl", "chattr"]),
  ...table(
    each((path) => writes(path)),
    ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"],
  ),
  dd: (args) =>
    args.flatMap((arg) =>
      arg === null || arg.startsWith("of=") ? [writes(arg?.slice(3) ?? null)] : arg.startsWith("if=") ? [reads(arg.slice(3))] : [],
    ),
  tar,
  unzip: (args) => {
    const read = readOptions(args, { short: "d" });
    return has(read, "-l", "-t", "-p", "-Z") ? [] : [writes(optionValues(read, "-d")[0] ?? ".", true)];
  },
  zip: (args) =>
    readOptions(args, { short: "bntxi" })
      .operands.slice(0, 1)
      .map((path) => writes(path)),
  patch: (args) => {
    const read = readOptions(args, {
      short: "pioBDdFrVYzg",
      long: ["--strip", "--input", "--output", "--directory", "--reject-file", "--fuzz", "--prefix", "--suffix"],
    });
    const named = [...read.operands.slice(0, 1), ...optionValues(read, "-o", "--output", "-r", "--reject-file")];
    return [
      writes(optionValues(read, "-d", "--directory")[0] ?? ".", true),
      ...named.filter((path) => path !== "-").map((path) => writes(path)),
    ];
  },
  split: (args) =>
    readOptions(args, { short: "abClnt", long: ["--bytes", "--lines", "--number", "--suffix-length", "--filter", "--additional-suffix"] })
      .operands.slice(1, 2)
      .map((path) => writes(path)),
  csplit: (args) => optionValues(readOptions(args, { short: "fbn", long: ["--prefix"] }), "-f", "--prefix").map((path) => writes(path)),
  xxd: (args) => {
    const [from, to] = readOptions(args, { short: "cglosnR" }).operands;
    return [...(from === undefined ? [] : [reads(from)]), ...(to === undefined ? [] : [writes(to)])];
  },
  ...table(compiled, ["gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "ld", "as", "rustc", "go", "ar"]),
  openssl: (args) =>
    args.flatMap((arg, i) => (arg !== null && /^--?(out|keyout|writerand|sigfile_out)$/.test(arg) ? [writes(args[i + 1] ?? null)] : [])),
  sort: (args) => optionValues(readOptions(args, { short: "okStT", long: ["--output"] }), "-o", "--output").map((path) => writes(path)),
  uniq: (args) =>
    readOptions(args, { short: "fsw" })
      .operands.slice(1, 2)
      .map((path) => writes(path)),
  history: (args) =>
    has(readOptions(args, { leading: true }), "-a", "-w")
      ? readOptions(args)
          .operands.slice(0, 1)
          .map((path) => writes(path))
      : [],
  curl: (args) =>
    download(
      args,
      { short: "AbcdDeEFHKmoPQrtTuUwxXyYz", long: ["--output", "--data", "--header", "--upload-file", "--request", "--user"] },
      ["-o", "--output"],
    ),
  wget: (args) =>
    download(args, { short: "aAeBDgiIloOPQRtTUwX", long: ["--output-document", "--directory-prefix", "--output-file"] }, [
      "-O",
      "-P",
      "-o",
      "--output-document",
      "--directory-prefix",
      "--output-file",
    ]),
  perl: edited,
  ruby: edited,
  prettier: (args) => (has(readOptions(args), "--write", "-w") ? readOptions(args).operands.map((path) => writes(path, true)) : []),
  ...table(each(reads, { short: "nc", long: ["--lines", "--bytes"] }), ["head", "tail"]),
  ...table(each(reads), [
    "cat",
    "tac",
    "less",
    "more",
    "bat",
    "nl",
    "wc",
    "file",
    "stat",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "od",
    "hexdump",
    "strings",
    "base64",
    "base32",
    "diff",
    "cmp",
    "comm",
    "paste",
    "rev",
    "column",
    "ls",
    "du",
    "tree",
    "readlink",
    "realpath",
  ]),
  ...table(searched, ["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "jq", "yq"]),
  cut: each(reads, { short: "bcdf" }),
};

function table(reader: ProgramReader, names: readonly string[]): Record<string, ProgramReader> {
  return Object.fromEntries(names.map((name) => [name, reader]));
}

function each(finding: (path: ShellWord) => ProgramFinding, shape?: OptionShape): ProgramReader {
  return (args) => readOptions(args, shape).operands.map(finding);
}

/** The last operand is written, or the folder named by -t; the others are what it is made from. */
function toLast(
  source: (path: ShellWord) => ProgramFinding | null,
  shape: OptionShape = { short: "tS", long: ["--target-directory", "--suffix"] },
): ProgramReader {
  return (args) => {
    const read = readOptions(args, shape);
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
    { long: ["--reference", "--from"], short: "mx" },
  );
  const tree = has(read, "-R", "--recursive") || undefined;
  const paths = has(read, "--reference", "-m", "-x") ? read.operands : read.operands.slice(1);
  return paths.map((path) => writes(path, tree));
}

function tar(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const read = readOptions(tarWords(args), {
    short: TAR_TAKES,
    long: ["--file", "--directory", "--files-from", "--exclude", "--use-compress-program", "--transform"],
  });
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

function download(args: readonly ShellWord[], shape: OptionShape, outputs: readonly string[]): readonly ProgramFinding[] {
  return optionValues(readOptions(args, shape), ...outputs)
    .filter((path) => path !== "-")
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
  const read = readOptions(args, {
    short: "ABCefmgt",
    long: ["--regexp", "--file", "--glob", "--include", "--exclude", "--type", "--arg", "--argjson"],
  });
  const paths = has(read, "-e", "--regexp", "-f", "--file", "--files") ? read.operands : read.operands.slice(1);
  return paths.map(reads);
}
