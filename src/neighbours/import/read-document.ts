import { locator } from "../../config/edit/locate.ts";
import { ConfigError } from "../../config/problem.ts";
import { parseConfigToml } from "../../config/read.ts";
import { JsonMistake, parseJsonText } from "../../text/formats/jsonc.ts";
import { isRecord } from "../../text/json.ts";
import type { SourcePath } from "../rules/client-rule.ts";
import { type CodexStatement, readStatements } from "../rules/codex.ts";
import type { SourceDocument } from "./ledger.ts";

/** A file of statements: each is a leaf. */
export interface CodexDocument extends SourceDocument {
  readonly statements: readonly CodexStatement[];
}

export type DocumentForm = "json" | "jsonc" | "toml" | "statements" | "folder";

/** Parses a file of another agent. Throws a ConfigError where it is not what it should be: a file that does not parse is refused as a whole. */
export function readDocument(file: string, text: string, form: DocumentForm): SourceDocument | CodexDocument {
  if (form === "folder") return { data: text, leaves: [{ path: ["folder"], line: 1, isOverridden: false }] };
  const plain = text.replace(/^\ufeff/, "");
  if (form === "statements") {
    const statements = readStatements(plain);
    return { data: statements, statements, leaves: statements.map(({ line }, n) => ({ path: [n], line, isOverridden: false })) };
  }
  if (plain.trim() === "") return { data: {}, leaves: [] };
  return form === "toml" ? readTomlDocument(file, plain) : readJsonDocument(file, plain, form);
}

function readJsonDocument(file: string, text: string, form: "json" | "jsonc"): SourceDocument {
  try {
    const read = parseJsonText(text, form === "jsonc" ? "allowed" : "refused");
    if (isRecord(read.data)) return read;
    throw new ConfigError([{ file, message: "This is no table of settings. Nothing of it was taken." }]);
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    const { line, column, message } = error;
    throw new ConfigError([{ file, line, column, message: `This is not valid JSON: ${message}. Nothing of it was taken.` }]);
  }
}

function readTomlDocument(file: string, text: string): SourceDocument {
  const data = parseConfigToml(file, text);
  const locate = locator(text);
  const leaves = leavesOf(data, []).map((path) => ({ path, line: locate(path)?.line ?? 1, isOverridden: false }));
  return { data, leaves };
}

function leavesOf(value: unknown, path: SourcePath): SourcePath[] {
  const inner: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return inner.length === 0 ? (path.length === 0 ? [] : [path]) : inner.flatMap(([key, one]) => leavesOf(one, [...path, key]));
}
