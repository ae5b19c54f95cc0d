// The letters of a game: its requests and answers in their order, and what they cost.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { encode } from "gpt-tokenizer";

const NEW = 1.25;
const CACHED = 0.1;

export const tokens = (value) => encode(typeof value === "string" ? value : JSON.stringify(value ?? ""), { allowedSpecial: "all" }).length;

export const lettersOf = (game) => path.join(game, "letters");

export function readLetters(game) {
  const folder = lettersOf(game);
  const numbers = existsSync(folder) ? readdirSync(folder).flatMap((name) => /^(\d+)\.request\.json$/.exec(name)?.[1] ?? []) : [];
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .map((number) => ({
      number,
      request: readJson(path.join(folder, `${number}.request.json`)),
      answer: readJson(path.join(folder, `${number}.answer.json`)),
    }));
}

/** Writes a letter as a whole, so that no reader sees half of it. */
export function writeLetter(file, value) {
  writeFileSync(`${file}.part`, JSON.stringify(value, null, 1));
  renameSync(`${file}.part`, file);
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** The parts of a message: words, calls and results. */
export const partsOf = ({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

export const resultText = ({ content = "" }) =>
  typeof content === "string" ? content : content.map(({ type, text }) => text ?? `[${type}]`).join("\n");

/** The messages that came after the last one of the model. */
export const newMessages = ({ messages }) => messages.slice(messages.map(({ role }) => role).lastIndexOf("assistant") + 1);

export function costsOf(game) {
  const letters = readLetters(game);
  const results = letters
    .flatMap(({ request }) => newMessages(request))
    .flatMap(partsOf)
    .filter(({ type }) => type === "tool_result");
  const fixed = letters.map(({ request }) => [withoutMarks([request.system, request.tools])]);
  const messages = letters.map(({ request }) => request.messages.map(withoutMarks));
  const both = fixed.map((parts, at) => [...parts, ...messages[at]]);
  return {
    requests: letters.length,
    calls: letters.reduce((sum, { answer }) => sum + (answer?.calls.length ?? 0), 0),
    errors: results.filter(({ is_error }) => is_error).length,
    input: sum(both.flat().map(tokens)),
    priced: price(both),
    fixed: sum(fixed.flat().map(tokens)),
    messages: sum(messages.flat().map(tokens)),
    messagesPriced: price(messages),
    results: sum(results.map((result) => tokens(resultText(result)))),
  };
}

/** What the same beginning as in the request before costs is the price of the cache; all else is new. */
function price(requests) {
  return Math.round(
    sum(
      requests.map((parts, at) => {
        const before = requests[at - 1] ?? [];
        const same = parts.findIndex((part, index) => part !== before[index]);
        const kept = same === -1 ? parts.length : same;
        return sum(parts.slice(0, kept).map(tokens)) * CACHED + sum(parts.slice(kept).map(tokens)) * NEW;
      }),
    ),
  );
}

const withoutMarks = (value) => JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner));

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
