import type { ToolCall } from "../../core/call.ts";
import { nameOf } from "../../text/path.ts";

const MOST_WORDS = 100;
const LONGEST_WORD = 100;
/** What a value is known by stands at its beginning. */
const MOST_TEXT = 4_000;
/** A secret may be longer than what is kept of a value, so that more is looked through than is kept. */
const MOST_SEARCHED = 100_000;
const MOST_VALUES = 100_000;
const MAX_DEPTH = 20;

/** A call as it is remembered: its tool, and each word of its arguments once. Bounded, and without secrets. */
export function sequenceWords(call: ToolCall, redact: (text: string) => string): readonly string[] {
  const words = new Set<string>();
  const clean = (text: string) => redact(text.slice(0, MOST_SEARCHED)).slice(0, MOST_TEXT);
  const commands = sequenceCommands(call);
  if (commands.length > 0) for (const argv of commands) collect(words, clean(argv.map((word) => word ?? "?").join(" ")), /\s+/);
  else
    for (const value of sequenceValues(call.input)) {
      const text = clean(value);
      if (!/\s/.test(text)) for (const whole of [text, nameOf(text)]) collect(words, whole, /\s+/);
      collect(words, text, BEYOND_ASCII.test(text) ? BETWEEN : BETWEEN_ASCII);
      if (words.size >= MOST_WORDS) break;
    }
  words.delete(call.tool.name);
  return [call.tool.name, ...words].slice(0, MOST_WORDS);
}

/** The words of each simple command a call would run; null is a word only known at run time. */
export const sequenceCommands = ({ touches }: ToolCall): readonly (readonly (string | null)[])[] =>
  touches.flatMap((touch) => (touch.kind === "command" ? [touch.argv] : []));

/** Every text, number and truth value of an input, in its order. */
export function sequenceValues(input: unknown): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (found.length >= MOST_VALUES || depth > MAX_DEPTH) return;
    if (typeof value === "string") found.push(value);
    else if (typeof value === "number" || typeof value === "boolean") found.push(String(value));
    else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) visit(item, depth + 1);
  };
  visit(input, 0);
  return found;
}

const BETWEEN = /[^\p{L}\p{N}_-]+/u;
/** The same for what most texts are written in; it takes a fraction of the time. */
const BETWEEN_ASCII = /[^a-zA-Z0-9_-]+/;
const BEYOND_ASCII = /[^\0-\x7f]/;

function collect(words: Set<string>, text: string, between: RegExp): void {
  for (const word of text.toLowerCase().split(between)) {
    if (words.size >= MOST_WORDS) return;
    if (word !== "") words.add(word.slice(0, LONGEST_WORD));
  }
}
