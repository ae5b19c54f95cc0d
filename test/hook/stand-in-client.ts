import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ClientName } from "../../src/hook/client.ts";
import { CLIENT_PLANS } from "../../src/hook/install/client-plans.ts";
import type { Ended, HookdBox } from "./hookd-box.ts";

/** A process that has the name of a client and starts what a client would start: its hook, and the command it was given. */
export interface StandIn {
  /** Runs a line as a client runs its hook or its command. */
  run(line: string, stdin?: string, cwd?: string): Promise<Ended>;
  end(): void;
}

const PROGRAM = `const { spawn } = require("node:child_process");
require("node:readline").createInterface({ input: process.stdin }).on("line", (text) => {
  const { id, line, stdin, cwd } = JSON.parse(text);
  const child = spawn("/bin/sh", ["-c", line], { cwd, stdio: ["pipe", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (said[name] += chunk));
  child.stdin.on("error", () => {}).end(stdin);
  child.on("close", (code) => process.stdout.write(JSON.stringify({ id, code, ...said }) + "\\n"));
}).on("close", () => process.exit(0));
`;

export function startStandIn(
  client: ClientName,
  box: Pick<HookdBox, "work" | "env">,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): StandIn {
  const folder = join(box.env.HOME!, "..", "programs");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, CLIENT_PLANS[client].program);
  writeFileSync(program, PROGRAM);
  const child = spawn(process.execPath, [program, ...options], {
    cwd: box.work,
    env: { ...box.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (ended: Ended) => void>();
  createInterface({ input: child.stdout }).on("line", (text) => {
    const { id, ...ended } = JSON.parse(text) as Ended & { readonly id: number };
    waiting.get(id)?.(ended);
  });
  let last = 0;
  return {
    run: (line, stdin = "", cwd = box.work) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        child.stdin.write(`${JSON.stringify({ id: last, line, stdin, cwd })}\n`);
      }),
    end: () => void child.stdin.end(),
  };
}
