import { createHash, randomBytes } from "node:crypto";

/** A command that was judged, and may be run once. */
export interface TicketFor {
  readonly client: string;
  readonly session: string;
  readonly cwd: string;
  readonly command: string;
  /** What the gates asked about it was answered with yes, by the client's person. */
  readonly agreed: boolean;
}

export interface ExecTickets {
  issue(wanted: TicketFor): string;
  /** Null for one that was used, is too old, was never made, or was made for something else. Whatever was asked, it is used up. */
  take(ticket: string, asked: { readonly cwd: string; readonly command: string | null }): TicketFor | null;
}

const LIFE_MS = 60_000;
const MOST_OPEN = 1000;
const BYTES = 16;

/** A ticket is one use of one command in one folder, for a minute. What is kept under its name is the hash: who reads the memory's listing cannot use it. */
export function createExecTickets(now: () => number = Date.now): ExecTickets {
  const open = new Map<string, TicketFor & { readonly until: number; readonly hash: string }>();
  return {
    issue(wanted) {
      for (const [name, { until }] of open) if (until <= now() || open.size >= MOST_OPEN) open.delete(name);
      const ticket = randomBytes(BYTES).toString("hex");
      open.set(hashOf(ticket), { ...wanted, until: now() + LIFE_MS, hash: hashOf(wanted.command) });
      return ticket;
    },
    take(ticket, { cwd, command }) {
      const name = hashOf(ticket);
      const found = open.get(name);
      open.delete(name);
      if (!found || found.until <= now() || found.cwd !== cwd) return null;
      if (command !== null && hashOf(command) !== found.hash) return null;
      const { until: _until, hash: _hash, ...ticketFor } = found;
      return ticketFor;
    },
  };
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
