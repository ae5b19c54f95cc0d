import { QUEUE_RELATIONS } from "./queue/relations.ts";

/** Tasks, sessions and their holders. Times of leases are the server's own; clocks of workers are never compared with them. */
export const QUEUE_TABLES = QUEUE_RELATIONS;
