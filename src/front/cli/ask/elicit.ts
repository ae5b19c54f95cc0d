import type { Elicitation, Elicited, Field, FieldValue, Form } from "../../../core/ports/elicitation.ts";
import { YES_EDIT_NO, YES_OR_NO } from "../../../question/answers.ts";
import { fieldValue, presetValue, valueText } from "../../../question/field.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { type ReadLine, readChoice } from "./question.ts";

/** Puts what an MCP server wants to know to the person at the keyboard. A no is a decline; where nobody answers any more, it is cancelled. */
export async function elicitFrom(asked: Elicitation, read: ReadLine, terminal: Terminal): Promise<Elicited> {
  const { stderr, err } = terminal;
  const say = (text: string) => void stderr.write(`${prose(text, stderr)}\n`);
  say(`\n${err.yellow("Question:")} the MCP server ${err.bold(line(asked.from))} asks:\n${visible(asked.message)}`);
  if (asked.kind === "visit") say(`It wants you to open this address. It is not opened for you:\n  ${err.cyan(line(asked.url))}`);
  if (asked.kind === "form" && asked.fields.length > 0) say(err.dim("Your answer goes to that server. Do not send a password or a key."));
  const offer = asked.kind === "visit" ? "Have you opened this address, or will you?" : asked.fields.length > 0 ? "Answer it?" : "Agree?";
  const first = await readChoice(offer, YES_OR_NO, read, terminal);
  if (first !== "yes") return { action: first === null ? "cancel" : "decline" };
  return asked.kind === "visit" ? { action: "accept", content: {} } : fill(asked, read, say, terminal);
}

type Say = (text: string) => void;

/** Nothing goes out that the person has not seen once more. */
async function fill({ fields, from }: Form, read: ReadLine, say: Say, terminal: Terminal): Promise<Elicited> {
  const { err } = terminal;
  for (;;) {
    const content: Record<string, FieldValue> = Object.create(null);
    for (const field of fields) {
      const value = await answerTo(field, read, say, terminal);
      if (value === null) return { action: "cancel" };
      if (value !== "left out") content[field.name] = value.value;
    }
    if (fields.length === 0) return { action: "accept", content };
    say(`To ${line(from)}:`);
    for (const [name, value] of Object.entries(content)) say(`  ${err.cyan(line(name))}  ${visible(valueText(value))}`);
    const next = await readChoice("Send it?", YES_EDIT_NO, read, terminal);
    if (next === null) return { action: "cancel" };
    if (next !== "edit") return next === "yes" ? { action: "accept", content } : { action: "decline" };
  }
}

async function answerTo(field: Field, read: ReadLine, say: Say, { err }: Terminal): Promise<{ value: FieldValue } | "left out" | null> {
  say(`${err.bold(line(field.title ?? field.name))}${field.description === undefined ? "" : `\n${visible(field.description)}`}`);
  for (const [n, { label, value }] of (field.options ?? []).entries())
    say(`  ${n + 1}  ${line(label)}${label === value ? "" : err.dim(` (${line(value)})`)}`);
  const otherwise =
    field.default === undefined ? (field.required ? "" : ", Enter: leave it out") : `, Enter: ${line(valueText(field.default))}`;
  for (;;) {
    const typed = (await read(`  ${KINDS[field.type]}${otherwise}: `))?.trim();
    if (typed === undefined) return null;
    if (typed === "" && field.default === undefined && !field.required) return "left out";
    const value = typed === "" ? presetValue(field) : fieldValue(field, typed);
    if ("value" in value) return value;
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

/** A stranger's text on one line, with what it hides spelled out. */
const line = (text: string): string => oneLine(visible(text));
