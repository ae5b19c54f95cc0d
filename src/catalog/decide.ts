import type { ToolSpec } from "../core/ports/model.ts";
import { alwaysOnOf, type ToolFilterConfig } from "./config.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Ranked } from "./ranking.ts";
import type { Included, OfferReason } from "./reason.ts";
import { selectTools } from "./select.ts";

/** The tool that finds the others. It is offered where there may be others. */
export const SEARCH = "search_tools";

export interface Deciding {
  readonly tools: readonly ToolSpec[];
  readonly isOwn: (tool: string) => boolean;
  /** Whether a tool is shown only once somebody asks for it. */
  readonly isLater: (tool: string) => boolean;
  readonly query: string;
  readonly filter: ToolFilterConfig;
  /** Null where all tools are offered. */
  readonly ranked: Ranked | null;
  readonly dependencies: Dependencies | null;
  readonly kept: ReadonlyMap<string, "used" | "found">;
  /** Offered before, with the reason it was. What is shown is not taken back. */
  readonly shown: ReadonlyMap<string, Included>;
  /** Other names of tools. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Why a tool would do nothing now; null when it would do something. */
  readonly noUse: (tool: string) => string | null;
}

export interface Decided {
  readonly reasons: ReadonlyMap<string, OfferReason>;
  /** All that was chosen waits for something, so nothing could begin. */
  readonly isDeadlock: boolean;
}

/** What is said of each tool this turn: ranking cuts, then dependencies. `off` leaves those out. */
export function decide(given: Deciding, off: "waiting" | "off"): Decided {
  const { filter, ranked, dependencies, shown } = given;
  const later = new Set(given.tools.filter(({ name }) => given.isLater(name) && !shown.has(name)).map(({ name }) => name));
  const tools = given.tools.filter(({ name }) => !later.has(name));
  const isPartial = ranked !== null || later.size > 0;
  const alwaysOn = new Set([...alwaysOnOf(filter), ...(isPartial ? [SEARCH] : [])]);
  const useless = new Map(tools.map(({ name }) => [name, shown.has(name) ? null : uselessness(given, isPartial, name)]));
  const chosen = selectTools({
    ...given,
    tools: tools.filter(({ name }) => useless.get(name) === null),
    alwaysOn,
    minDescriptionWords: filter.min_description_words,
    topK: filter.top_k,
    boost: (tool) => dependencies?.boost(tool) ?? 0,
  });
  const missing = (name: string) => (alwaysOn.has(name) || !dependencies ? [] : dependencies.missing(name));
  const isWaiting = (name: string) => !shown.has(name) && chosen.get(name) !== "named" && missing(name).length > 0;
  addRequired(chosen, { isWaiting, missing, isThere: (name) => useless.get(name) === null || later.has(name) });

  const candidates = [...chosen.keys()].filter((name) => !alwaysOn.has(name));
  const isDeadlock = candidates.length > 0 && candidates.every(isWaiting);
  const reasonOf = (name: string): OfferReason => {
    const before = shown.get(name);
    if (before) return { offered: true, because: before };
    if (off === "waiting" && isWaiting(name)) return { offered: false, because: "requires", unmet: missing(name) };
    const because = chosen.get(name);
    if (because) return { offered: true, because: RANKED.has(because) && dependencies?.isMet(name) ? "dependency_met" : because };
    if (later.has(name)) return { offered: false, because: "later" };
    const why = useless.get(name);
    return why ? { offered: false, because: "no_use", why } : { offered: false, because: "rank" };
  };
  return { reasons: new Map(given.tools.map(({ name }) => [name, reasonOf(name)])), isDeadlock };
}

const RANKED: ReadonlySet<Included> = new Set(["rank", "boost", "full_set"]);

function uselessness({ noUse }: Deciding, isPartial: boolean, tool: string): string | null {
  return tool === SEARCH && !isPartial ? "every tool is offered" : noUse(tool);
}

interface Waiting {
  readonly isWaiting: (tool: string) => boolean;
  readonly missing: (tool: string) => readonly string[];
  readonly isThere: (tool: string) => boolean;
}

/** A tool that waits is of no use without those it waits for, however they rank. */
function addRequired(chosen: Map<string, Included>, { isWaiting, missing, isThere }: Waiting): void {
  const open = [...chosen.keys()].filter(isWaiting);
  for (const tool of open)
    for (const name of missing(tool)) {
      if (chosen.has(name) || !isThere(name)) continue;
      chosen.set(name, "required");
      if (isWaiting(name)) open.push(name);
    }
}
