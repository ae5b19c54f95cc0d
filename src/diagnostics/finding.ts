import type { Severity } from "../core/ports/diagnostics.ts";

/** One finding as the program told it; paths are as it wrote them. */
export interface Finding {
  readonly severity: Severity;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly col: number | null;
  readonly code?: string;
}

export interface Parsed {
  readonly findings: readonly Finding[];
  /** Lines or entries that could not be understood. */
  readonly garbage: number;
}

/** More findings than this are not read. */
export const MOST_FINDINGS = 100_000;

export interface PrintedStreams {
  readonly stdout: string;
  readonly stderr: string;
}

/** Never throws, whatever was printed. */
export type Parser = (printed: PrintedStreams) => Parsed;

/** Programs write any words for how bad it is. */
export function severityOf(word: unknown): Severity {
  if (typeof word !== "string") return "warning";
  if (/^(?:fatal|error|critical|deny)/i.test(word)) return "error";
  return /^(?:info|note|hint|help|advice|suggestion|message|remark)/i.test(word) ? "info" : "warning";
}

/** Lines and columns count from 1; anything else is no place. */
export const givenPosition = (value: unknown): number | null => {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : null;
};

export const givenText = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value : null);

/** A value deep inside something a program printed, by the names of members on the way with points between them; undefined where there is no such way. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce((node, key) => (typeof node === "object" && node !== null ? (node as Record<string, unknown>)[key] : undefined), value);

export const givenItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
