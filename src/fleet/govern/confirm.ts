import type { Confirm } from "../../core/event.ts";
import type { Bus, SessionFence } from "../../core/ports/fleet.ts";
import type { Pg } from "../../store/pg/pg.ts";

/** What it takes to have a question answered by another person. */
export interface FleetConfirmParts {
  readonly db: Pg;
  /** Null: answers are found by looking. */
  readonly bus: Bus | null;
  readonly session: string;
  /** The person on whose behalf the session works now, without the tenant. They cannot answer. */
  readonly person: () => string;
  /** The number the session is held with; null where one process has the session for its whole life. */
  readonly fence?: () => SessionFence | null;
  /** The workspace on this machine: elsewhere the same question names another folder. */
  readonly workspace?: string;
  /** After this time it is a no. */
  readonly waitMs?: number;
  readonly pollMs?: number;
}

/** Puts questions as rows that another person answers. The call waits; a session that is taken over meanwhile finds its row again. */
export function createFleetConfirm(_parts: FleetConfirmParts): Confirm {
  throw new Error("Not there yet.");
}
