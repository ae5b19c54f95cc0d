import { createLineFinder } from "../../text/formats/jsonc.ts";
import { type ClientRule, type ClientRules, type RuleAction, type UnreadRule, valueIn } from "./client-rule.ts";

/** One statement of a file of rules; a rule, or why it is none. */
export interface CodexStatement {
  readonly line: number;
  readonly written: string;
  readonly prefixes: readonly (readonly string[])[];
  readonly action: RuleAction | null;
  readonly why: string | null;
}

const DECISIONS: Readonly<Record<string, RuleAction>> = { forbidden: "deny", prompt: "ask", allow: "allow" };
const MOST_PREFIXES = 500;

/** The rules of a file of statements, which is written in a small Python. Only calls of `prefix_rule` with plain values are read. */
export function readCodexRules(statements: readonly CodexStatement[]): ClientRules {
  const rules: ClientRule[] = [];
  const unread: UnreadRule[] = [];
  for (const [n, { written, prefixes, action, why }] of statements.entries())
    if (why !== null || action === null) unread.push({ at: [n], written, action, why: why ?? "it cannot be read", about: "command" });
    else
      for (const words of prefixes)
        rules.push({ at: [n], written, action, target: { kind: "command", pattern: { kind: "prefix", words } } });
  return { client: "codex", decides: "strictest", rules, unread };
}

/** Splits the text into statements. Never throws: what is not understood is a statement that says so. */
export function readStatements(text: string): readonly CodexStatement[] {
  const lineAt = createLineFinder(text);
  const statements: CodexStatement[] = [];
  for (let from = skipBlank(text, 0); from < text.length; ) {
    const end = statementEnd(text, from);
    const written = text.slice(from, end).trim();
    statements.push({ line: lineAt(from), written: written.replace(/\s+/g, " "), ...readStatement(written) });
    from = skipBlank(text, Math.max(end, from + 1));
  }
  return statements;
}

function readStatement(written: string): Pick<CodexStatement, "prefixes" | "action" | "why"> {
  const none = (why: string, action: RuleAction | null = null) => ({ prefixes: [], action, why });
  const [, body] = /^prefix_rule\s*\(([\s\S]*)\)$/.exec(written) ?? [];
  if (body === undefined) return none("only prefix_rule with plain values is read");
  const values = readArguments(body);
  if (values === null) return none("something in it is no plain value");
  const { pattern, decision = "allow" } = values;
  const action = typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision]! : null;
  if (action === null) return none("its decision is none that Zeph knows");
  if (!Array.isArray(pattern) || pattern.length === 0) return none("it has no pattern", action);
  const known = pattern.every((word) => isWord(word) || (Array.isArray(word) && word.length > 0 && word.every(isWord)));
  if (!known) return none("its pattern holds something else than words", action);
  const prefixes = (pattern as (string | string[])[]).reduce<string[][]>(
    (all, word) => (all.length > MOST_PREFIXES ? all : all.flatMap((words) => [word].flat().map((one) => [...words, one]))),
    [[]],
  );
  return prefixes.length > MOST_PREFIXES ? none("it stands for too many commands", action) : { prefixes, action, why: null };
}

const isWord = (value: unknown): value is string => typeof value === "string" && value !== "";

type Literal = string | readonly Literal[];

/** `name = value` with commas between; null where something else stands. */
function readArguments(body: string): Record<string, Literal> | null {
  const values: Record<string, Literal> = Object.create(null);
  const at = { text: body, at: skipBlank(body, 0) };
  while (at.at < body.length) {
    const [head, name] = /^([A-Za-z_]\w*)\s*=\s*(?!=)/.exec(body.slice(at.at)) ?? [];
    if (head === undefined || name === undefined || name in values) return null;
    at.at = skipBlank(body, at.at + head.length);
    const value = readLiteral(at, 0);
    if (value === null) return null;
    values[name] = value;
    at.at = skipBlank(body, at.at);
    if (at.at < body.length && body[at.at++] !== ",") return null;
    at.at = skipBlank(body, at.at);
  }
  return values;
}

function readLiteral(open: { readonly text: string; at: number }, level: number): Literal | null {
  const { text } = open;
  if (text[open.at] !== "[") return readQuoted(open);
  if (level > 4) return null;
  const list: Literal[] = [];
  open.at = skipBlank(text, open.at + 1);
  while (text[open.at] !== "]") {
    const value = readLiteral(open, level + 1);
    if (value === null) return null;
    list.push(value);
    open.at = skipBlank(text, open.at);
    if (text[open.at] === ",") open.at = skipBlank(text, open.at + 1);
    else if (text[open.at] !== "]") return null;
  }
  open.at++;
  return list;
}

function readQuoted(open: { readonly text: string; at: number }): string | null {
  const end = stringEnd(open.text, open.at);
  if (end === null) return null;
  const raw = open.text.slice(open.at, end);
  // Longer quotes, and letters before them that change what is meant.
  if (/^("""|''')/.test(raw)) return null;
  open.at = end;
  const inner = raw.slice(1, -1);
  return /\\[^\\"'nt]/.test(inner) ? null : inner.replace(/\\(.)/g, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char);
}

/** Behind the closing quote; null where no string begins or it does not end on its line. */
function stringEnd(text: string, from: number): number | null {
  const quote = text[from];
  if (quote !== '"' && quote !== "'") return null;
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "\n") return null;
    else if (text[at] === quote) return at + 1;
  }
  return null;
}

function skipBlank(text: string, from: number): number {
  const blank = /(?:[\s\ufeff;]|#[^\n]*)*/y;
  blank.lastIndex = from;
  return from + (blank.exec(text)?.[0].length ?? 0);
}

/** A statement ends with its line, once its brackets are closed. */
function statementEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"' || char === "'") at = (stringEnd(text, at) ?? at + 1) - 1;
    else if (char === "#" && depth <= 0) return at;
    else if (char === "#") at = lineEnd(text, at) - 1;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if ((char === "\n" || char === ";") && depth <= 0) return at;
  }
  return text.length;
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** `rules.prefix_rules` of what a machine requires: each word is a table with `token` or `any_of`. */
export function readCodexRequirements(data: unknown): ClientRules {
  const list = valueIn(data, "rules", "prefix_rules");
  const entries: readonly unknown[] = Array.isArray(list) ? list : list === undefined ? [] : [null];
  return readCodexRules(
    entries.map((entry, n): CodexStatement => {
      const decision = DECISIONS[String(valueIn(entry, "decision"))] ?? null;
      const words = valueIn(entry, "pattern");
      const pattern = (Array.isArray(words) ? words : []).map((word) => valueIn(word, "token") ?? valueIn(word, "any_of"));
      const isRead = pattern.length > 0 && pattern.every((word) => [word].flat().length > 0 && [word].flat().every(isWord));
      const prefixes = (isRead ? (pattern as (string | string[])[]) : []).reduce<string[][]>(
        (all, word) => (all.length > MOST_PREFIXES ? all : all.flatMap((before) => [word].flat().map((one) => [...before, one]))),
        [[]],
      );
      const why = isRead && decision !== null && prefixes.length <= MOST_PREFIXES ? null : "it cannot be read";
      return { line: n + 1, written: `prefix rule ${n + 1}`, prefixes: why === null ? prefixes : [], action: decision, why };
    }),
  );
}
