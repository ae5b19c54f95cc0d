import { CommandError } from "../../../core/command.ts";
import { namedPrompts, promptArguments, promptUsage } from "../../../runtime/features/mcp-prompts.ts";
import { contentText, resourceLine } from "../../../runtime/features/mcp-words.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { wrap } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { jsonLine, printError } from "../run/print.ts";
import { lineWidth, type Terminal } from "../terminal/terminal.ts";
import type { McpRequest } from "./mcp.ts";
import { type OpenServers, readMcpArgs, withServers } from "./open.ts";
import { isConnected, type State, sayAway } from "./text.ts";

const PROMPTS = "Usage: zeph mcp prompts [server] [--json]";
const RESOURCES = "Usage: zeph mcp resources [server] [--json]";
const PROMPT = "Usage: zeph mcp prompt <server> <prompt> [name=value…] [--json]";
const READ = "Usage: zeph mcp read <server> <uri> [--json]";
const MOST_WORDS = 100;
const JSON_FLAG = { json: { type: "boolean" } } as const;

/** `zeph mcp prompts`: the prompts of the servers, and how each is typed in a chat. Exit 5 when one cannot be reached. */
export async function listPrompts(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, PROMPTS, 1, JSON_FLAG);
  return withServers(wish, positionals[0] ?? null, async ({ mcp }) => {
    const { terminal } = wish;
    const commands = new Map(namedPrompts(mcp).map((prompt) => [`${prompt.server} ${prompt.name}`, prompt]));
    const rows = mcp.offers.prompts().map((prompt) => ({ ...prompt, named: commands.get(`${prompt.server} ${prompt.name}`) }));
    return tellAll(mcp.states(), wish, values.json ?? false, {
      json: () => rows.map(({ named, ...prompt }) => ({ ...prompt, command: named?.command ?? null })),
      one: ({ name, prompts }) => [
        plural(prompts, "prompt"),
        ...rows
          .filter(({ server }) => server === name)
          .flatMap(({ named, description, arguments: takes, name: prompt }) => [
            `  ${terminal.out.cyan(visible(named ? promptUsage(named) : prompt))}`,
            ...[description, ...takes.map((one) => (one.description === "" ? "" : `${one.name}: ${one.description}`))]
              .filter((text) => text !== "")
              .map((text) => wrap(visible(text), lineWidth(terminal.stdout), "      ")),
          ]),
      ],
    });
  });
}

/** `zeph mcp resources`: what the servers let be read. Exit 5 when one cannot be reached. */
export async function listResources(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, RESOURCES, 1, JSON_FLAG);
  return withServers(wish, positionals[0] ?? null, async ({ mcp }) =>
    tellAll(mcp.states(), wish, values.json ?? false, {
      json: () => mcp.offers.resources(),
      one: ({ name, resources, templates }) => [
        [plural(resources, "resource"), ...(templates > 0 ? [plural(templates, "template")] : [])].join(", "),
        ...mcp.offers.resources(name).map((resource) => `  ${visible(resourceLine(resource))}`),
      ],
    }),
  );
}

interface Listed {
  readonly json: () => readonly object[];
  /** A heading, and lines. */
  readonly one: (state: State) => readonly string[];
}

function tellAll(states: readonly State[], { terminal }: McpRequest, json: boolean, { json: rows, one }: Listed): number {
  const { stdout, out } = terminal;
  if (json) stdout.write(jsonLine(rows()));
  else if (states.length === 0) stdout.write("There are no MCP servers.\n");
  else
    for (const state of states) {
      const [head, ...lines] = one(state);
      stdout.write([`${out.bold(visible(state.name))}: ${head}`, ...lines].map((line) => `${line}\n`).join(""));
    }
  const away = states.filter((state) => !isConnected(state));
  for (const state of away) sayAway(state, terminal);
  return away.length > 0 ? EXIT.failed : EXIT.ok;
}

/** `zeph mcp prompt`: the text a server writes for a prompt, and nothing else. No model reads it. */
export async function showPrompt(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, PROMPT, MOST_WORDS, JSON_FLAG);
  const [server, name, ...words] = positionals;
  if (server === undefined || name === undefined) throw new UsageError(`Say which prompt of which server.\n${PROMPT}`);
  return withServers(wish, server, (open) =>
    asked(open, wish.terminal, async ({ mcp, signal }, { name: known }) => {
      const prompts = mcp.offers.prompts(known);
      const prompt = prompts.find((one) => one.name === name);
      const names = prompts.map((one) => one.name);
      if (!prompt) throw new UsageError(visible(`"${known}" has no prompt "${name}".${didYouMean(name, names) || listOf(names)}`));
      const written = await mcp.offers.prompt(known, name, promptArguments(prompt, words), signal);
      wish.terminal.stdout.write(values.json ? jsonLine({ server: known, prompt: name, ...written }) : `${visible(written.text)}\n`);
      if (written.isCut && !values.json) printError(wish.terminal, "The server wrote more; it was left out.");
    }),
  );
}

const listOf = (names: readonly string[]): string => (names.length === 0 ? " It has none." : ` It has ${names.slice(0, 20).join(", ")}.`);

/** `zeph mcp read`: what is at an address of a server. No model reads it. */
export async function readResource(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, READ, 2, JSON_FLAG);
  const [server, uri] = positionals;
  if (server === undefined || uri === undefined) throw new UsageError(`Say what to read, and from which server.\n${READ}`);
  return withServers(wish, server, (open) =>
    asked(open, wish.terminal, async ({ mcp, signal }, { name }) => {
      const contents = await mcp.offers.read(name, uri, signal);
      const { stdout } = wish.terminal;
      stdout.write(values.json ? jsonLine(contents) : contents.map((one) => `${visible(contentText(one)).replace(/\n$/, "")}\n`).join(""));
    }),
  );
}

/** Asks the one server that was named. What it refuses is told, and is no failure of ours. */
async function asked(open: OpenServers, terminal: Terminal, ask: (open: OpenServers, state: State) => Promise<void>): Promise<number> {
  const [state] = open.mcp.states();
  if (!state || !isConnected(state)) {
    if (state) sayAway(state, terminal);
    return EXIT.failed;
  }
  try {
    await ask(open, state);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof CommandError) throw new UsageError(`${error.message}\n${PROMPT}`);
    printError(terminal, (error as Error).message);
    return EXIT.failed;
  }
}
