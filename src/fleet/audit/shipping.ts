import type { PgRole } from "../../store/pg/pg.ts";

/** Where the lines of a machine's audit file are copied to. */
export interface AuditShipping {
  /** The shared store. */
  readonly url: string;
  /** Whose lines they are. A process that works for several tenants has a file for each. */
  readonly tenant: string;
  /** `after`: within a second. `before`: a call's result is not returned before its line is there. */
  readonly mode: "after" | "before";
  /** What the user of the address acts as. Default: a worker. */
  readonly role?: PgRole;
}

/** Copies one file. It reads the file and keeps no lines in memory, so it may be behind for as long as the server is away. */
export interface AuditShipper {
  /** So many lines were written to the file. */
  nudge(lines: number): void;
  /** Resolves when every line that is in the file now is in the database. Waits for a server that is away; rejects when it never can be. */
  reach(): Promise<void>;
  /** Copies what is left, for a while. */
  close(): Promise<void>;
}
