// Answers the open request of a game, and shows what the model reads next.
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runInNewContext } from "node:vm";
import { lettersOf, newMessages, partsOf, readLetters, resultText, tokens, writeLetter } from "./letters.mjs";

const USAGE = `usage: node lab/model/answer.mjs <game> [--peek] [--full] < answer

Sends the answer on stdin to the open request of the game (the folder of play.mjs), waits, and shows what is new in the next request.
An answer is words, then calls. A call begins a line with @@:
  I look at the sources.
  @@$ ls && cat package.json          the tool bash with this command, which may have several lines
  @@read { path: "a.js" }             another tool with its input, written as in JavaScript
An answer without calls ends the game.
--peek   send nothing, show the open request
--full   show the whole request: system prompt, tools and all messages`;

const LONGEST_WAIT = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean" }, peek: { type: "boolean" }, full: { type: "boolean" } },
});
if (values.help || positionals.length !== 1) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const [game] = positionals;

if (!values.peek) {
  const request = await waitForRequest();
  if (request === undefined) {
    console.log("no request came");
    process.exit(1);
  }
  const answer = readAnswer(readFileSync(0, "utf8"));
  writeLetter(path.join(lettersOf(game), `${request.number}.answer.json`), answer);
  if (answer.calls.length === 0) process.exit(0);
}
const next = await waitForRequest();
if (next === undefined) console.log("no request came");
else show(next);

function readAnswer(text) {
  const [words, ...calls] = text.split(/^@@/m);
  return { text: words.trim(), calls: calls.map(readCall) };
}

function readCall(text) {
  if (text.startsWith("$")) return { name: "bash", input: { command: text.slice(1).trim() } };
  const [, name, input] = /^(\w+)\s*([\s\S]*)$/.exec(text);
  return { name, input: input.trim() === "" ? {} : JSON.parse(JSON.stringify(runInNewContext(`(${input.trim()})`, { String }))) };
}

async function waitForRequest() {
  const until = Date.now() + LONGEST_WAIT;
  while (Date.now() < until) {
    const request = readLetters(game).find(({ answer }) => answer === undefined);
    if (request !== undefined) return request;
    await setTimeout(100);
  }
}

function show({ number, request }) {
  const { system, tools = [], messages } = request;
  console.log(
    `=== request ${number}: system ${tokens(system)} tokens, ${tools.length} tools ${tokens(tools)}, ${messages.length} messages ${tokens(messages)}`,
  );
  if (values.full)
    console.log(
      `${typeof system === "string" ? system : system.map(({ text }) => text).join("\n")}\n${tools.map((tool) => JSON.stringify(tool)).join("\n")}`,
    );
  for (const { role, content } of values.full ? messages : newMessages(request))
    for (const part of partsOf({ content })) {
      if (part.type === "text") console.log(`--- ${role} (${tokens(part.text)} tokens)\n${part.text}`);
      if (part.type === "tool_use") console.log(`--- call ${part.name} ${JSON.stringify(part.input)}`);
      if (part.type === "tool_result")
        console.log(`--- result${part.is_error ? ", an error" : ""} (${tokens(resultText(part))} tokens)\n${resultText(part)}`);
    }
}
