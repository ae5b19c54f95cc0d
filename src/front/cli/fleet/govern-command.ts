import type { FleetGovernor } from "../../../runtime/fleet/govern.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import type { Invocation } from "../program/invocation.ts";
import { warn } from "../run/print.ts";
import { personAtTerminal, readFleetPlace } from "./fleet-place.ts";

/** Who governs a fleet is a person: `changes` names a command that an agent may not have started. */
export async function withFleetGovernor<T>(
  given: Invocation,
  changes: string | null,
  work: (governor: FleetGovernor) => Promise<T>,
): Promise<T> {
  const [{ openFleetGovernor }, { readFleetSettings }] = await Promise.all([
    import("../../../runtime/fleet/govern.ts"),
    import("../../../runtime/fleet/fleet-settings.ts"),
  ]);
  const { store, bus, tenant, at } = readFleetSettings(readFleetPlace(given), given.settings);
  if (changes !== null) assertPersonDecides(at, changes);
  const by = personAtTerminal();
  return whileOpen(await openFleetGovernor({ store, bus, tenant, by, warn: (message) => warn(given.terminal, message) }), work);
}
