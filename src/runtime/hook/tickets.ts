import { createHash, randomBytes } from "node:crypto";

/** A command that was judged, and may be run once. */
export interface TicketFor {
  readonly client: string;
  readonly session: string;
  /** The folder whose rules it was judged by, and whose walls it gets. */
  readonly cwd: string;
  /** The folders that the client may start it in, by their real names. */
  readonly from: readonly string[];
  readonly command: string;
  /** Processes of the client that asked, by their keys. Only what they started may use the ticket. */
  readonly processes: readonly string[];
  /** What the gates asked about it was answered with yes, by the client's person. */
  readonly agreed: boolean;
  /** A person may be asked before it runs. */
  readonly waits: boolean;
  /** What is told at the end of the command. */
  readonly note: string | null;
}

export interface TicketUse {
  readonly cwd: string;
  readonly command: string | null;
  /** The keys of the processes above the one that brings the ticket. None where the system does not tell. */
  readonly above: readonly string[];
}

export interface ExecTickets {
  issue(wanted: TicketFor): string;
  /** Null for one that was used, is too old, was never made, or was made for something else. Whatever was asked, it is used up. */
  take(ticket: string, asked: TicketUse): TicketFor | null;
}

const LIFE_MS = 60_000;
/** A person reads, and may have gone for a coffee. */
const WAITING_LIFE_MS = 10 * 60_000;
const MOST_OPEN = 1000;
const BYTES = 16;

/**
 * A ticket is one use of one command in one folder, below the process that asked, for a minute. What is kept under its name is the hash: who reads the
 * memory's listing cannot use it.
 */
export function createExecTickets(now: () => number = Date.now): ExecTickets {
  const open = new Map<string, TicketFor & { readonly until: number; readonly hash: string }>();
  return {
    issue(wanted) {
      for (const [name, { until }] of open) if (until <= now() || open.size >= MOST_OPEN) open.delete(name);
      const ticket = randomBytes(BYTES).toString("hex");
      const until = now() + (wanted.waits ? WAITING_LIFE_MS : LIFE_MS);
      open.set(hashOf(ticket), { ...wanted, until, hash: hashOf(wanted.command) });
      return ticket;
    },
    take(ticket, { cwd, command, above }) {
      const name = hashOf(ticket);
      const found = open.get(name);
      open.delete(name);
      if (!found || found.until <= now() || !found.from.includes(cwd)) return null;
      if (!found.processes.some((key) => above.includes(key))) return null;
      if (command !== null && hashOf(command) !== found.hash) return null;
      const { until: _until, hash: _hash, ...ticketFor } = found;
      return ticketFor;
    },
  };
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
