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

/** What depends on walls waits for the probe, which is made once, and only for calls that run something. */
export function commandBlocklist({ facts, own, blocked, network, constructs, wallsWork }: BlocklistParts): Blocklist {
  const listWith = (how: "block" | "look", walls: boolean) =>
    blocklist({ facts, own, shell: { blocked, allowNetwork: network || walls, constructs: how } });
  const lists = {
    block: { walled: listWith("block", true), open: listWith("block", false) },
    look: { walled: listWith("look", true), open: listWith("look", false) },
  };
  const ofCommands: Blocklist = async (call) => {
    const runs = call.tool.effect === "runs";
    const walls = runs && (await wallsWork()) ? "walled" : "open";
    const how = constructs === "auto" ? (runs && walls === "open" ? "block" : "look") : constructs === "block" ? "block" : "look";
    return lists[how][walls](call);
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
