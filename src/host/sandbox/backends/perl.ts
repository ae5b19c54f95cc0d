import { type Arch, archOf, numberOf, type Syscall } from "./syscalls.ts";

export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
}

/** Some system calls are needed that Node cannot make. Perl can, and is nearly everywhere. */
export const PERL = "/usr/bin/perl";

/** The numbers of these calls, as our perl programs take them: in their first argument. */
export const callNumbers = (calls: readonly Syscall[], arch: Arch): string => calls.map((name) => numberOf(name, arch)).join(",");

/** The line that runs another one through a perl program of ours; null where the numbers of this machine are not known. */
export function perlLine(
  program: string,
  calls: readonly Syscall[],
  words: readonly string[],
  { file, args }: CommandLine,
): CommandLine | null {
  const arch = process.platform === "linux" ? archOf(process.arch) : null;
  return arch && { file: PERL, args: ["-e", program, callNumbers(calls, arch), ...words, "--", file, ...args] };
}
