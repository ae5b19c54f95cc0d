import type { Elicitation, Elicited, Field, FieldValue, Form } from "../../../core/ports/elicitation.ts";
import { visible } from "../../../text/visible.ts";
import { type Colors, prose, type Terminal } from "../terminal/terminal.ts";
import { badAnswer, fieldValue, valueText } from "./elicit-field.ts";

/** Puts what an MCP server wants to know to the person at the keyboard. A no is a decline; where nobody answers any more, it is cancelled. */
export async function elicited(asked: Elicitation, read: Read, { stderr, err }: Terminal): Promise<Elicited> {
  const say = (text: string) => void stderr.write(`${prose(text, stderr)}\n`);
  say(`\n${err.yellow("Question:")} the MCP server ${err.bold(line(asked.from))} asks:\n${visible(asked.message)}`);
  if (asked.kind === "visit") say(`It wants you to open this address. It is not opened for you:\n  ${err.cyan(line(asked.url))}`);
  if (asked.kind === "form" && asked.fields.length > 0) say(err.dim("Your answer goes to that server. Do not send a password or a key."));
  const offer = asked.kind === "visit" ? "Have you opened this address, or will you?" : asked.fields.length > 0 ? "Answer it?" : "Agree?";
  const first = await yesOrNo(`${err.bold(offer)} [y]es, [N]o: `, read, say);
  if (first !== "yes") return { action: first === null ? "cancel" : "decline" };
  return asked.kind === "visit" ? { action: "accept", content: {} } : fill(asked, read, say, err);
}

/** What is typed after a prompt; null when nobody can answer any more. */
export type Read = (prompt: string) => Promise<string | null>;
type Say = (text: string) => void;

/** Nothing goes out that the person has not seen once more. */
async function fill({ fields, from }: Form, read: Read, say: Say, err: Colors): Promise<Elicited> {
  for (;;) {
    const content: Record<string, FieldValue> = Object.create(null);
    for (const field of fields) {
      const value = await answerTo(field, read, say, err);
      if (value === null) return { action: "cancel" };
      if (value !== "left out") content[field.name] = value.value;
    }
    if (fields.length === 0) return { action: "accept", content };
    say(`To ${line(from)}:`);
    for (const [name, value] of Object.entries(content)) say(`  ${err.cyan(line(name))}  ${visible(valueText(value))}`);
    const next = await choose(`${err.bold("Send it?")} [y]es, [e]dit, [N]o: `, read, say);
    if (next === null) return { action: "cancel" };
    if (next !== "edit") return next === "yes" ? { action: "accept", content } : { action: "decline" };
  }
}

async function answerTo(field: Field, read: Read, say: Say, err: Colors): Promise<{ value: FieldValue } | "left out" | null> {
  say(`${err.bold(line(field.title ?? field.name))}${field.description === undefined ? "" : `\n${visible(field.description)}`}`);
  for (const [n, { label, value }] of (field.options ?? []).entries())
    say(`  ${n + 1}  ${line(label)}${label === value ? "" : err.dim(` (${line(value)})`)}`);
  const otherwise =
    field.default === undefined ? (field.required ? "" : ", Enter: leave it out") : `, Enter: ${line(valueText(field.default))}`;
  for (;;) {
    const typed = await read(`  ${KINDS[field.type]}${otherwise}: `);
    if (typed === null) return null;
    if (typed.trim() === "" && field.default !== undefined) {
      // A default is a stranger's text like any other.
      const wrong = badAnswer(field, field.default);
      if (wrong === null) return { value: field.default };
      say(err.red(wrong));
      continue;
    }
    if (typed.trim() === "" && !field.required) return "left out";
    if (typed.trim() === "") {
      say(err.red("This field is required."));
      continue;
    }
    const value = fieldValue(field, typed);
    if (!("wrong" in value)) return value;
    say(err.red(visible(value.wrong)));
  }
}

const KINDS: Readonly<Record<Field["type"], string>> = {
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  choice: "one of these",
  choices: "some of these, with commas",
};

const yesOrNo = (prompt: string, read: Read, say: Say) => among(prompt, { yes: ["y", "yes"], no: ["n", "no", ""] }, read, say);
const choose = (prompt: string, read: Read, say: Say) =>
  among(prompt, { yes: ["y", "yes"], edit: ["e", "edit"], no: ["n", "no", ""] }, read, say);

async function among<T extends string>(
  prompt: string,
  words: Readonly<Record<T, readonly string[]>>,
  read: Read,
  say: Say,
): Promise<T | null> {
  const all = Object.entries<readonly string[]>(words) as [T, readonly string[]][];
  for (;;) {
    const typed = await read(prompt);
    if (typed === null) return null;
    const found = all.find(([, forms]) => forms.includes(typed.trim().toLowerCase()));
    if (found) return found[0];
    say(`Please answer ${all.map(([word]) => word).join(", ")}. Enter alone means no.`);
  }
}

/** A stranger's text in one line. */
const line = (text: string): string => visible(text).replace(/\s+/g, " ");
