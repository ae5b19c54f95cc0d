// Prints a game as text, without places of this machine.
import { readFileSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { newMessages, partsOf, readLetters, resultText, tokens } from "./letters.mjs";

const USAGE = `usage: node lab/model/transcript.mjs <game> > lab/model/played/<name>.txt

Prints requests and answers of a game. A result is told by its size and the lines in brackets that are Zeph's own
notes, and a long text in a call by its length, because the sources they show are other people's.
Folders of the game and of this machine are replaced by names such as <project>.`;

const MOST_NOTES = 8;
const LONGEST_NOTE = 160;
const LONGEST_ARGUMENT = 120;
const LONGEST_COMMAND = 400;
const ORDINARY = ["/", "/tmp", "/usr", "/usr/local"];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
if (values.help || positionals.length !== 1) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const game = realpathSync(positionals[0]);
const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const PLACES = [
  [path.join(game, "project"), "<project>"],
  [path.join(game, "home"), "<home>"],
  [game, "<game>"],
  [root, "<zeph>"],
  [path.dirname(path.dirname(process.execPath)), "<node>"],
  [homedir(), "<person>"],
  [tmpdir(), "<tmp>"],
].filter(([place]) => !ORDINARY.includes(place));

const { task, way, solved } = JSON.parse(readFileSync(path.join(game, "verdict.json"), "utf8"));
print(`task ${task}, ${way}, ${solved ? "solved" : "not solved"}`);
for (const { number, request, answer } of readLetters(game)) {
  const { system, tools = [], messages } = request;
  print(
    `\n=== request ${number}: system prompt ${tokens(system)} tokens, ${tools.length} tools ${tokens(tools)}, messages ${tokens(messages)}`,
  );
  for (const { content } of newMessages(request)) for (const part of partsOf({ content })) printPart(part);
  print(`=== answer ${number}`);
  if (answer?.text) print(answer.text);
  for (const { name, input } of answer?.calls ?? [])
    print(name === "bash" && Object.keys(input).length === 1 ? `$ ${cut(input.command, LONGEST_COMMAND)}` : `${name} ${showInput(input)}`);
}

function printPart(part) {
  if (part.type === "text") print(`--- words (${tokens(part.text)} tokens)\n${part.text}`);
  if (part.type === "tool_result")
    print(`--- result${part.is_error ? ", an error" : ""} (${tokens(resultText(part))} tokens${notesOf(resultText(part))})`);
}

/** Lines that Zeph wrote: they begin with a bracket. */
function notesOf(text) {
  const lines = text.split("\n");
  const notes = lines.filter((line) => /^\[[a-z-]/i.test(line) || /^No matches/.test(line));
  const shown = notes.slice(0, MOST_NOTES).map((line) => `\n  ${cut(line, LONGEST_NOTE)}`);
  return `, ${lines.length} lines${shown.length > 0 ? ", among them" : ""}${shown.join("")}`;
}

function showInput(input) {
  return JSON.stringify(input, (_name, value) => (typeof value === "string" ? cut(value, LONGEST_ARGUMENT) : value));
}

function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most / 4)}… (${text.length} characters)`;
}

function print(text) {
  console.log(PLACES.reduce((rest, [place, name]) => rest.replaceAll(place, name), text));
}
