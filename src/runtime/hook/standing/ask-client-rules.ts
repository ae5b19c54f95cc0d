import { commandLinesAbove, variablesOf } from "../../../files/agent-process.ts";
import type { ClientName, HookedCall } from "../../../hook/client.ts";
import { isProcessOf } from "../../../hook/install/client-process.ts";
import { readClaudeStand } from "./claude.ts";
import { createClientFiles } from "./client-files.ts";
import { type AskingClient, type ClientStand, judgeStanding, type Standing } from "./client-stand.ts";
import { readCodexStand } from "./codex.ts";
import { readGeminiStand } from "./gemini.ts";
import { readOpencodeStand } from "./opencode.ts";
import { readCopilotStand, readPiStand } from "./others.ts";

/** How the rules of each client are read. A client that is not here is never rewritten. */
const READERS: Readonly<Partial<Record<ClientName, (side: AskingClient) => ClientStand>>> = {
  claude: readClaudeStand,
  codex: readCodexStand,
  copilot: readCopilotStand,
  gemini: readGeminiStand,
  opencode: readOpencodeStand,
  pi: readPiStand,
};

/** Clients of which nothing on their command line is a rule. */
const WITHOUT_OPTIONS: ReadonlySet<ClientName> = new Set(["pi", "opencode"]);

/** Asks a client's own rules about a command. */
export interface ClientStanding {
  /** `pid` is the process that the client started as its hook. */
  of(client: ClientName, call: HookedCall, command: string, pid: number | null): Standing;
}

/** What the rules of a client say, as far as they are known from one side of it. */
export function standingOf(client: ClientName, side: AskingClient, command: string): Standing {
  const read = READERS[client];
  if (!read) return unsure(`the rules of ${client} are not read`);
  try {
    return judgeStanding(read(side), command);
  } catch (error) {
    return unsure(`its rules could not be read: ${(error as Error).message}`);
  }
}

const unsure = (why: string): Standing => ({ verdict: "unsure", why, promptsNobody: false });

export function createClientStanding(): ClientStanding {
  const files = createClientFiles();
  return {
    of(client, call, command, pid) {
      const env = pid === null ? null : variablesOf(pid);
      if (pid === null || env === null) return unsure("the system does not tell with which settings it was started");
      const lines = commandLinesAbove(pid).filter((words) => isProcessOf(client, words));
      const isHidden = lines.length === 0 || lines.some(hidesWords);
      if (isHidden && !WITHOUT_OPTIONS.has(client)) return unsure("the system does not tell with which options it was started");
      const words = lines.flatMap((line) => line.slice(1));
      const { HOME: home } = env;
      if (!home?.startsWith("/")) return unsure("the system does not tell where its settings are");
      return standingOf(client, { call, home, system: "/", env, words, files }, command);
    },
  };
}

/** A process that gave itself another title has overwritten the words it was started with. */
const hidesWords = (words: readonly string[]): boolean => words.length > 3 && words.slice(1).every((word) => word === "");
