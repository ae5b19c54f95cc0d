import type { ExecStreams } from "../../../front/hookd/connection.ts";
import type { ExecCall } from "../../../front/hookd/wire.ts";
import type { NameQuestions } from "../name-questions.ts";
import type { OpenWorkspaces } from "../open-workspaces.ts";
import type { ExecTickets } from "../tickets.ts";
import { execCommand, execLine, NOT_RUN } from "./exec-command.ts";

export interface ExecParts {
  readonly workspaces: OpenWorkspaces;
  readonly tickets: ExecTickets;
  readonly names: NameQuestions;
  /** The keys of the processes above the one that asks, as the system tells them. It is asked where there is a ticket. */
  above(): Promise<readonly string[]>;
}

/** Runs the command of `zeph exec`: the one of its ticket, or the one that was typed. Returns the exit code. */
export async function runExec(
  { cwd, words, ticket, env, stdin }: ExecCall,
  { print, attach }: ExecStreams,
  signal: AbortSignal,
  { workspaces, tickets, names, above }: ExecParts,
): Promise<number> {
  const typed = words.length === 0 ? null : execLine(words);
  const agreed = ticket === null ? null : tickets.take(ticket, { cwd, command: typed, above: await above() });
  const command = agreed?.command ?? typed;
  if ((ticket !== null && !agreed) || command === null || command.trim() === "") {
    print(Buffer.from(ticket === null ? NO_COMMAND : NO_TICKET), "stderr");
    return NOT_RUN;
  }
  // The rules and walls are those of the folder in which the command was judged.
  const { inside, release } = await workspaces.hold(agreed?.cwd ?? cwd);
  try {
    const job = { command, caller: { kind: "exec" } as const, env, stdin, agreed: false, note: null, print, attach };
    if (!agreed) return await execCommand(inside, job, signal);
    const { client, session, note } = agreed;
    const begin = (callId: string) => names.begin(callId, agreed);
    return await execCommand(inside, { ...job, caller: { kind: "client", client, session, begin }, agreed: agreed.agreed, note }, signal);
  } finally {
    release();
  }
}

const NO_TICKET =
  "zeph: this ticket was used, is too old, or is for another command or session. Call the command itself, without zeph exec.\n";
const NO_COMMAND = "zeph: there is no command to run.\n";
