import { ASKING_FUNCTIONS } from "./queue/asking.ts";
import { FLEET_FUNCTIONS } from "./queue/fleet.ts";
import { LEDGER_FUNCTIONS } from "./queue/ledger.ts";
import { QUEUE_RELATIONS } from "./queue/relations.ts";
import { TAKE_FUNCTIONS } from "./queue/take.ts";

/** Tasks, sessions and their holders. Times of leases are the server's own; clocks of workers are never compared with them. */
export const QUEUE_TABLES = [QUEUE_RELATIONS, ASKING_FUNCTIONS, LEDGER_FUNCTIONS, TAKE_FUNCTIONS, FLEET_FUNCTIONS]
  .map((sql) => sql.trim())
  .join("\n");
