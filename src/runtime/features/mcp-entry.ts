import { parseArgs } from "node:util";
import { ConfigError } from "../../config/problem.ts";
import { configSchema } from "../../config/schema.ts";
import type { ServerConfig } from "../../mcp/config.ts";

/** A server as a person typed it: only what they said. */
interface Entry {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface Typed {
  readonly entry: Entry;
  readonly force: boolean;
  readonly json: boolean;
  /** Names of variables and headers whose values were typed out. */
  readonly spelledOut: readonly string[];
}

export const ADD_USAGE = "<name> [options] [--] <command> [args…], or <name> --url <address> [options]";

const OPTIONS = {
  url: { type: "string" },
  header: { type: "string", multiple: true },
  env: { type: "string", multiple: true },
  trust: { type: "string" },
  tools: { type: "string", multiple: true },
  timeout: { type: "string" },
  network: { type: "boolean" },
  reach: { type: "string", multiple: true },
  read: { type: "string", multiple: true },
  write: { type: "string", multiple: true },
  sampling: { type: "boolean" },
  force: { type: "boolean" },
  json: { type: "boolean" },
} as const;

/** `words` are what stands before a `--`, `command` what stands after it. Throws an Error that says what to type. */
export function entryFrom(words: readonly string[], command: readonly string[] | null): Typed {
  const { values, positionals } = parsed(words, command);
  const [name, ...rest] = positionals;
  if (name === undefined) throw new Error("Say how the server is to be called here, and how it is reached.");
  if (command !== null && rest.length > 0) throw new Error(`"${rest[0]}" is one word too many before the --.`);
  const line = command ?? rest;
  // An address where a command was expected is meant as one.
  const url = values.url ?? (line.length === 1 && /^https?:\/\//i.test(line[0]!) ? line[0] : undefined);
  const program = url === line[0] ? [] : line;
  if (url === undefined && program.length === 0) throw new Error(`Say how "${name}" is reached: a command after --, or --url <address>.`);
  if (url !== undefined && program.length > 0) throw new Error("Give either a command or --url, not both.");
  if (values.network && values.reach) throw new Error("Give either --network (all of it) or --reach <name> (some names), not both.");
  const env = pairs(values.env, "--env");
  const headers = pairs(values.header, "--header");
  const seconds = values.timeout === undefined ? undefined : Number(values.timeout);
  const entry: Entry = {
    name,
    ...(url !== undefined && { url }),
    ...(program.length > 0 && { command: program[0] }),
    ...(program.length > 1 && { args: program.slice(1) }),
    ...(values.env && { env: env.texts }),
    ...(values.header && { headers: headers.texts }),
    ...(values.trust !== undefined && { trust: values.trust }),
    ...(values.tools && { tools: values.tools.flatMap((list) => list.split(",")).map((tool) => tool.trim()) }),
    ...(seconds !== undefined && { timeout_secs: seconds }),
    ...(values.network && { network: true }),
    ...(values.reach && { network: values.reach.flatMap((list) => list.split(",")).map((name) => name.trim()) }),
    ...(values.read && { allow_read: values.read }),
    ...(values.write && { allow_write: values.write }),
    ...(values.sampling && { sampling: true }),
  };
  return { entry, force: values.force ?? false, json: values.json ?? false, spelledOut: [...env.spelledOut, ...headers.spelledOut] };
}

/** With the defaults, as the configuration would have it. Throws a ConfigError. */
export function wholeServer(entry: Entry): ServerConfig {
  const { data, error } = configSchema().safeParse({ mcp: { servers: [entry] } });
  if (data) return data.mcp.servers[0]!;
  throw new ConfigError(error.issues.map(({ path, message }) => ({ message: `${path.slice(3).join(".") || "The server"}: ${message}` })));
}

function parsed(words: readonly string[], command: readonly string[] | null) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isForeign = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" && command === null && words.length > 2;
    // Node's own advice is about words that begin with a dash, which nobody asked about.
    const [said] = message.split(". To specify");
    throw new Error(isForeign ? `${said}. Put -- before the command: zeph mcp add ${words[0]} -- …` : `${said}.`.replace(/\.\.$/, "."));
  }
}

/** `NAME=value`, or `NAME` alone for a key that is looked up under that name when the server is started. */
function pairs(given: readonly string[] = [], flag: "--env" | "--header") {
  const texts: Record<string, string> = {};
  const spelledOut: string[] = [];
  for (const one of given) {
    const [, name, value] = /^([^=:\s]+)\s*(?:[=:]\s*(.*))?$/s.exec(one) ?? [];
    if (name === undefined || (flag === "--header" && value === undefined))
      throw new Error(`${flag} takes NAME=value${flag === "--env" ? ", or NAME for one of your own variables" : ""}.`);
    texts[name] = value ?? `\${${name}}`;
    if (value !== undefined && !value.includes("${")) spelledOut.push(name);
  }
  return { texts, spelledOut };
}
