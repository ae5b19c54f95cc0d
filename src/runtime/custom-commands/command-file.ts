import { splitFrontMatter } from "../../host/skills/front-matter.ts";
import { entryItems, entryText } from "../../host/skills/scalars.ts";
import { oneLine } from "../../text/visible.ts";

/** What a command's file says. */
export interface CommandFile {
  readonly description: string;
  /** What may be typed behind its name. */
  readonly hint: string;
  /** Tools it names. They are shown to the person and allow nothing. */
  readonly tools: readonly string[];
  readonly body: string;
}

const LONGEST_LINE = 200;
const MOST_TOOLS = 20;

/** Throws an Error that says what is wrong. */
export function readCommandFile(bytes: Buffer): CommandFile {
  const text = utf8(bytes);
  const { entries, body } = /^\ufeff?---[ \t]*\r?\n/.test(text) ? splitFrontMatter(text) : { entries: new Map(), body: text.trim() };
  if (body === "") throw new Error("it says nothing below its front matter");
  const line = (key: string) => (entries.has(key) ? oneLine(entryText(entries.get(key)!), LONGEST_LINE) : "");
  const named = entries.get("allowed-tools");
  const tools = named ? entryItems(named).map((tool) => oneLine(tool, LONGEST_LINE)) : [];
  const first = body.split("\n", 1)[0]!.replace(/^#+\s*/, "");
  return {
    description: line("description") || oneLine(first, 80),
    hint: line("argument-hint"),
    tools: tools.slice(0, MOST_TOOLS),
    body,
  };
}

function utf8(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {}
  throw new Error("it is not UTF-8 text");
}

/**
 * The text of a command with what was typed in its places: `$ARGUMENTS` is all of it, `$1` to `$9` are its words, where quotes hold words together. Nothing
 * else is replaced: no command is run and no file is read for it. What was typed and has no place stands at the end.
 */
export function expandCommand(body: string, typed: string): string {
  const rest = typed.trim();
  const words = [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
  let isPlaced = false;
  // In one pass: what was typed is not looked at again.
  const text = body.replace(/\$(ARGUMENTS\b|[1-9](?!\d))/g, (_whole, place: string) => {
    isPlaced = true;
    return place === "ARGUMENTS" ? rest : (words[Number(place) - 1] ?? "");
  });
  return isPlaced || rest === "" ? text : `${text}\n\n${rest}`;
}
