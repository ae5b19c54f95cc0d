import type { ToolCall } from "../../core/call.ts";
import type { Bar, Blocklist } from "../../core/gate/gate.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { blocklist } from "../../gates/blocklist.ts";

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
  const ofCommands: Blocklist = async (call) => {
    if (constructs !== "auto") return constructs === "block" ? strict(call) : looking(call);
    return (call.tool.effect !== "runs" || (await wallsWork()) ? looking : strict)(call);
  };
  return async (call) => (call.tool.effect === "fetches" ? await refusedAddress(call, facts) : null) ?? ofCommands(call);
}

/** What the walls around the web would not let out. The host checks again, with what DNS says, on every hop. */
async function refusedAddress({ touches }: ToolCall, facts: Facts): Promise<Bar | null> {
  for (const touch of touches) {
    const refusal = touch.kind === "url" ? await facts.address(touch.url) : null;
    if (refusal) return refusal;
  }
  return null;
}
