/** A word of a command as far as it is known. */
export type ShellWord = string | null;

/** The options of a program that take a value: short ones as letters, then long ones. `fo --format --output`. */
export type ValuedOptions = string;

export interface Options {
  readonly options: readonly { readonly name: string; readonly value: ShellWord | undefined }[];
  readonly operands: readonly ShellWord[];
}

/** The words after a program's name, read the way getopt reads them. An unknown word counts as an operand. */
export const readOptions = (args: readonly ShellWord[], valued: ValuedOptions = ""): Options => read(args, valued, "all");

/** The same up to the first operand: the words behind it belong to another program. */
export const readLeadingOptions = (args: readonly ShellWord[], valued: ValuedOptions = ""): Options => read(args, valued, "leading");

function read(args: readonly ShellWord[], valued: ValuedOptions, which: "all" | "leading"): Options {
  const names = valued.split(" ");
  const short = names[0]!.startsWith("--") ? "" : names[0]!;
  const options: { name: string; value: ShellWord | undefined }[] = [];
  const operands: ShellWord[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (arg === null || arg === "-" || !arg.startsWith("-")) {
      if (which === "leading") {
        operands.push(...args.slice(i));
        break;
      }
      operands.push(arg);
    } else if (arg.startsWith("--")) {
      const at = arg.indexOf("=");
      const name = at === -1 ? arg : arg.slice(0, at);
      const takesNext = names.some((full) => isShort(name, full));
      options.push({ name, value: at === -1 ? (takesNext ? (args[++i] ?? null) : undefined) : arg.slice(at + 1) });
    } else {
      i = readCluster(args, i, short, options);
    }
  }
  return { options, operands };
}

/** `-rfo x`: flags may share a dash, and the last may take the rest or the next word as its value. */
function readCluster(
  args: readonly ShellWord[],
  i: number,
  short: string,
  options: { name: string; value: ShellWord | undefined }[],
): number {
  const cluster = args[i]!;
  for (let at = 1; at < cluster.length; at++) {
    const name = `-${cluster[at]}`;
    if (!short.includes(cluster[at]!)) {
      options.push({ name, value: undefined });
      continue;
    }
    const attached = cluster.slice(at + 1);
    options.push({ name, value: attached === "" ? (args[i + 1] ?? null) : attached });
    return attached === "" ? i + 1 : i;
  }
  return i;
}

/** A long option may be cut short: `--recurs` is `--recursive`. */
export const isShort = (name: string, full: string): boolean =>
  name === full || (name.length > 2 && name.startsWith("--") && full.startsWith(name));

export const has = ({ options }: Options, ...names: readonly string[]): boolean =>
  options.some(({ name }) => names.some((full) => isShort(name, full)));

export const optionValues = ({ options }: Options, ...names: readonly string[]): ShellWord[] =>
  options.filter(({ name, value }) => value !== undefined && names.some((full) => isShort(name, full))).map(({ value }) => value!);

/** The name rules compare: no folder, any case. */
export const programName = (word: string): string => {
  const name = word.slice(word.lastIndexOf("/") + 1).toLowerCase();
  return name.endsWith(".exe") ? name.slice(0, -4) : name;
};
