import type { Blocklist } from "../core/door.ts";
import type { Facts } from "../core/facts.ts";
import { blocklist } from "../gates/blocklist.ts";

export interface BlocklistParts {
  readonly facts: Facts;
  readonly own: readonly string[];
  readonly blocked: readonly string[];
  readonly network: boolean;
  readonly constructs: "auto" | "block" | "ask" | "allow";
  readonly wallsWork: () => Promise<boolean>;
}

/** `constructs = "auto"` waits for the probe, once; the probe is asked only about calls that run something. */
export function commandBlocklist({ facts, own, blocked, network, constructs, wallsWork }: BlocklistParts): Blocklist {
  const listWith = (how: "block" | "look") => blocklist({ facts, own, shell: { blocked, allowNetwork: network, constructs: how } });
  const strict = listWith("block");
  const looking = listWith("look");
  if (constructs !== "auto") return constructs === "block" ? strict : looking;
  return async (call) => (call.tool.effect !== "runs" || (await wallsWork()) ? looking : strict)(call);
}
