import { createHash } from "node:crypto";
import { CommandError, type SlashCommand } from "../../core/command.ts";
import type { ServerPrompt } from "../../mcp/client/offers/offer-list.ts";
import { splitQuoted, unquote } from "../../text/formats/quoted-words.ts";
import { didYouMean } from "../../text/nearest.ts";
import { bounded } from "../../text/visible.ts";
import type { Mcp } from "../mcp.ts";

/** A prompt, and how it is typed. */
export interface NamedPrompt extends ServerPrompt {
  readonly command: `/${string}`;
}

const LONGEST_NAME = 64;
const LONGEST_HELP = 120;
const LONGEST_VALUE = 20_000;

/** Prompts of servers as commands: `/server:prompt`. No command of ours has a colon, so none can be taken from us. A server nobody trusts has none. */
export function namedPrompts(mcp: Pick<Mcp, "offers" | "states">): readonly NamedPrompt[] {
  const untrusted = new Set(mcp.states().flatMap(({ name, trust }) => (trust === "untrusted" ? [name] : [])));
  const names = new Set<string>();
  return mcp.offers.prompts().flatMap((prompt): NamedPrompt[] => {
    if (untrusted.has(prompt.server)) return [];
    const command = commandName(prompt, names);
    names.add(command);
    return [{ ...prompt, command }];
  });
}

export const promptCommands = (mcp: Mcp): readonly SlashCommand[] => namedPrompts(mcp).map((prompt) => slashOf(prompt, mcp));

function slashOf(prompt: NamedPrompt, mcp: Mcp): SlashCommand {
  const { server, name, command } = prompt;
  return {
    name: command,
    usage: promptUsage(prompt),
    help: bounded(`${prompt.description === "" ? "a prompt" : prompt.description} (of the MCP server ${server})`, LONGEST_HELP),
    complete: (rest) => completions(prompt, rest, mcp),
    async run(rest, signal) {
      const words = splitQuoted(rest, (message) => new CommandError(message)).map(unquote);
      const { text, isCut } = await mcp.offers.prompt(server, name, promptArguments(prompt, words), signal);
      const sent = isCut ? `${text}\n[the server wrote more; it was left out]` : text;
      return {
        text: `${command} is sent with this text of the MCP server ${server}:\n${sent}`,
        // In the person's own words: the server's come apart from them.
        send: `${command} ${rest}`.trim(),
        quotes: [{ kind: "prompt", server, name: command, text: sent }],
      };
    },
  };
}

/** `/notes:review <file> [depth=…]` */
export const promptUsage = ({ command, arguments: takes }: NamedPrompt): string =>
  [command, ...takes.map(({ name, required }) => (required ? `<${name}>` : `[${name}=…]`))].join(" ");

/** The arguments of a prompt from words: `name=value`, or values for the required ones in their order. Throws a CommandError. */
export function promptArguments(
  prompt: Pick<ServerPrompt, "server" | "name" | "arguments">,
  words: readonly string[],
): Readonly<Record<string, string>> {
  const takes = prompt.arguments;
  const given = new Map<string, string>();
  const bare: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const name = at < 0 ? undefined : takes.find((one) => one.name === word.slice(0, at))?.name;
    if (name === undefined) bare.push(word);
    else if (given.has(name)) throw new CommandError(`"${name}" is given twice.`);
    else given.set(name, word.slice(at + 1));
  }
  const open = [...takes].sort((a, b) => Number(b.required) - Number(a.required)).filter(({ name }) => !given.has(name));
  for (const [n, value] of bare.entries()) {
    const next = open[n];
    if (!next) throw new CommandError(oneTooMany(value, prompt));
    given.set(next.name, value);
  }
  const missing = takes.filter(({ name, required }) => required && !given.has(name)).map(({ name }) => name);
  if (missing.length > 0)
    throw new CommandError(`${prompt.server}:${prompt.name} also needs ${missing.map((name) => `${name}=…`).join(" ")}.`);
  for (const [name, value] of given)
    if (value.length > LONGEST_VALUE) throw new CommandError(`"${name}" has more than ${LONGEST_VALUE} characters.`);
  return Object.fromEntries(given);
}

function oneTooMany(word: string, { server, name, arguments: takes }: Pick<ServerPrompt, "server" | "name" | "arguments">): string {
  const [typed] = word.split("=");
  const names = takes.map((one) => one.name);
  const hint = word.includes("=") ? didYouMean(typed!, names) : "";
  const what = names.length === 0 ? "takes no arguments" : `takes ${names.join(", ")}`;
  return `${JSON.stringify(bounded(word, 80))} is too much: ${server}:${name} ${what}.${hint} Put quotes around a text with spaces.`;
}

/** Names of arguments, and values that the server suggests for the one that is being typed. */
async function completions(prompt: NamedPrompt, rest: string, { offers }: Mcp): Promise<readonly string[]> {
  const takes = prompt.arguments;
  const word = /\S*$/.exec(rest)![0];
  const earlier = rest.slice(0, rest.length - word.length).split(/\s+/);
  const before = Object.fromEntries(earlier.filter((one) => one.includes("=")).map((one) => one.split("=", 2) as [string, string]));
  const at = word.indexOf("=");
  const typed = at < 0 ? undefined : takes.find(({ name }) => name === word.slice(0, at));
  if (typed === undefined) return takes.filter(({ name }) => !(name in before)).map(({ name }) => `${name}=`);
  const values = await offers.suggest(prompt.server, { prompt: prompt.name }, { name: typed.name, value: word.slice(at + 1), before });
  return values.map((value) => `${typed.name}=${/\s/.test(value) ? JSON.stringify(value) : value}`);
}

/** What can be typed, and the same every time. Two that would be typed alike are told apart by a mark. */
function commandName({ server, name }: ServerPrompt, taken: ReadonlySet<string>): `/${string}` {
  const plain = name.replace(/[^\w.-]/g, "_");
  const typed = `/${server}:${plain}` as const;
  if (plain.length <= LONGEST_NAME && !taken.has(typed)) return typed;
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `/${server}:${plain.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
