import { AUDIT_RIGHTS, AUDIT_TABLES } from "./audit.ts";
import { GOVERNANCE_RIGHTS, GOVERNANCE_TABLES } from "./governance.ts";
import { QUEUE_TABLES } from "./queue.ts";
import { SAVINGS_TABLES } from "./savings.ts";
import { SESSION_TABLES } from "./sessions.ts";
import { STORE_TABLES } from "./store.ts";

/** A change of the tables. */
export interface SchemaStep {
  readonly sql: string;
  /** The oldest program that can use the tables after it; without one, all that could before it. Tables first grow; what is no longer used goes one release later. */
  readonly compatibleFrom?: number;
}

/** Step n brings a schema from version n to n + 1. A step that was released is never edited; a change is a new step. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  STORE_TABLES,
  QUEUE_TABLES,
  SESSION_TABLES,
  GOVERNANCE_TABLES,
  AUDIT_TABLES,
  SAVINGS_TABLES,
].map((sql) => ({ sql }));

/** Tables that hold nothing of a tenant. Every other table has a column `tenant` and row security, or a migration fails. */
export const SHARED_TABLES: readonly string[] = ["zeph_schema", "audit_checkpoints"];

/** Statements that narrow what both roles may do; they are run after every migration, because each one opens all tables anew. */
export const TABLE_RIGHTS: readonly string[] = [...GOVERNANCE_RIGHTS, AUDIT_RIGHTS];
