import { describe } from "vitest";
import { hasPostgres } from "../database.ts";
import { ORDER_SCENARIOS } from "./order-scenarios.ts";
import { describeChaos } from "./scenario.ts";
import { WORKER_SCENARIOS } from "./worker-scenarios.ts";

const isNeeded = ({ name }: { readonly name: string }) => /nothing fails|cancelled|told to end|drained|order/.test(name);

describe.skipIf(!hasPostgres)("a fleet without hints", () => {
  describeChaos("none", [...WORKER_SCENARIOS, ...ORDER_SCENARIOS].filter(isNeeded));
});
