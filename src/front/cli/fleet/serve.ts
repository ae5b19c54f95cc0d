import { runGatewayProcess } from "../../../runtime/fleet/gateway/gateway-process.ts";
import { isLoopback, ServingError } from "../../../runtime/serve/start.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { warn as print } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { settingsOfFleet } from "./with-fleet.ts";

const PORT = 7344;
const MOST_SAID = 1000;

/** `zeph serve`: a gateway of a fleet, until Ctrl-C. */
export async function serve(given: Invocation): Promise<number> {
  const { flags, settings, terminal } = given;
  const found = settingsOfFleet(given);
  // What is run for a person must not find the key to everybody's database.
  delete process.env.ZEPH_STORE;
  delete process.env.ZEPH_BUS;
  const { signal } = listenForStop();
  const said = new Set<string>();
  const warn = (words: string) => {
    // Many sessions have the same to say.
    if (said.size > MOST_SAID) said.clear();
    if (!said.has(words)) print(terminal, words);
    said.add(words);
  };
  const say = (words: string) => void terminal.stderr.write(`${visible(words)}\n`);
  const host = typeof flags.host === "string" ? flags.host : "127.0.0.1";
  const publicly = addressOf(flags.url);
  const tenant = typeof flags.tenant === "string" ? flags.tenant : null;
  const folders = [flags.workspace ?? []].flat().map(String);
  if (folders.length > 0 && tenant === null)
    throw new UsageError(
      "--workspace is for a gateway of one tenant: name it with --tenant. Without it everybody has a folder of their own.",
    );
  try {
    await runGatewayProcess({
      settings: found,
      runtime: settings,
      tenant,
      host,
      port: flags.port === undefined ? PORT : wholeNumber("--port", flags.port, { least: 0, most: 65_535 }),
      publicly,
      folders,
      most: flags.sessions === undefined ? undefined : wholeNumber("--sessions", flags.sessions, { least: 1, most: 10_000 }),
      command: againFor(given),
      signal,
      warn,
      say,
      ready(url) {
        say(`zeph serve: ${publicly?.origin ?? url} (API at /v1, MCP at /mcp)`);
        if (!isLoopback(host) && publicly?.protocol !== "https:") warn(PLAIN);
        say("Ctrl-C ends it.");
      },
    });
  } catch (error) {
    throw error instanceof ServingError || error instanceof RangeError ? new UsageError(error.message) : error;
  }
  return EXIT.ok;
}

const PLAIN =
  "Tokens pass here as plain text, for everybody on the way to read. Put a proxy before it that speaks TLS, and name the address that people use with --url https://…";

/** The same program for the MCP sessions of one tenant; which one is added behind it. */
const againFor = ({ flags, settings }: Invocation): readonly string[] => [
  process.execPath,
  ...process.execArgv,
  process.argv[1]!,
  ...(settings.config === undefined ? [] : ["--config", settings.config]),
  ...settings.set.flatMap((one) => ["--set", one]),
  "serve",
  ...(flags.sessions === undefined ? [] : ["--sessions", String(flags.sessions)]),
];

function addressOf(given: unknown): URL | null {
  if (typeof given !== "string") return null;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/")
    throw new UsageError("--url is the address that people use, without a path: https://fleet.example.");
  return url;
}
