import { describe } from "vitest";
import { hasPostgres } from "../database.ts";
import { ORDER_SCENARIOS } from "./order-scenarios.ts";
import { describeChaos } from "./scenario.ts";
import { SERVER_SCENARIOS } from "./server-scenarios.ts";
import { WORKER_SCENARIOS } from "./worker-scenarios.ts";

describe.skipIf(!hasPostgres)("a fleet that fails", () => {
  describeChaos("pg", [...WORKER_SCENARIOS, ...SERVER_SCENARIOS, ...ORDER_SCENARIOS]);
});
