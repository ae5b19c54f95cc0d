import { randomBytes } from "node:crypto";
import {
  CLIENTS,
  HABITS,
  habitLines,
  isLoopback,
  ServingError,
  type SnippetClient,
  serveOverHttp,
  serveOverStdio,
  snippetFor,
} from "../../../runtime/serve/start.ts";
import { untilAborted } from "../../../text/abort.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { waitWithin } from "../../../text/wait-within.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { warn as print } from "../run/print.ts";
import { endWithin, listenForStop } from "../stop.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Given = Pick<Invocation, "flags" | "settings" | "terminal" | "answered">;

/** Nothing may keep a client waiting that has closed its end. */
const LATEST_MS = 1900;
const PORT = 7344;

/**
 * `zeph mcp`: the tools for a client on stdin and stdout, or with --http for many on one port. Stdout is the protocol's alone.
 * Ends when the client leaves or on Ctrl-C.
 */
export async function serveMcp({ flags, settings, terminal, answered }: Given): Promise<number> {
  const { signal } = listenForStop();
  const said = new Set<string>();
  const warn = (message: string) => {
    // Many sessions have the same to say.
    if (said.has(message) || said.size > MOST_SAID) return;
    said.add(message);
    print(terminal, message);
  };
  const alone = ["port", "host", "token", "sessions"].find((name) => flags[name] !== undefined);
  if (!flags.http && alone !== undefined) throw new UsageError(`--${alone} is for --http.`);
  const serving = {
    cwd: process.cwd(),
    workspaces: listOf(flags.workspace),
    settings: { ...settings, live: { kind: "mcp", where: "the MCP client" } },
    warn,
    ...(flags.later === true && { later: true }),
    ...(flags["asked-by-client"] === true && { asks: "the client" as const }),
  };
  if (serving.asks) terminal.stderr.write(ASKED_BY_CLIENT);
  try {
    await (flags.http
      ? overHttp(serving, flags, terminal, signal)
      : overStdio({ ...serving, answered: answered ?? undefined }, terminal, signal));
  } catch (error) {
    throw error instanceof ServingError ? new UsageError(error.message) : error;
  }
  endWithin(LATEST_MS);
  return EXIT.ok;
}

/** `zeph mcp snippet <client>`: what to write where, so that a client finds Zeph. */
export async function mcpSnippet({ words: [client], flags, terminal }: Pick<Invocation, "words" | "flags" | "terminal">): Promise<number> {
  if (client === undefined) throw new UsageError(`Say for which client: ${CLIENTS.join(", ")}.`);
  if (!isClient(client))
    throw new UsageError(`There is no snippet for "${client}".${didYouMean(client, CLIENTS)} There are: ${CLIENTS.join(", ")}.`);
  const [workspace] = listOf(flags.workspace);
  const asks = flags["asked-by-client"] === true ? ({ asks: "the client" } as const) : {};
  const { client: name, file, stdio, http } = snippetFor(client, { ...asks, ...(workspace !== undefined && { workspace }) });
  if (flags["own-tools-off"]) {
    const { off } = HABITS[client];
    if (off === null) throw new UsageError(`No setting is known here that switches off what ${name} brings itself.`);
    terminal.stderr.write(`${name}: ${off.file}\n`);
    terminal.stdout.write(`${off.text}\n`);
    return EXIT.ok;
  }
  if (flags.http && http === null) throw new UsageError(`${name} starts its servers itself, over stdio.`);
  if (flags.http && asks.asks) throw new UsageError("--asked-by-client is said to the server itself: zeph mcp --http --asked-by-client.");
  terminal.stderr.write(`${name}: ${file}\n`);
  terminal.stdout.write(`${flags.http ? http : stdio}\n`);
  terminal.stderr.write(`\n${habitLines(client, name).join("\n")}\n`);
  return EXIT.ok;
}

type Serving = Omit<Parameters<typeof serveOverHttp>[0], "host" | "port" | "token">;

async function overStdio(
  serving: Serving & Pick<Parameters<typeof serveOverStdio>[0], "answered">,
  { stdin, stdout, stderr }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  if (stdin.isTTY) stderr.write(ON_A_TERMINAL);
  await serveOverStdio({
    ...serving,
    stdin,
    stdout,
    signal,
    working: (folder, why) =>
      stderr.write(`zeph mcp: working in ${folder}${why === "root" ? ", which the client named as its root" : ""}.\n`),
  });
}

async function overHttp(serving: Serving, flags: Given["flags"], { stderr }: Terminal, signal: AbortSignal): Promise<void> {
  const host = typeof flags.host === "string" ? flags.host : "127.0.0.1";
  const given = typeof flags.token === "string" ? flags.token : process.env.ZEPH_MCP_TOKEN || undefined;
  // What is run for a client must not find the key to its own door.
  delete process.env.ZEPH_MCP_TOKEN;
  if (given === undefined && !isLoopback(host))
    throw new UsageError(
      `${host} can be reached from other machines, and whoever gets in runs commands on this one. Give a token of your own with ZEPH_MCP_TOKEN or --token.`,
    );
  const token = given ?? randomBytes(32).toString("base64url");
  const most = flags.sessions === undefined ? {} : { most: wholeNumber("--sessions", flags.sessions, { least: 1, most: 10_000 }) };
  const served = await serveOverHttp({ ...serving, host, port: portOf(flags.port), token, ...most });
  stderr.write(`zeph mcp: ${served.url}\n${given === undefined ? `Authorization: Bearer ${token}\n` : ""}Ctrl-C ends it.\n`);
  await untilAborted(signal);
  await waitWithin(served.close(), LATEST_MS - 400, undefined);
}

const MOST_SAID = 1000;
const ASKED_BY_CLIENT =
  "zeph mcp: --asked-by-client: edits and commands inside the workspace that no rule speaks of are not asked about here. The client has to ask you before each call.\n";
const ON_A_TERMINAL = `zeph mcp speaks the Model Context Protocol on stdin and stdout: it is meant to be started by a client, not by hand. For most clients:

${snippetFor("cursor").stdio}

\`zeph mcp snippet <client>\` prints what yours needs: ${CLIENTS.join(", ")}.
\`zeph mcp --http\` serves many clients on one port. Ctrl-C ends this.
`;

const isClient = (word: string | undefined): word is SnippetClient => (CLIENTS as readonly unknown[]).includes(word);

const listOf = (given: unknown): string[] => [given ?? []].flat().map(String);

function portOf(given: unknown): number {
  if (given === undefined) return PORT;
  const port = Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError("--port is a number from 0 to 65535; 0 takes one that is free.");
  return port;
}
