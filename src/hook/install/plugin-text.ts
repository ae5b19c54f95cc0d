import type { ClientName, HookMode } from "../client.ts";
import { CLIENT_WAIT_SECONDS, type CommandFor, eventsOf, type OnFailure } from "./client-plan.ts";
import { NO_ANSWER } from "./mark.ts";

/** The first line of every plugin of ours, and how a file of that name is known to be one. */
export const pluginMark = (client: ClientName): string => `// written by: zeph hook install ${client}`;

/** Programs that the plugins themselves hold; a plugin without one of them does nothing at that event. */
const CONSTANTS = /^const (PRE|POST) = (.*);$/gm;

/** The command lines in the text of a plugin. */
export const pluginCommands = (text: string): readonly string[] =>
  [...text.matchAll(CONSTANTS)]
    .map(([, , json]) => JSON.parse(json!) as unknown)
    .filter((line): line is string => typeof line === "string");

/**
 * A plugin: what it knows of its client, behind what every plugin does. It runs the command line that a settings file would hold, so that one program
 * answers all clients. Plain JavaScript of no packages, also where the file's name ends in .ts.
 */
export function pluginText(
  client: ClientName,
  command: CommandFor,
  { mode, onFailure }: { readonly mode: HookMode; readonly onFailure: OnFailure },
  body: string,
): string {
  const events = eventsOf(mode);
  const line = (event: "pre" | "post") => JSON.stringify(events.includes(event) ? command(event) : null);
  return `${pluginMark(client)}
// Zeph judges every tool call of this client. To take it out: zeph hook remove ${client}
import { spawn } from "node:child_process";

const PRE = ${line("pre")};
const POST = ${line("post")};
const ON_FAILURE = ${JSON.stringify(onFailure)};
${COMMON}${body}`;
}

const COMMON = `const LIMIT_MS = ${CLIENT_WAIT_SECONDS * 1000};
const MOST_CHARACTERS = 8 * 1024 * 1024;
const NO_ANSWER = ${JSON.stringify(NO_ANSWER)};

/** Runs the command line with one JSON object on stdin. Never rejects. */
const run = (line, input) =>
  new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", line], { stdio: ["pipe", "pipe", "pipe"] });
    const texts = { out: "", err: "" };
    const end = (code) => {
      clearTimeout(timer);
      resolve({ code, ...texts });
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      end(null);
    }, LIMIT_MS);
    const collect = (stream, name) => {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        if (texts[name].length < MOST_CHARACTERS) texts[name] += text;
      });
    };
    collect(child.stdout, "out");
    collect(child.stderr, "err");
    child.on("error", () => end(null));
    child.on("close", end);
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(input));
  });

/** What Zeph says about a call: silent, allow, ask or deny. Everything that is no answer is a no. */
async function judge(input) {
  if (PRE === null) return { verdict: "silent" };
  const { code, out, err } = await run(PRE, input);
  const failed = ON_FAILURE === "allow" ? { verdict: "silent" } : { verdict: "deny", reason: NO_ANSWER };
  if (code === 2) return { verdict: "deny", reason: err.trim() || NO_ANSWER };
  // With --on-failure allow the shell ends well where nobody answered.
  if (code !== 0 || out.trim() === "") return failed;
  try {
    const { verdict, reason, args } = JSON.parse(out);
    if (["silent", "allow", "ask", "deny"].includes(verdict)) return { verdict, reason: reason || NO_ANSWER, args };
  } catch {}
  return failed;
}

/** What Zeph says about an output; null where it stays as it is. */
async function filter(input) {
  if (POST === null) return null;
  const { code, out } = await run(POST, input);
  if (code !== 0 || out.trim() === "") return null;
  try {
    return JSON.parse(out);
  } catch {
    return null;
  }
}
`;
