import { userInfo } from "node:os";
import { attempt } from "../../../text/attempt.ts";
import type { Invocation } from "../program/invocation.ts";

/** Which fleet a command is about: what was typed, then the variable, then the configuration. */
export interface FleetPlace {
  /** Empty where nothing names one. */
  readonly store: string;
  readonly bus: string;
  /** Null: what the configuration says. */
  readonly tenant: string | null;
}

export function readFleetPlace({ flags }: Pick<Invocation, "flags">): FleetPlace {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    store: text(flags.store) || process.env.ZEPH_STORE || "",
    bus: text(flags.bus) || process.env.ZEPH_BUS || "",
    tenant: text(flags.tenant) || null,
  };
}

/** Who sits at the terminal, as the rows of a fleet name them: the system's user. Whoever reaches the database could write any name. */
export const personAtTerminal = (): string => attempt(() => userInfo().username, "operator");
