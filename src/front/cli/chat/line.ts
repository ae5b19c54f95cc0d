import type { ToolInfo } from "../../../runtime/create.ts";
import { splitQuoted, unquote } from "../../../text/formats/quoted-words.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { parseArguments } from "../arguments.ts";
import { UsageError } from "../io.ts";
import { argumentsOf, jsonOrText, type Parameter, valueFor } from "./schema.ts";

/** A line of the console: a command (`/help`) or a call. */
export interface TypedLine {
  readonly name: string;
  readonly rest: string;
}

export function splitLine(line: string): TypedLine | null {
  const found = /^\s*(\S+)\s*(.*?)\s*$/s.exec(line);
  return found && { name: found[1]!, rest: found[2]! };
}

/**
 * `{"path":"a"}`, `path=a limit=5` or just `a`: words fill the required arguments, in the order of the schema.
 * A tool that is not listed (an alias, or a mistake) gets what can be read without its schema; the runtime judges it.
 */
export function argumentsFrom(rest: string, name: string, tools: readonly ToolInfo[]): unknown {
  if (rest.startsWith("{")) {
    const { args, problem } = parseArguments(rest);
    if (problem !== null) throw new UsageError(problem);
    return args;
  }
  const words = splitWords(rest);
  const tool = tools.find((one) => one.name === name);
  return tool ? named(words, name, argumentsOf(tool.parameters)) : guessed(words);
}

function named(words: readonly Word[], tool: string, parameters: readonly Parameter[]): Record<string, unknown> {
  const given = new Map<string, unknown>();
  const put = (parameter: Parameter, text: string) => {
    if (given.has(parameter.name)) throw new UsageError(`"${parameter.name}" is given twice.`);
    const value = valueFor(parameter, text);
    if (value === undefined) throw new UsageError(`"${parameter.name}" must be ${aWord(parameter.type)}, not ${JSON.stringify(text)}.`);
    given.set(parameter.name, value);
  };
  const bare: string[] = [];
  for (const word of words) {
    const parameter = parameters.find(({ name }) => name === word.name);
    if (parameter) put(parameter, word.value);
    else if (word.name !== null && nearest(word.name, names(parameters)).length > 0)
      throw new UsageError(`"${word.name}" is not an argument of ${tool}.${didYouMean(word.name, names(parameters))}`);
    else bare.push(word.text);
  }
  // Where a tool can do without each of them, a word alone is the first.
  const main = parameters.some(({ required }) => required) ? parameters.filter(({ required }) => required) : parameters.slice(0, 1);
  const unfilled = main.filter(({ name }) => !given.has(name));
  for (const [n, text] of bare.entries()) {
    const parameter = unfilled[n];
    if (!parameter) throw new UsageError(oneTooMany(text, tool, parameters));
    put(parameter, text);
  }
  return Object.fromEntries(given);
}

function oneTooMany(text: string, tool: string, parameters: readonly Parameter[]): string {
  const optional = parameters.filter(({ required }) => !required).map(({ name }) => `${name}=…`);
  const hint = optional.length > 0 ? ` Give the others by name: ${optional.join(", ")}.` : "";
  return `${JSON.stringify(text)} is one word too many for ${tool}.${hint} Put quotes around a text with spaces.`;
}

const names = (parameters: readonly Parameter[]) => parameters.map(({ name }) => name);
const aWord = (type: string) => (type === "text" || type === "true or false" ? type : `a ${type}`);

function guessed(words: readonly Word[]): unknown {
  if (words.some(({ name }) => name === null)) return words.map(({ text }) => text);
  return Object.fromEntries(words.map(({ name, value }) => [name, jsonOrText(value)]));
}

/** A word without its quotes. `name` is what stands before `=`, if that was not quoted. */
interface Word {
  readonly text: string;
  readonly name: string | null;
  readonly value: string;
}

export const splitWords = (text: string): readonly Word[] =>
  splitQuoted(text, (message) => new UsageError(message)).map((raw) => {
    const name = /^([A-Za-z_]\w*)=/.exec(raw)?.[1] ?? null;
    return { text: unquote(raw), name, value: name === null ? "" : unquote(raw.slice(name.length + 1)) };
  });
