import { type FleetClient, openFleetClient } from "../../../runtime/fleet/fleet-client.ts";
import { type FleetSettings, readFleetSettings } from "../../../runtime/fleet/fleet-settings.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { warn } from "../run/print.ts";
import { readFleetPlace } from "./fleet-place.ts";

/** Which fleet a command is about, with all that the configuration says of it. */
export function settingsOfFleet({ flags, settings, terminal }: Pick<Invocation, "flags" | "settings" | "terminal">): FleetSettings {
  const found = readFleetSettings(readFleetPlace({ flags }), settings);
  for (const message of found.warnings) warn(terminal, message);
  return found;
}

/** Opens the fleet that a command is about, and closes it whatever happens. */
export async function withFleet<T>(given: Invocation, work: (fleet: FleetClient, settings: FleetSettings) => Promise<T>): Promise<T> {
  const found = settingsOfFleet(given);
  try {
    const { store, bus, tenant } = found;
    const onTrouble = (words: string) => warn(given.terminal, words);
    const fleet = await openFleetClient({ store, bus, tenant, onTrouble, whenAway: "fail" });
    try {
      return await work(fleet, found);
    } finally {
      await fleet.close();
    }
  } catch (error) {
    // A name or an address that cannot be one.
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

/** The whole id of a task; the beginning of one is enough among the last thousand. */
export async function wholeTaskId({ queue }: FleetClient, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) throw new UsageError("Say which one: its id, or the beginning of it. `zeph fleet tasks` lists them.");
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(wanted)) return wanted;
  if (!/^[0-9a-f-]{6,35}$/i.test(wanted)) throw new UsageError(`${wanted} is no id of a task. \`zeph fleet tasks\` lists them.`);
  const [one, another] = (await queue.list({ limit: 1000 })).filter(({ id }) => id.startsWith(wanted.toLowerCase()));
  if (!one) throw new UsageError(`None of the last tasks begins with ${wanted}. \`zeph fleet tasks\` lists them.`);
  if (another) throw new UsageError(`Several tasks begin with ${wanted}. Give more of the id.`);
  return one.id;
}
