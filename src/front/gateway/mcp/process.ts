import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../../../files/programs.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import { markGatewayChild } from "./child.ts";
import type { McpLink } from "./link.ts";

/** How the process of a tenant is started. */
export interface McpLaunch {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The system's user that it acts as; null: as this process does. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** A process that has the MCP sessions of one tenant. */
export interface McpProcess {
  readonly link: McpLink;
  /** It listens. False: it has ended before it did. */
  readonly ready: Promise<boolean>;
  /** Resolves with why it ended; null where it was told to. */
  readonly over: Promise<string | null>;
  /** How many sessions it has. */
  sessions(): number;
  /** Ends it, and what it began. */
  end(): Promise<void>;
}

const END_MS = 5000;

/** `folder` is ours, and others can pass through it. */
export function startMcpProcess({ command: [program = "", ...args], env, user }: McpLaunch, folder: string): McpProcess {
  const place = join(folder, randomBytes(6).toString("hex"));
  mkdirSync(place, { mode: 0o700 });
  if (user) chownSync(place, user.uid, user.gid);
  const child = startProgram(program, args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // A Ctrl-C at the terminal is for the gateway, which tells its children.
    detached: true,
    env: { ...env, ...markGatewayChild() },
    ...user,
  });
  const link = { socket: join(place, "s"), secret: randomBytes(24).toString("base64url") };
  child.send(link, () => {});
  const over = whenOver(child);
  void over.then(() => rmSync(place, { recursive: true, force: true }));
  let sessions = 0;
  const ready = new Promise<boolean>((resolve) => {
    child.on("message", (message) => {
      const told = (message as { readonly sessions?: unknown } | null)?.sessions;
      if (typeof told !== "number") return;
      sessions = told;
      resolve(true);
    });
    void over.then(() => resolve(false));
  });
  return {
    link,
    ready,
    over,
    sessions: () => sessions,
    async end() {
      if (child.connected) child.disconnect();
      await waitAtMost(over, END_MS);
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await over;
    },
  };
}

const whenOver = (child: ChildProcess): Promise<string | null> =>
  new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(code === 0 ? null : (signal ?? `code ${code}`)));
  });
