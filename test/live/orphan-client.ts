import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { onTestFinished } from "vitest";

export interface Client {
  /** Resolves with the first line of this type, from the beginning. A client that is let in where a refusal is waited for, or the other way round, fails at once. */
  hears(type: string): Promise<any>;
  readonly lines: readonly any[];
  says(line: unknown): void;
}

const LINES = {
  orphan: '"$@" <&3 3<&- &',
  below: 'exec "$@" <&3 3<&-',
  "below a listener": `"$1" ${resolve("test/live/listener.mjs")} "$@" <&3 3<&- &`,
  "below a left socket": `sh -c ': > "$4/$$.sock"; "$@" <&3 3<&- & wait' sh "$@" &`,
};

const OPPOSITE: Readonly<Record<string, string>> = { hello: "refused", refused: "hello" };
const CLIENT = resolve("test/live/client.mjs");

/**
 * A client that is nobody's child: its shell has ended. What the test itself starts is below the process that listens, and is refused.
 * `below` starts it as a child of this process all the same, `below a listener` below another process that listens, `below a left socket` below one whose
 * number a killed process had that did.
 */
export function startClient(socket: string, folder: string, how = "honest", place: keyof typeof LINES = "orphan"): Client {
  const args = [process.execPath, CLIENT, socket, folder, how];
  // Its own pipe for what it is to say: Node closes stdin with the shell.
  const line = LINES[place];
  const child = spawn("sh", ["-c", line, "sh", ...args], { stdio: ["ignore", "pipe", "inherit", "pipe"] });
  const input = child.stdio[3] as Writable;
  const lines: any[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => {
    lines.push(JSON.parse(line));
    for (const look of waiting.splice(0)) look();
  });
  input.on("error", () => {});
  // The end of what it is told ends it.
  onTestFinished(() => void input.destroy());
  return {
    lines,
    says: (line) => void input.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`),
    hears: (type) =>
      new Promise((done, fail) => {
        const look = () => {
          const found = lines.find((line) => line.type === type);
          const other = lines.find((line) => line.type === OPPOSITE[type]);
          if (found) done(found);
          else if (other) fail(new Error(`heard ${JSON.stringify(other)} where "${type}" was waited for`));
          else waiting.push(look);
        };
        look();
      }),
  };
}
