import { createHeadReaders, sourcePath } from "../../diagnostics/heads.ts";
import type { Line } from "../line.ts";

/** One remark of a compiler, a type checker or a linter. */
export interface ReadDiagnostic {
  /** What stands before the message: `error`, `error TS2322`, `F401`. Empty where the tool says nothing. */
  readonly label: string;
  readonly message: string;
  readonly file: string;
  /** 0: the tool named none. */
  readonly line: number;
  readonly column: number;
  /** Where in the source a caret points, of tools that name no column. */
  readonly caret?: number;
  /** The source text it points at. Shown when the message alone may say too little. */
  readonly source: string;
  /** The lines that said it. */
  readonly said: readonly Line[];
  /** What was drawn and explained around it. Left out; none of it is an error of its own. */
  readonly drawn: readonly Line[];
}

export type SourcePlace = Pick<ReadDiagnostic, "file" | "line" | "column">;

/** A place as it was read: numbers in words, or none. */
export const readPlace = (file: string, line?: string, column?: string): SourcePlace => ({
  file,
  line: Number(line ?? 0),
  column: Number(column ?? 0),
});

const NONE: readonly Line[] = [];

/** Written out and not spread, which takes ten times as long: a long output holds many of them. */
export function diagnostic(
  { file, line, column }: SourcePlace,
  label: string,
  message: string,
  said: readonly Line[],
  drawn: readonly Line[] = NONE,
  source = "",
): ReadDiagnostic {
  return { label, message, file, line, column, source, said, drawn };
}

export interface Reading {
  /** Empty: the lines were understood, and say nothing. */
  readonly found: readonly ReadDiagnostic[];
  /** The first line that was not read. */
  readonly end: number;
}

/** Reads what begins at a line. null: nothing of this format does. */
export type DiagnosticReader = (lines: readonly Line[], at: number) => Reading | null;

/** A fresh reader for each output: some remember the file that was named last. */
export type DiagnosticFormat = () => DiagnosticReader;

export const textAt = (lines: readonly Line[], at: number): string => lines[at]?.text ?? "";

export const isNote = ({ label }: ReadDiagnostic): boolean => /^(?:note|help|info|hint|remark)\b/.test(label);

const SOURCE_FILE =
  /\.(?:[cmdslhyr]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|tcc|ipp|inl|inc|def|mm|cu|cuh|rs|go|java|kts?|scala|sc|groovy|gradle|swift|pyi?|pyx|ipynb|[cm]?[jt]sx?|vue|svelte|astro|css|scss|sass|less|html?|cs|csx|fsx?|vb|csproj|rb|rake|php|sh|bash|zsh|fish|bats|ps1|lua|zig|nim|hs|lhs|mli?|elm|exs?|erl|clj[cs]?|dart|sql|proto|graphql|jsonc?|json5|ya?ml|toml|xml|mdx?|rst|tex|txt|tf|tfvars|hcl|nix|asm|f|f90|f95|for|p[lm]|jl|cmake|mk|bzl|sol|v|sv|vhdl?|tcl|ld|in|conf|cfg|ini|properties|prisma|sbt)$/i;
const HEADER = /[\\/](?:include|c\+\+)[\\/](?:.{0,200}[\\/])?[a-z_]{1,40}$/;
const NAMED = /(?:^|[\\/])(?:\w{0,3}Makefile|Dockerfile|Rakefile|Gemfile|Jenkinsfile|BUILD|WORKSPACE)$/;

/** Whether a name is one of a file that tools complain about: no host, no time of day. */
export const isSourceFile = (name: string): boolean => SOURCE_FILE.test(name) || HEADER.test(name) || NAMED.test(name);

export const heads = createHeadReaders(sourcePath(isSourceFile));

const SYSTEM =
  /^\/usr\/(?:include|lib|share|local\/include|bin\/\.\.)|^\/opt\/|^\/Library\/Developer|^\/Applications\/Xcode|^[A-Z]:\\Program Files|^\/nix\/store|\/rustc\/|\/\.rustup\/toolchains\/|\/\.cargo\/registry\/|\/c\+\+\/(?:v1|\d{1,2})\/|\/lib\.[\w.]{1,60}\.d\.ts$/;

/** A file of the compiler or of a library: it is not the reader's to change. */
export const isSystemFile = (name: string): boolean => SYSTEM.test(name);
