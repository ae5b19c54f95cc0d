import { statSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";
import type { ClientName } from "../client.ts";
import { CLIENT_WAIT_SECONDS, type CommandFor, eventsOf, type PluginChoice } from "./client-plan.ts";
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
 * A plugin: what it knows of its client, behind what every plugin does. It asks hookd over its socket, where that listens. Otherwise it runs the command
 * line that a settings file would hold, which also starts hookd. Plain JavaScript of no packages, also where the file's name ends in .ts.
 */
export function pluginText(client: ClientName, command: CommandFor, { mode, onFailure, program = [] }: PluginChoice, body: string): string {
  const events = eventsOf(mode);
  const line = (event: "pre" | "post") => JSON.stringify(events.includes(event) ? command(event) : null);
  return `${pluginMark(client)}
// Zeph judges every tool call of this client. To take it out: zeph hook remove ${client}
import { spawn } from "node:child_process";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";

const CLIENT = ${JSON.stringify(client)};
const PRE = ${line("pre")};
const POST = ${line("post")};
const PROGRAM = ${JSON.stringify(isAskedAtOnce({ mode, onFailure }) ? signOfFile(program) : null)};
const ON_FAILURE = ${JSON.stringify(onFailure)};
${COMMON}${body}`;
}

/** Behind walls it counts which process asks, and a call that is let through is noted by the command line: those go the long way. */
const isAskedAtOnce = ({ mode, onFailure }: Pick<PluginChoice, "mode" | "onFailure">): boolean => mode !== "walls" && onFailure === "deny";

/** By what a program is known again: where one is gone or another one, the command line is run, and says so. */
const signOfFile = ([path, ...more]: readonly string[]): readonly [string, number, number] | null =>
  attempt(() => {
    if (path === undefined || more.length > 0) return null;
    const { size, mtimeMs } = statSync(path);
    return [path, size, Math.round(mtimeMs)] as const;
  }, null);

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

const ANSWER_MS = 5000;
const LONGER_MS = 25000;

/** The socket of hookd, where it is this user's own and private; null where there is none. */
function findSocket() {
  const own = (path) => {
    try {
      const found = lstatSync(path);
      return found.uid === process.getuid() ? found : null;
    } catch {
      return null;
    }
  };
  const { XDG_RUNTIME_DIR: runtime = "", XDG_STATE_HOME: state = "", HOME: home = "" } = process.env;
  const folder =
    runtime.startsWith("/") && own(runtime)?.isDirectory()
      ? runtime + "/zeph"
      : (state.startsWith("/") ? state : home + "/.local/state") + "/zeph/hook";
  const around = own(folder);
  if (!around?.isDirectory() || (around.mode & 0o077) !== 0) return null;
  return own(folder + "/hook.sock")?.isSocket() ? folder + "/hook.sock" : null;
}

/** The version of the package that the program belongs to; null where the program is not the one that was installed. */
function programVersion() {
  try {
    const [path, size, time] = PROGRAM;
    const now = statSync(path);
    if (now.size !== size || Math.round(now.mtimeMs) !== time) return null;
    return JSON.parse(readFileSync(path.replace(/[^/]+\\/[^/]+$/, "package.json"), "utf8")).version;
  } catch {
    return null;
  }
}

/** Asks hookd itself, which spares two processes. Null where it does not listen, or is of another version: then the command line is run. */
const askAtOnce = (event, input) =>
  new Promise((resolve) => {
    const version = PROGRAM && programVersion();
    const path = version && findSocket();
    if (!path) return resolve(null);
    const socket = connect(path);
    const texts = { out: [], err: [] };
    let held = Buffer.alloc(0);
    let isOpen = false;
    let timer;
    const end = (answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const fail = () => end(isOpen ? { code: null, out: "", err: "" } : null);
    const wait = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(fail, ms);
    };
    const takes = {
      o: (bytes) => void texts.out.push(bytes),
      e: (bytes) => void texts.err.push(bytes),
      w: () => wait(LONGER_MS),
      a: () => end(null),
      x: (bytes) => end({ code: bytes[0], out: Buffer.concat(texts.out).toString(), err: Buffer.concat(texts.err).toString() }),
    };
    socket.on("error", fail).on("close", fail);
    socket.on("connect", () => {
      isOpen = true;
      const about = { v: 1, frames: true, zeph: version, cwd: process.cwd(), tty: process.stdin?.isTTY === true };
      socket.write(JSON.stringify({ ...about, client: CLIENT, event, input: JSON.stringify(input) }) + "\\n");
    });
    socket.on("data", (chunk) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 5 && !socket.destroyed) {
        const take = takes[held.toString("latin1", 0, 1)];
        const length = held.readUInt32BE(1);
        if (!take || length > MOST_CHARACTERS) return fail();
        if (held.length < 5 + length) return;
        const bytes = held.subarray(5, 5 + length);
        held = held.subarray(5 + length);
        take(bytes);
      }
    });
    wait(ANSWER_MS);
  });

/** What Zeph says about a call: silent, allow, ask or deny. Everything that is no answer is a no. */
async function judge(input) {
  if (PRE === null) return { verdict: "silent" };
  const { code, out, err } = (await askAtOnce("pre", input)) ?? (await run(PRE, input));
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
  const { code, out } = (await askAtOnce("post", input)) ?? (await run(POST, input));
  if (code !== 0 || out.trim() === "") return null;
  try {
    return JSON.parse(out);
  } catch {
    return null;
  }
}
`;
