import type { ApprovedCall } from "../door.ts";
import type { CallContext } from "../tool.ts";
import type { Walls } from "./walls.ts";

/** What the project's own compilers and linters say about it. They run behind the same walls as any command. */
export interface Diagnostics {
  check(permit: ApprovedCall, query: DiagnosticsQuery, ctx: CallContext): Promise<Diagnosed>;
}

/** `check`: what does not compile or has the wrong type. `lint`: what the linters object to. */
export type DiagnosticsKind = "check" | "lint";

/** What is to be checked. */
export interface DiagnosticsQuery {
  readonly kind: DiagnosticsKind;
  /** A file or folder; null means the whole workspace. The project is looked for from there upward. */
  readonly path: string | null;
  /** Most findings to hand over. The configuration may say less. */
  readonly max: number | null;
}

/** How bad a finding is. */
export type Severity = "error" | "warning" | "info";

/** One finding of a checker, and where it is. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly message: string;
  /** Relative to the workspace where it lies inside it; null when the finding is about no file. */
  readonly file: string | null;
  /** Both from 1; null when they are not known. */
  readonly line: number | null;
  readonly col: number | null;
  readonly code?: string;
  /** The program that found it. */
  readonly source: string;
}

/** What a checker found. */
export interface Diagnosed {
  /** The gravest first, then by file and line. */
  readonly items: readonly Diagnostic[];
  /** Of all that was found, also of what is not shown. */
  readonly counts: Readonly<Record<Severity, number>>;
  readonly total: number;
  /** The programs that ran, in order. */
  readonly tools: readonly { readonly name: string; readonly exit_code: number; readonly ms: number }[];
  /** What was not looked at, or not understood, and why. */
  readonly warnings: readonly string[];
  /** Absent when nothing ran. */
  readonly walls?: Walls;
}
