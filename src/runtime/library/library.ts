// What programs begin with. Nothing of a runtime is read before one is opened: a program that only defines tools, or filters output, pays for that alone.
import { assertFunctions, assertKnownOptions } from "../../core/inputs/options.ts";
import { setLateModules } from "../../files/own-place.ts";
import type { Agent, AgentOptions } from "../agent/agent-types.ts";
import type { Fleet, FleetOptions } from "../fleet/fleet-types.ts";
import type { RuntimeOptions, Zeph } from "../runtime.ts";
import { AGENT_OPTIONS, FLEET_OPTIONS, RUNTIME_OPTIONS } from "./option-names.ts";

setLateModules(async () => (await import("../late-modules.ts")).loadLateModules());

/** Opens a runtime: the tools with all rules around them, for an agent of your own. Close it when you are done, or say `await using`. */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Zeph> {
  assertKnownOptions("createRuntime", options, RUNTIME_OPTIONS);
  assertFunctions(options, ["confirm", "elicit", "onEvent"]);
  const { openRuntime } = await import("../create.ts");
  return (await openRuntime(options)).zeph;
}

/** Opens an agent: a runtime with a loop, a model and a conversation. Close it when you are done, or say `await using`. */
export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  assertKnownOptions("createAgent", options, [...RUNTIME_OPTIONS, ...AGENT_OPTIONS]);
  assertFunctions(options, ["confirm", "elicit", "onEvent", "onEventBetweenTurns"]);
  const { openAgent } = await import("../agent/agent.ts");
  return openAgent(options);
}

/** Opens a fleet of workers to give it work: sessions that go on wherever they are, and tasks of their own. Close it when you are done, or say `await using`. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  assertKnownOptions("openFleet", options, FLEET_OPTIONS);
  assertFunctions(options, ["onTrouble"]);
  if (typeof options.store !== "string")
    throw new TypeError('openFleet needs the address of the shared database: { store: "postgres://…" }.');
  const { connectFleet } = await import("../fleet/open-fleet.ts");
  return connectFleet(options);
}
